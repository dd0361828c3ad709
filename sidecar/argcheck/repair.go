package argcheck

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Repair decodes JSON text once where the schema wants an object or array and
// doesn't allow a string: the arguments as a whole, or a value anywhere in
// them. Text inside decoded text stays text. The text must be one strict JSON
// value of a wanted type, or it is left as it is; it comes back without white
// space between its tokens. All other bytes are the same as before.
//
// The paths say where (Whole for the arguments themselves); none means that
// nothing was repaired. Absent and null arguments become {}, which is no
// repair.
func (s *Schema) Repair(arguments []byte) (repaired []byte, paths []string) {
	raw := bytes.TrimSpace(arguments)
	if len(raw) == 0 || string(raw) == "null" {
		return []byte("{}"), nil
	}
	doc, err := decode(raw, maxDepth)
	if err != nil {
		return arguments, nil
	}
	if text, ok := doc.(string); ok {
		if decoded, ok := fromText(text, objects, maxDepth); ok {
			return decoded, []string{Whole}
		}
		return arguments, nil
	}
	if s == nil || s.root == nil {
		return arguments, nil
	}
	r := repairer{doc: doc, d: jsontext.NewDecoder(bytes.NewReader(arguments))}
	r.graph, r.left = s.graph, maxPlaces
	if err := r.value(place{schema: s.root}, doc); err != nil || len(r.edits) == 0 {
		return arguments, nil
	}
	return r.splice(arguments), r.paths
}

// fromText decodes text that is an object or array of a wanted type.
func fromText(text string, wanted kinds, depth int) ([]byte, bool) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, "{") && wanted&objects != 0:
	case strings.HasPrefix(trimmed, "[") && wanted&arrays != 0:
	default:
		return nil, false
	}
	if _, err := decode([]byte(text), depth); err != nil {
		return nil, false
	}
	// Compact, because line ends inside would break transports that frame
	// messages by lines.
	value := jsontext.Value(text)
	if err := value.Compact(); err != nil {
		return nil, false
	}
	return value, true
}

// repairer walks the raw bytes, the decoded document and the schema together.
type repairer struct {
	planner
	doc   any
	d     *jsontext.Decoder
	at    []string
	edits []edit
	paths []string
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	with       []byte
}

func (r *repairer) value(at place, v any) error {
	switch v := v.(type) {
	case map[string]any:
		return r.object(at, v)
	case []any:
		return r.array(at, v)
	case string:
		return r.text(at, v)
	}
	return r.d.SkipValue()
}

func (r *repairer) object(at place, v map[string]any) error {
	if at.join == 0 && at.schema == nil {
		return r.d.SkipValue()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for r.d.PeekKind() != '}' {
		tok, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		key := tok.String()
		if err := r.member(at, step{object: v, key: key}, v[key]); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

func (r *repairer) array(at place, v []any) error {
	if at.join == 0 && at.schema == nil {
		return r.d.SkipValue()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for i, item := range v {
		if err := r.member(at, step{index: i}, item); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

func (r *repairer) member(at place, s step, v any) error {
	switch v.(type) {
	case map[string]any, []any, string:
	default:
		return r.d.SkipValue() // nothing to repair, so no place to work out
	}
	r.at = append(r.at, s.token())
	err := r.value(r.down(at, s), v)
	r.at = r.at[:len(r.at)-1]
	return err
}

func (r *repairer) text(at place, v string) error {
	raw, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	wanted := r.types(at)
	if wanted&texts != 0 {
		return nil
	}
	decoded, ok := fromText(v, wanted, maxDepth-len(r.at))
	if !ok {
		return nil
	}
	end := int(r.d.InputOffset())
	r.edits = append(r.edits, edit{end - len(raw), end, decoded})
	r.paths = append(r.paths, pathOf(r.doc, slices.Clone(r.at)))
	return nil
}

// splice applies the edits, which are in order and don't overlap.
func (r *repairer) splice(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	from := 0
	for _, e := range r.edits {
		out = append(out, raw[from:e.start]...)
		out = append(out, e.with...)
		from = e.end
	}
	return append(out, raw[from:]...)
}
