package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// File is one case file.
type File struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	DerivedFrom []string          `json:"derived_from"`
	Rule        string            `json:"rule"`
	Operator    Operator          `json:"operator"`
	Generator   *Generator        `json:"catalog_generator"`
	Catalog     []json.RawMessage `json:"catalog"`
	Cases       []Case            `json:"cases"`
}

// Operator are the settings that a file's cases need.
type Operator struct {
	WriteTools []string `json:"write_tools"`
	ReadTools  []string `json:"read_tools"`
}

// Generator makes tools that stand before the catalog's own: {i} in the template becomes 0, 1, 2, …
type Generator struct {
	Note     string          `json:"note"`
	Count    int             `json:"count"`
	Template json.RawMessage `json:"template"`
}

// Case is one request, or several in a row, and what is expected.
type Case struct {
	Name           string            `json:"name"`
	Call           json.RawMessage   `json:"call"`
	Calls          []json.RawMessage `json:"calls"`
	UpstreamResult json.RawMessage   `json:"upstream_result"`
	Repeat         int               `json:"repeat"`
	Across         []string          `json:"across"`
	Expect         Expect            `json:"expect"`
}

// Expect is what must be true. An absent key expects nothing.
type Expect struct {
	UpstreamCalls      json.RawMessage `json:"upstream_calls"` // a number, or the calls
	UpstreamCallsEach  []UpstreamCall  `json:"upstream_calls_each"`
	UpstreamCallsNames []string        `json:"upstream_calls_names"`

	IsError              *bool    `json:"isError"`
	ResponseHeader       string   `json:"response_header"`
	ResponseHeaderAbsent string   `json:"response_header_absent"`
	TextNames            []string `json:"text_names"`
	TextHasSchemaOf      string   `json:"text_has_schema_of"`
	AbsentEverywhere     []string `json:"absent_everywhere"`

	First              string            `json:"first"`
	FirstNamesAnyOrder []string          `json:"first_names_any_order"`
	InTop              map[string]int    `json:"in_top"`
	ContainsNames      []string          `json:"contains_names"`
	NotFirst           []string          `json:"not_first"`
	MaxResults         *int              `json:"max_results"`
	DoorOf             map[string]string `json:"door_of"`

	PerItem          []ItemExpect `json:"per_item"`
	EachItemLabelled bool         `json:"each_item_labelled_with_index_and_name"`
	ContentTypes     []string     `json:"content_types_in_order_contain"`
	NoBase64InText   bool         `json:"no_base64_inside_text"`

	ResultEqualsUpstream bool     `json:"result_deep_equals_upstream"`
	DigitsPreserved      []string `json:"digits_preserved"`

	DefinitionContains []string `json:"definition_contains"`
	SchemaOf           string   `json:"schema_of"`
	EveryRefResolves   bool     `json:"every_ref_resolves_inside_the_returned_schema"`

	CounterIncreases string `json:"counter_increases"`
	NetworkFetches   *int   `json:"network_fetches"`

	ListExpect

	Why  string `json:"why"`
	Note string `json:"note"`
}

// ListExpect is what must be true of an answer to tools/list.
type ListExpect struct {
	NamesExactly        []string                              `json:"names_exactly"`
	EveryTool           *ToolExpect                           `json:"every_tool"`
	FreeForm            map[string]FreeForm                   `json:"free_form"`
	Annotations         map[string]map[string]json.RawMessage `json:"annotations"`
	TotalTokensMax      int                                   `json:"total_tokens_max"`
	Tokenizer           string                                `json:"tokenizer"`
	ToolsBytesIdentical bool                                  `json:"result_tools_bytes_identical"`
}

// UpstreamCall is a call that the upstream must have received.
type UpstreamCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ItemExpect is what must be true of one item of a batch.
type ItemExpect struct {
	IsError   *bool    `json:"isError"`
	TextNames []string `json:"text_names"`
}

// ToolExpect is what must be true of every tool of a list.
type ToolExpect struct {
	Type               string   `json:"inputSchema.type"`
	Properties         string   `json:"inputSchema.properties"`
	RootKeywordsAbsent []string `json:"root_keywords_absent"`
	NameRegex          string   `json:"name_regex"`
	DescriptionMax     int      `json:"description_max_utf16_units"`
	NoBooleanSchemas   bool     `json:"no_boolean_property_schemas"`
	NoTypeArrays       bool     `json:"no_type_arrays"`
}

// FreeForm is the schema of a property that takes any object.
type FreeForm struct {
	Type                 string `json:"type"`
	AdditionalProperties bool   `json:"additionalProperties"`
}

// Load reads a case file.
func Load(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse reads the text of a case file. A key that it doesn't know is an error.
func Parse(raw []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("data after the case file")
	}
	if len(f.Cases) == 0 {
		return nil, fmt.Errorf("no cases")
	}
	return f, f.generate()
}

func (f *File) generate() error {
	if f.Generator == nil {
		return nil
	}
	if f.Generator.Count < 1 {
		return fmt.Errorf("catalog_generator: count is %d", f.Generator.Count)
	}
	made := make([]json.RawMessage, f.Generator.Count)
	for i := range made {
		made[i] = json.RawMessage(strings.ReplaceAll(string(f.Generator.Template), "{i}", strconv.Itoa(i)))
	}
	f.Catalog = append(made, f.Catalog...)
	return nil
}

// tools are the catalog as compact JSON, with every web address of the made-up host turned to base.
func (f *File) tools(base string) []string {
	tools := make([]string, len(f.Catalog))
	for i, raw := range f.Catalog {
		tools[i] = strings.ReplaceAll(string(compact(raw)), "https://schemas.example.invalid", base)
	}
	return tools
}

// schemaOf is the input schema of a tool of the catalog, or nil.
func schemaOf(tools []string, name string) []byte {
	for _, raw := range tools {
		var tool struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if json.Unmarshal([]byte(raw), &tool) == nil && tool.Name == name {
			return tool.InputSchema
		}
	}
	return nil
}

// compact drops white space; keys keep their order and numbers their digits.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
