package cases

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/tiktoken-go/tokenizer"
)

// listed is a tool of our own list.
type listed struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	InputSchema json.RawMessage            `json:"inputSchema"`
	Annotations map[string]json.RawMessage `json:"annotations"`
}

// wholeTokensMax bounds the whole objects, as the expectation's text says.
const wholeTokensMax = 950

func (v *verdict) list(e ListExpect) {
	if e.NamesExactly == nil && e.EveryTool == nil && e.FreeForm == nil && e.Annotations == nil && e.TotalTokensMax == 0 {
		return
	}
	var r struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(v.x.result, &r); err != nil || len(r.Tools) == 0 {
		v.add("the answer lists no tools")
		return
	}
	tools := make([]listed, len(r.Tools))
	var names []string
	for i, raw := range r.Tools {
		if err := json.Unmarshal(raw, &tools[i]); err != nil {
			v.add("tool %d is no tool", i+1)
			return
		}
		names = append(names, tools[i].Name)
	}
	slices.Sort(names)
	if want := slices.Sorted(slices.Values(e.NamesExactly)); want != nil && !slices.Equal(names, want) {
		v.add("the tools are %q, want %q", names, want)
	}
	for _, tool := range tools {
		v.everyTool(tool, e.EveryTool)
		v.annotations(tool, e.Annotations[tool.Name])
	}
	for path, want := range e.FreeForm {
		v.freeForm(tools, path, want)
	}
	v.tokens(r.Tools, tools, e)
}

func (v *verdict) everyTool(tool listed, e *ToolExpect) {
	if e == nil {
		return
	}
	schema, _ := decode(tool.InputSchema)
	object, _ := schema.(map[string]any)
	if object["type"] != e.Type {
		v.add("%s: inputSchema.type is %v, want %s", tool.Name, object["type"], e.Type)
	}
	if properties, _ := object["properties"].(map[string]any); e.Properties == "present, non-empty" && len(properties) == 0 {
		v.add("%s: inputSchema.properties is missing or empty", tool.Name)
	} else if e.Properties != "" && e.Properties != "present, non-empty" {
		v.add("inputSchema.properties: %q is not understood", e.Properties)
	}
	for _, key := range e.RootKeywordsAbsent {
		if _, ok := object[key]; ok {
			v.add("%s: inputSchema has %s at its root", tool.Name, key)
		}
	}
	if e.NameRegex != "" && !regexp.MustCompile(e.NameRegex).MatchString(tool.Name) {
		v.add("%s: the name does not match %s", tool.Name, e.NameRegex)
	}
	if n := len(utf16.Encode([]rune(tool.Description))); e.DescriptionMax > 0 && n > e.DescriptionMax {
		v.add("%s: the description has %d UTF-16 units, at most %d", tool.Name, n, e.DescriptionMax)
	}
	v.plain(tool.Name, schema, *e)
}

// plain holds that no property's schema is a boolean and no type an array, anywhere in a schema.
func (v *verdict) plain(where string, value any, e ToolExpect) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	if _, isArray := object["type"].([]any); isArray && e.NoTypeArrays {
		v.add("%s: type is an array", where)
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for name, schema := range properties {
			if _, isBool := schema.(bool); isBool && e.NoBooleanSchemas {
				v.add("%s: the schema of %s is a boolean", where, name)
			}
			v.plain(where+"."+name, schema, e)
		}
	}
	v.plain(where+".items", object["items"], e)
}

func (v *verdict) annotations(tool listed, want map[string]json.RawMessage) {
	for hint, value := range want {
		if string(tool.Annotations[hint]) != string(value) {
			v.add("%s: %s is %s, want %s", tool.Name, hint, tool.Annotations[hint], value)
		}
	}
}

func (v *verdict) freeForm(tools []listed, path string, want FreeForm) {
	name, property, _ := strings.Cut(path, ".")
	for _, tool := range tools {
		if tool.Name != name {
			continue
		}
		var schema struct{ Properties map[string]FreeForm }
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || schema.Properties[property] != want {
			v.add("%s is %+v, want %+v", path, schema.Properties[property], want)
		}
		return
	}
	v.add("free_form: there is no tool %s", name)
}

func (v *verdict) tokens(raw []json.RawMessage, tools []listed, e ListExpect) {
	if e.TotalTokensMax == 0 {
		return
	}
	if !strings.HasPrefix(e.Tokenizer, "o200k_base over compact JSON of name, description and inputSchema") {
		v.add("tokenizer: %q is not understood", e.Tokenizer)
		return
	}
	seen, whole := 0, 0
	for i, tool := range tools {
		model, err := json.Marshal(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}{tool.Name, tool.Description, tool.InputSchema})
		if err != nil {
			v.add("%s: %v", tool.Name, err)
			return
		}
		seen += Tokens(string(model))
		whole += Tokens(string(compact(raw[i])))
	}
	if seen > e.TotalTokensMax {
		v.add("a model sees %d tokens, at most %d", seen, e.TotalTokensMax)
	}
	if whole > wholeTokensMax {
		v.add("the whole objects have %d tokens, at most %d", whole, wholeTokensMax)
	}
}

// Tokens counts a text's tokens in the o200k_base encoding.
func Tokens(text string) int {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return -1
	}
	n, err := codec.Count(text)
	if err != nil {
		return -1
	}
	return n
}
