package argcheck

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	maxValueRunes = 40 // of an allowed value
	maxListRunes  = 400
	maxListed     = 30
	maxRegexRunes = 120
)

// says words a fault, to follow the path of its place.
func (r *report) says(f fault) string {
	switch k := f.what.(type) {
	case choice:
		return r.choice(k, f.at)
	case missing:
		return r.missing(k, f)
	case unknown:
		return r.unknown(k, f)
	case either:
		return "must have " + eitherKeys(k.keys)
	case denied:
		return "is not allowed here"
	case *kind.OneOf:
		return fmt.Sprintf("fits more than one of the forms of which exactly one must fit (numbers %d and %d of oneOf)", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.Not:
		return notText(f.schema)
	case *kind.PropertyNames:
		return "has a key that isn't allowed by its propertyNames: " + quoted(k.Property)
	}
	if text, ok := numberText(f.what); ok {
		return text
	}
	return sizeText(f.what)
}

func numberText(what any) (string, bool) {
	switch k := what.(type) {
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want), true
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want), true
	case *kind.ExclusiveMinimum:
		return "must be greater than " + decimal(k.Want), true
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want), true
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want), true
	}
	return "", false
}

func sizeText(what any) string {
	switch k := what.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "key"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "key"), k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", count(k.Count, "item"))
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat an item: items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "must have an item that fits the schema of contains"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s that fit the schema of contains, not %d", count(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s that fit the schema of contains, not %d", count(k.Want, "item"), len(k.Got))
	case *kind.Pattern:
		return "must match the pattern " + oneLine(clip(k.Want, maxRegexRunes))
	}
	return "doesn't fit the schema"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// decimal writes a bound as the schema does, without an exponent.
func decimal(n *big.Rat) string {
	digits, exact := n.FloatPrec()
	if !exact || digits > 20 || len(n.Num().Bits()) > 8 {
		f, _ := n.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return n.FloatString(digits)
}

func notText(s *jsonschema.Schema) string {
	if s != nil && s.Not != nil && len(s.Not.Required) > 0 {
		var names []string
		for _, name := range s.Not.Required {
			names = append(names, quoted(name))
		}
		text := "must not have " + strings.Join(names, " and ")
		if len(names) > 1 {
			text += " together"
		}
		return text
	}
	return "is what the schema excludes (not)"
}

// distinctTexts writes allowed values as JSON, each once, cut when long.
func distinctTexts(values []any) []string {
	var texts []string
	seen := map[string]bool{}
	for _, v := range values {
		text, ok := v.(string)
		if ok {
			text = quoted(text)
		} else if raw, err := json.Marshal(v); err == nil {
			text = clip(string(raw), maxValueRunes)
		}
		if !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}

// oneLine shows control characters as U+FFFD: a schema's words must not start
// a line of their own in ours.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// quoted puts a name in quotes; control characters come out escaped.
func quoted(s string) string { return strconv.Quote(clip(s, maxValueRunes)) }

func list(texts []string) string { return join(texts, ", ") }

// join joins texts and leaves out what would make a sentence too long.
func join(texts []string, sep string) string {
	var b strings.Builder
	for i, text := range texts {
		if i == maxListed || b.Len()+len(text) > maxListRunes {
			fmt.Fprintf(&b, " and %d more", len(texts)-i)
			break
		}
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(text)
	}
	return b.String()
}
