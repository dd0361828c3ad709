package argcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxSchemaBytes   = 1 << 20
	maxSchemaObjects = 4_000    // objects and booleans in the document: at least its subschemas
	maxPointerBytes  = 16 << 20 // of all subschemas' addresses together
)

// Schema is a compiled input schema of one tool. It never changes after
// Compile and is safe for concurrent use. A nil *Schema stands for one that
// doesn't compile: its Check finds nothing, its Repair only makes {} of
// nothing and decodes arguments that are text as a whole.
type Schema struct {
	root  *jsonschema.Schema
	graph *graph
}

// Compile reads a tool's input schema: JSON Schema 2020-12, or the draft its
// $schema names (2019-09, 07, 06, 04; any other $schema is read as 2020-12).
// Nil, empty and null mean {"type":"object"}. Nothing is ever fetched, a $ref
// must point into the document itself. An error means that arguments can't be
// checked against this schema, and are to be let through.
func Compile(inputSchema []byte) (*Schema, error) {
	raw := bytes.TrimSpace(inputSchema)
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte(`{"type":"object"}`)
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the input schema has %d bytes: at most %d are checked", len(raw), maxSchemaBytes)
	}
	doc, err := decode(raw, maxDepth)
	if err != nil {
		return nil, fmt.Errorf("the input schema isn't strict JSON of at most %d levels: %w", maxDepth, err)
	}
	if err := prepare(doc); err != nil {
		return nil, err
	}
	root, err := compile(doc)
	if err != nil {
		return nil, fmt.Errorf("the input schema doesn't compile: %s", clip(strings.Join(strings.Fields(err.Error()), " "), 300))
	}
	g, err := newGraph(root)
	if err != nil {
		return nil, err
	}
	if g.of(root).types&objects == 0 {
		return nil, errors.New("the input schema allows no object: arguments are always one (MCP, server/tools)")
	}
	return &Schema{root: root, graph: g}, nil
}

// address is the document's own name. All references are resolved against it,
// so a relative one can't become a file or web address.
const address = "argcheck:///schema"

// compile compiles the prepared document. The library walks a document that a
// stranger wrote: a panic in there costs this schema, not the program.
func compile(doc any) (root *jsonschema.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the schema library gave up: %v", p)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine())
	c.AssertFormat() // makes formats visible to newGraph, which then drops them
	if err := c.AddResource(address, doc); err != nil {
		return nil, err
	}
	return c.Compile(address)
}

// noLoader refuses every document that isn't there already.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("a $ref must stay in the document: nothing is fetched")
}

// prepare makes a decoded schema safe to compile, or says why it isn't.
func prepare(doc any) error {
	object, ok := doc.(map[string]any)
	if !ok {
		return nil
	}
	chooseDialect(object)
	s := survey{}
	s.visit(doc, 0)
	switch {
	case s.objects > maxSchemaObjects:
		return fmt.Errorf("the input schema has more than %d objects: it is too large to check", maxSchemaObjects)
	case s.pointers > maxPointerBytes:
		return errors.New("the input schema has too long keys too deep inside: it is too large to check")
	case s.dynamic && s.resources:
		return errors.New("the input schema has a dynamic reference and several resources: how often it is applied can't be foreseen")
	}
	return nil
}

// chooseDialect drops a $schema that names no draft we know: the default,
// 2020-12, is the likeliest reading of a typo.
func chooseDialect(root map[string]any) {
	text, ok := root["$schema"].(string)
	if !ok {
		delete(root, "$schema")
		return
	}
	name := strings.TrimRight(strings.TrimSpace(text), "#/")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	switch name {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema":
		root["$schema"] = "https://" + name
	case "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		root["$schema"] = "http://" + name + "#"
	default:
		delete(root, "$schema")
	}
}

// survey counts what makes a document dear to compile, and bounds what the
// library would read wrongly.
type survey struct {
	objects, pointers  int
	dynamic, resources bool
}

func (s *survey) visit(v any, pointer int) {
	switch v := v.(type) {
	case map[string]any:
		s.objects++
		s.pointers += pointer
		for key, member := range v {
			v[key] = bounded(key, member)
			s.note(key, member, pointer > 0)
			s.visit(member, pointer+1+len(key))
		}
	case []any:
		for _, item := range v {
			s.visit(item, pointer+5)
		}
	case bool: // where it is a schema it costs what an object does
		s.objects++
	}
}

func (s *survey) note(key string, member any, inside bool) {
	if _, ok := member.(string); !ok {
		return
	}
	switch key {
	case "$dynamicRef", "$recursiveRef":
		s.dynamic = true
	case "$id":
		s.resources = s.resources || inside
	}
}

// maxCount is the largest number that minLength and its like keep: beyond it
// the library would wrap around.
const maxCount = 1 << 53

// bounded returns the member, with a count that is too large made smaller.
func bounded(key string, member any) any {
	n, ok := member.(json.Number)
	if !ok {
		return member
	}
	switch key {
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if f, err := n.Float64(); err != nil || f > maxCount {
			return json.Number(strconv.Itoa(maxCount))
		}
	}
	return member
}
