package argcheck

// Schema is a compiled input schema of one tool. It never changes after
// Compile and is safe for concurrent use. A nil *Schema stands for one that
// doesn't compile: its Check finds nothing, its Repair only makes {} of
// nothing and decodes arguments that are a text as a whole.
type Schema struct{}

// Compile reads a tool's input schema: JSON Schema 2020-12, or what its
// $schema says. Nil, empty and null mean {"type":"object"}. Nothing is ever
// fetched. An error means that arguments can't be checked against it, and
// must then be let through.
func Compile(inputSchema []byte) (*Schema, error) { return &Schema{}, nil }

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

// Near returns the single candidate that key is clearly a typo of.
func Near(key string, candidates []string) (string, bool) { return "", false }
