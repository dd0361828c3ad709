package cases

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// itemLabel starts a batch item: its number, the tool's name, and its state.
var itemLabel = regexp.MustCompile(`^\[(\d+)\] (\S+): (ok|error|refused)`)

// batchItem is one item of a batch's answer.
type batchItem struct {
	number int
	name   string
	state  string
	text   string // of the label and all text blocks up to the next
}

func itemsOf(blocks []block) []batchItem {
	var items []batchItem
	for _, b := range blocks {
		if m := itemLabel.FindStringSubmatch(b.Text); m != nil && b.Type == "text" {
			n, _ := strconv.Atoi(m[1])
			items = append(items, batchItem{number: n, name: m[2], state: m[3]})
		}
		if len(items) > 0 {
			items[len(items)-1].text += b.Text + "\n"
		}
	}
	return items
}

func (v *verdict) items(e Expect) {
	blocks, _ := v.content()
	items := itemsOf(blocks)
	if e.PerItem != nil && len(items) != len(e.PerItem) {
		v.add("%d items, want %d", len(items), len(e.PerItem))
		return
	}
	for i, want := range e.PerItem {
		if failed := items[i].state != "ok"; want.IsError != nil && failed != *want.IsError {
			v.add("item %d is %s, want isError %t", i+1, items[i].state, *want.IsError)
		}
		v.names(fmt.Sprintf("item %d", i+1), items[i].text, want.TextNames)
	}
	if e.EachItemLabelled {
		for i, item := range items {
			if item.number != i+1 || schemaOf(v.tools, item.name) == nil {
				v.add("item %d is labelled [%d] %s", i+1, item.number, item.name)
			}
		}
		if len(items) == 0 {
			v.add("no item is labelled")
		}
	}
	v.types(blocks, e.ContentTypes)
	for _, b := range blocks {
		if e.NoBase64InText && b.Type == "text" && base64Run.MatchString(b.Text) {
			v.add("a text block holds Base64: %.80q", b.Text)
		}
	}
}

var base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{40,}`)

// types holds that the wanted types are there in this order, with others between.
func (v *verdict) types(blocks []block, want []string) {
	got := make([]string, len(blocks))
	for i, b := range blocks {
		got[i] = b.Type
	}
	rest := got
	for _, w := range want {
		i := slices.Index(rest, w)
		if i < 0 {
			v.add("the content types are %q, want %q in this order", got, want)
			return
		}
		rest = rest[i+1:]
	}
}

// definition is the first JSON object that stands on a line of its own in the text.
func (v *verdict) definition() map[string]json.RawMessage {
	for line := range strings.Lines(v.text()) {
		var d map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &d) == nil && d != nil {
			return d
		}
	}
	return nil
}

func (v *verdict) definitions(e Expect) {
	if e.DefinitionContains == nil && e.SchemaOf == "" && !e.EveryRefResolves {
		return
	}
	d := v.definition()
	if d == nil {
		v.add("the text holds no definition")
		return
	}
	for _, key := range e.DefinitionContains {
		if d[key] == nil {
			v.add("the definition lacks %s", key)
		}
	}
	if e.SchemaOf != "" && string(d["inputSchema"]) != string(schemaOf(v.tools, e.SchemaOf)) {
		v.add("the definition's input schema is %s, want the one of %s", d["inputSchema"], e.SchemaOf)
	}
	if e.EveryRefResolves {
		schema, err := decode(d["inputSchema"])
		if err != nil {
			v.add("the definition has no input schema")
			return
		}
		v.refs(schema, schema)
	}
}

// refs holds that every $ref inside v leads to a place in root.
func (v *verdict) refs(root, value any) {
	switch value := value.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok && !resolves(root, ref) {
			v.add("$ref %s leads nowhere in the returned schema", ref)
		}
		for _, member := range value {
			v.refs(root, member)
		}
	case []any:
		for _, item := range value {
			v.refs(root, item)
		}
	}
}

// resolves follows a JSON pointer (RFC 6901) through objects.
func resolves(root any, ref string) bool {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return false
	}
	at := root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]; !ok {
			return false
		}
	}
	return true
}
