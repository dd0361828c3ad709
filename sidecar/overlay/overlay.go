package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Overlay are an operator's rules about tools. It never changes; nil and the
// zero value say nothing about any tool.
type Overlay struct {
	rules  []rule
	digest string
}

// Say is what the rules say about one tool.
type Say struct {
	// Aliases are words and phrases that people use for the tool.
	Aliases []string
	// Hide takes the tool out of the catalog.
	Hide bool
	// Pin puts the tool before others that a search finds.
	Pin bool
	// Source is the server the tool belongs to, as people name it; "": as the
	// catalog finds it out.
	Source string
}

// file is the form of the YAML file.
type file struct {
	Tools []rule `yaml:"tools"`
}

// rule is what is said about the tools that a pattern fits.
type rule struct {
	Match   string   `yaml:"match"`
	Aliases []string `yaml:"aliases"`
	Hide    bool     `yaml:"hide"`
	Pin     bool     `yaml:"pin"`
	Source  string   `yaml:"source"`
}

// Bounds of a file.
const (
	maxBytes   = 1 << 20
	maxRules   = 10_000
	maxAliases = 50
	maxAlias   = 200 // bytes of one alias, or of a source
)

// Parse reads a YAML file. An empty one says nothing.
func Parse(data []byte) (*Overlay, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the file has %d bytes: an overlay has at most %d", len(data), maxBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var f file
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: an overlay is a list under \"tools\", each entry with match and any of aliases, hide, pin, source", plain(err))
	}
	if err := dec.Decode(&file{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is a second document in the file: write all rules under one \"tools\"")
	}
	if len(f.Tools) > maxRules {
		return nil, fmt.Errorf("there are %d rules: an overlay has at most %d", len(f.Tools), maxRules)
	}
	for i, r := range f.Tools {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	sum := sha256.Sum256(data)
	return &Overlay{rules: f.Tools, digest: hex.EncodeToString(sum[:8])}, nil
}

// What package yaml says about a value that doesn't fit.
var (
	unknownField = regexp.MustCompile(`^line (\d+): field (.*) not found in type \S+$`)
	otherKind    = regexp.MustCompile(`^line (\d+): cannot unmarshal `)
)

// plain says a mistake in the file without the names of our types and the
// file's values, on one line.
func plain(err error) string {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
	}
	texts := make([]string, len(wrong.Errors))
	for i, text := range wrong.Errors {
		texts[i] = text
		if m := unknownField.FindStringSubmatch(text); m != nil {
			texts[i] = fmt.Sprintf("unknown field %s in line %s", m[2], m[1])
		} else if m := otherKind.FindStringSubmatch(text); m != nil {
			texts[i] = fmt.Sprintf("the value in line %s is of another kind", m[1])
		}
	}
	return strings.Join(texts, "; ")
}

func (r *rule) check() error {
	if r.Match == "" {
		return errors.New("match is missing: write the tool's name, or a pattern like mail_*")
	}
	if _, err := path.Match(r.Match, ""); err != nil {
		return fmt.Errorf("match %q is no pattern for tool names: write *, ? and [a-z] as in mail_*, and escape others with a backslash", r.Match)
	}
	if len(r.Aliases) > maxAliases {
		return fmt.Errorf("match %q has %d aliases: at most %d", r.Match, len(r.Aliases), maxAliases)
	}
	if slices.ContainsFunc(r.Aliases, func(s string) bool { return strings.TrimSpace(s) == "" || len(s) > maxAlias }) {
		return fmt.Errorf("match %q: an alias is one to %d bytes of text", r.Match, maxAlias)
	}
	if len(r.Source) > maxAlias {
		return fmt.Errorf("match %q: a source has at most %d bytes", r.Match, maxAlias)
	}
	if len(r.Aliases) == 0 && !r.Hide && !r.Pin && r.Source == "" {
		return fmt.Errorf("match %q says nothing: give it aliases, hide, pin or source", r.Match)
	}
	return nil
}

// slash stands for "/" on both sides of a match: a tool's name is not a path
// even when it has slashes.
const slash = "\x00"

// Of joins what all rules say about a tool. Patterns are those of path.Match,
// but * and ? cross slashes.
func (o *Overlay) Of(name string) Say {
	var s Say
	if o == nil {
		return s
	}
	name = strings.ReplaceAll(name, "/", slash)
	for i := range o.rules {
		r := &o.rules[i]
		if ok, _ := path.Match(strings.ReplaceAll(r.Match, "/", slash), name); !ok {
			continue
		}
		for _, a := range r.Aliases {
			if !slices.Contains(s.Aliases, a) {
				s.Aliases = append(s.Aliases, a)
			}
		}
		s.Hide = s.Hide || r.Hide
		s.Pin = s.Pin || r.Pin
		if r.Source != "" {
			s.Source = r.Source
		}
	}
	return s
}

// Digest tells the contents of files apart; "" for nil and the zero value.
func (o *Overlay) Digest() string {
	if o == nil {
		return ""
	}
	return o.digest
}

// Rules is the number of rules.
func (o *Overlay) Rules() int {
	if o == nil {
		return 0
	}
	return len(o.rules)
}
