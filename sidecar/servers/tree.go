package servers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// Bounds of a file.
const (
	maxBytes   = 1 << 20
	maxServers = 500
	maxDepth   = 20
)

// tree reads a file into nodes that know their lines. What begins with a brace
// is JSON, with comments and commas before a closing bracket as editors allow
// them; it may be YAML in its flow style too.
func tree(file []byte) (*yaml.Node, error) {
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	plain, isJSON := uncommented(file)
	if !isJSON {
		return yamlTree(file)
	}
	root, err := jsonTree(plain)
	if err == nil {
		return root, nil
	}
	if flow, other := yamlTree(file); other == nil {
		return flow, nil
	}
	return nil, err
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func yamlTree(file []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(file))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: it holds servers under mcpServers")
	} else if err != nil {
		return nil, fmt.Errorf("%sthis is neither JSON nor YAML: check brackets, quotes and indentation", lineOf(err.Error()))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is a second document in the file: write all servers under one mcpServers")
	}
	if err := settle(&doc, maxDepth); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// lineOf takes the line out of an error of package yaml, which may repeat text
// of the file.
func lineOf(text string) string {
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		return "line " + m[1] + ": "
	}
	return ""
}

// settle refuses what makes one place of a file mean others: aliases and merge
// keys can grow without bound, and hide where a value comes from.
func settle(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d: aliases (*name) are not read here: write the value out", n.Line)
	case depth == 0:
		return fmt.Errorf("line %d: this is nested too deeply", n.Line)
	}
	for _, child := range n.Content {
		if err := settle(child, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// uncommented blanks out what JSON hasn't but editors' files have: comments,
// and commas before a closing bracket. Lines stay. It says whether the file
// begins as JSON does.
func uncommented(file []byte) (plain []byte, isJSON bool) {
	plain = bytes.Clone(file)
	comma := -1 // a comma with nothing but space after it so far
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case c == '"':
			i, comma = endOfText(plain, i), -1
		case c == '/' && i+1 < len(plain) && (plain[i+1] == '/' || plain[i+1] == '*'):
			i = blankComment(plain, i)
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			plain[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return plain, bytes.HasPrefix(bytes.TrimLeft(plain, " \t\r\n"), []byte("{"))
}

// endOfText is where the string that begins at i ends.
func endOfText(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComment blanks the comment that begins at i and returns its last byte.
func blankComment(text []byte, i int) int {
	end := len(text)
	if text[i+1] == '/' {
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return end - 1
}

// jsonReader makes nodes of JSON.
type jsonReader struct {
	text []byte
	dec  *jsontext.Decoder
}

func jsonTree(text []byte) (*yaml.Node, error) {
	r := &jsonReader{text: text, dec: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))} // they are told by name later
	root, err := r.value(maxDepth)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: there is more after the end of the JSON object", r.line())
	}
	return root, nil
}

// line is where the decoder stands.
func (r *jsonReader) line() int {
	at := min(int(r.dec.InputOffset()), len(r.text))
	return 1 + bytes.Count(r.text[:at], []byte("\n"))
}

// wrong is the line of an error, which lies behind where the decoder stands.
func (r *jsonReader) wrong(err error) error {
	at := int(r.dec.InputOffset())
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = int(syntax.ByteOffset)
	}
	at = min(at, len(r.text))
	for at < len(r.text) && strings.ContainsRune(" \t\r\n", rune(r.text[at])) {
		at++
	}
	line := 1 + bytes.Count(bytes.TrimRight(r.text[:at], " \t\r\n"), []byte("\n"))
	if at < len(r.text) {
		line = 1 + bytes.Count(r.text[:at], []byte("\n"))
	}
	return fmt.Errorf("line %d: this is no JSON: a comma, a quote or a bracket is missing or too many", line)
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, r.wrong(err)
	}
	n := &yaml.Node{Line: r.line()}
	if depth == 0 {
		return nil, fmt.Errorf("line %d: this is nested too deeply", n.Line)
	}
	switch token.Kind() {
	case '{', '[':
		n.Kind = yaml.SequenceNode
		if token.Kind() == '{' {
			n.Kind = yaml.MappingNode
		}
		return n, r.inside(n, depth)
	case '"':
		n.Tag = "!!str"
	case '0':
		n.Tag = "!!float"
		if _, err := strconv.ParseInt(token.String(), 10, 64); err == nil {
			n.Tag = "!!int"
		}
	case 't', 'f':
		n.Tag = "!!bool"
	default:
		n.Tag = "!!null"
	}
	n.Kind, n.Value = yaml.ScalarNode, token.String()
	return n, nil
}

// inside reads the members of an object or the elements of an array.
func (r *jsonReader) inside(n *yaml.Node, depth int) error {
	for {
		if kind := r.dec.PeekKind(); kind == '}' || kind == ']' {
			_, err := r.dec.ReadToken()
			return err
		}
		child, err := r.value(depth - 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
}
