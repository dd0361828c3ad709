package wire

// Rewrite returns a new body with params.name and params.arguments replaced;
// arguments are inserted behind the name when the message has none. Every other
// byte is the same. arguments must be one valid JSON value; none at all means
// {}. The result is nil when the message has no params.name to replace.
func (m *Message) Rewrite(name string, arguments []byte) []byte {
	if !m.HasName {
		return nil
	}
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	quoted := Quote(name)
	out := make([]byte, 0, len(m.Body)+len(quoted)+len(arguments)+len(`,"arguments":`))
	nameFirst := m.Arguments.Absent() || m.NameAt.Start < m.Arguments.Start
	if !nameFirst {
		out = append(out, m.Body[:m.Arguments.Start]...)
		out = append(out, arguments...)
		out = append(out, m.Body[m.Arguments.End:m.NameAt.Start]...)
		out = append(out, quoted...)
		return append(out, m.Body[m.NameAt.End:]...)
	}
	out = append(out, m.Body[:m.NameAt.Start]...)
	out = append(out, quoted...)
	if m.Arguments.Absent() {
		out = append(out, `,"arguments":`...)
		out = append(out, arguments...)
		return append(out, m.Body[m.NameAt.End:]...)
	}
	out = append(out, m.Body[m.NameAt.End:m.Arguments.Start]...)
	out = append(out, arguments...)
	return append(out, m.Body[m.Arguments.End:]...)
}
