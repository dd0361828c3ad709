package argcheck

// Problem is one fault of a call's arguments.
type Problem struct {
	Path string // like query.team or items[2].id; "" = the arguments themselves
	Text string // a whole sentence that names the path: `query.team is required`
}

// Check returns every fault of the arguments, ordered by path; nil means they
// fit.
func (s *Schema) Check(arguments []byte) []Problem { return nil }

// Repair decodes JSON text once where the schema wants an object or array and
// doesn't allow a string. It returns the arguments with only those values
// replaced, and the paths of the places; no path means that nothing was
// repaired.
func (s *Schema) Repair(arguments []byte) (repaired []byte, paths []string) { return arguments, nil }
