package wire

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ParamHeader is one parameter of a tool that is mirrored as a request header
// (spec 2026-07-28 streamable-http, "Custom Headers from Tool Parameters").
type ParamHeader struct {
	Name string   // the header's name without the Mcp-Param- prefix; a token
	Path []string // the properties that lead to it in the arguments; never empty
	Type string   // "string", "integer" or "boolean"
}

// ParamHeaders returns the x-mcp-header annotations of an input schema, in the
// order they stand in. An error means that an annotation is invalid and the
// tool must be dropped: not a token, twice (ignoring case), on another type, or
// where a chain of properties does not lead from the root. A schema that isn't
// an object has none. References are not followed.
func ParamHeaders(inputSchema []byte) ([]ParamHeader, error) {
	if !IsObject(inputSchema) {
		return nil, nil
	}
	w := &schemaWalk{dec: lenient(inputSchema, jsontext.AllowDuplicateNames(true))}
	if err := w.schema(nil, true); err != nil {
		return nil, err
	}
	return w.found, nil
}

// schemaWalk visits every schema position once. Data positions (default, enum,
// const, examples) are skipped: what stands there is no annotation.
type schemaWalk struct {
	dec   *jsontext.Decoder
	found []ParamHeader
}

// schema reads one schema. path is how properties lead to it from the root;
// reachable is false once anything else did.
func (w *schemaWalk) schema(path []string, reachable bool) error {
	if w.dec.PeekKind() != '{' {
		return w.skip()
	}
	var annotation, typ jsontext.Value
	err := w.members(func(key string) (err error) {
		switch key {
		case "x-mcp-header":
			annotation, err = w.raw()
		case "type":
			typ, err = w.raw()
		case "properties":
			err = w.schemas(func(name string) ([]string, bool) { return append(slices.Clip(path), name), reachable })
		case "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
			err = w.schemas(func(string) ([]string, bool) { return nil, false })
		case "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems", "additionalProperties",
			"unevaluatedProperties", "propertyNames", "not", "if", "then", "else", "contentSchema", "allOf", "anyOf", "oneOf":
			err = w.inner()
		default:
			err = w.skip()
		}
		return err
	})
	if err != nil || annotation == nil {
		return err
	}
	return w.annotate(path, reachable, annotation, typ)
}

// schemas reads an object of schemas.
func (w *schemaWalk) schemas(where func(name string) (path []string, reachable bool)) error {
	if w.dec.PeekKind() != '{' {
		return w.skip()
	}
	return w.members(func(name string) error {
		path, reachable := where(name)
		return w.schema(path, reachable)
	})
}

// inner reads a schema or an array of schemas off the properties chain.
func (w *schemaWalk) inner() error {
	if w.dec.PeekKind() != '[' {
		return w.schema(nil, false)
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	for w.dec.PeekKind() != ']' {
		if err := w.schema(nil, false); err != nil {
			return err
		}
	}
	return w.close()
}

func (w *schemaWalk) members(member func(key string) error) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	for w.dec.PeekKind() != '}' {
		key, err := w.dec.ReadToken()
		if err != nil {
			return unreadable(err)
		}
		if err := member(key.String()); err != nil {
			return err
		}
	}
	return w.close()
}

func (w *schemaWalk) close() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	return nil
}

func (w *schemaWalk) skip() error {
	if err := w.dec.SkipValue(); err != nil {
		return unreadable(err)
	}
	return nil
}

// raw reads a value and copies it, since the decoder's view of it is lost with
// the next read.
func (w *schemaWalk) raw() (jsontext.Value, error) {
	v, err := w.dec.ReadValue()
	if err != nil {
		return nil, unreadable(err)
	}
	return v.Clone(), nil
}

func (w *schemaWalk) annotate(path []string, reachable bool, annotation, typ jsontext.Value) error {
	if !reachable || len(path) == 0 {
		return errors.New("x-mcp-header stands where properties alone do not lead to it: drop the tool")
	}
	where := strings.Join(path, ".")
	name, ok := String(annotation)
	if !ok || !isToken(name) {
		return fmt.Errorf("x-mcp-header of %q is not a header token: drop the tool", where)
	}
	kind, _ := String(typ)
	switch kind {
	case "string", "integer", "boolean":
	default:
		return fmt.Errorf("x-mcp-header of %q is on a type other than string, integer or boolean: drop the tool", where)
	}
	for _, other := range w.found {
		if strings.EqualFold(other.Name, name) {
			return fmt.Errorf("x-mcp-header of %q repeats the one of %q: drop the tool", where, strings.Join(other.Path, "."))
		}
	}
	w.found = append(w.found, ParamHeader{Name: name, Path: path, Type: kind})
	return nil
}

// isToken is RFC 9110 section 5.6.2: 1*tchar.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alphanumeric := '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// Value is what the header must hold for these arguments, safe to send. It is
// false, and no header may be sent, when the argument is absent or null, or of
// a type that has no header form (an object, an array, a number with a
// fraction).
func (p ParamHeader) Value(arguments []byte) (value string, ok bool) {
	raw := arguments
	for _, name := range p.Path {
		if raw = lookup(raw, name); raw == nil {
			return "", false
		}
	}
	switch first(raw) {
	case '"':
		text, ok := String(raw)
		return EncodeValue(text), ok
	case 't', 'f':
		return string(raw), true
	case '{', '[', 'n', 0:
		return "", false
	}
	return integer(string(raw))
}

// integer is the decimal form of an integral JSON number: its own digits, or
// for 4.0 and 4e1, which JSON Schema counts as integers, those they stand for.
func integer(token string) (string, bool) {
	if !strings.ContainsAny(token, ".eE") {
		if token == "-0" {
			return "0", true
		}
		return token, true
	}
	// Long digits or exponents would make huge numbers; no safe integer needs them.
	_, exponent, _ := strings.Cut(strings.ToLower(token), "e")
	if len(token) > 64 || len(exponent) > 3 {
		return "", false
	}
	n, ok := new(big.Rat).SetString(token)
	if !ok || !n.IsInt() || n.Num().BitLen() > 53 {
		return "", false
	}
	return n.Num().String(), true
}

func lookup(object []byte, name string) (value []byte) {
	err := eachField(object, func(f Field, _ Span) {
		if f.Key == name {
			value = f.Value
		}
	})
	if err != nil {
		return nil
	}
	return value
}

// IsParamHeader reports whether a header's name starts with Mcp-Param- in any
// case, also with "_" for "-", which some servers fold to it.
func IsParamHeader(name string) bool {
	return len(name) >= len(paramPrefix) && sameHeader(name[:len(paramPrefix)], paramPrefix)
}
