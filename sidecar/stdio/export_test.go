package stdio

// Waiting is how many calls of a session wait for an answer.
func (t *Transport) Waiting(session string) int {
	k := t.session(session)
	if k == nil {
		return 0
	}
	n, _ := k.running()
	return n
}
