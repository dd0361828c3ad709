package sidecar_test

import (
	"fmt"
	"regexp"
	"strings"

	"pgregory.net/rapid"

	"mcp-toolsearch/sidecar/wire"
)

// The oracle of the doors: what a listing, an operator's lists and an overlay make of a tool, worked out from the rules
// of the documents, apart from the product's own code.

// names are those that tools get, near one another on purpose, and ours.
var propertyNames = []string{"files_get", "files_Get", "files_get ", "files_get\x00", "files_gеt", "files/get", "mail_send", "mail_purge", "é", "e\u0301", "call_read_tool", "search_tools", "call_write_tool"}

// globsOfOperators are patterns; one is broken.
var globsOfOperators = []string{"files_*", "mail_*", "*_get", "files?get", "[a-f]*", "[^m]*", "*", "call_*", "files_get", `files\_get`, "[", "é"}

// listed is a tool as its server lists it.
type listed struct{ name, annotations, server string }

func (l listed) definition() string {
	text := tool(l.name, "", "", l.annotations)
	if l.server == "" {
		return text
	}
	raw, err := wire.SetField([]byte(text), "_meta", []byte(`{"mcp-toolsearch/source":"`+l.server+`"}`))
	if err != nil { // annotations with a name twice: the tool can't be taken apart
		return strings.TrimSuffix(text, "}") + `,"_meta":{"mcp-toolsearch/source":"` + l.server + `"}}`
	}
	return string(raw)
}

// hintOf is a value that the oracle knows the meaning of.
type hintOf struct {
	raw            string // "" left out
	yes, no, blank bool   // none of them: it is of another type
}

func propertyHints() []hintOf {
	return []hintOf{{"true", true, false, false}, {"true", true, false, false}, {"true", true, false, false}, {"true", true, false, false}, {"true", true, false, false}, {"false", false, true, false}, {"", false, false, true}, {"null", false, false, true},
		{`"true"`, false, false, false}, {`"false"`, false, false, false}, {"1", false, false, false}, {"0", false, false, false}, {"[true]", false, false, false}, {"{}", false, false, false}, {`""`, false, false, false}}
}

// meaning of an annotations object: what it says of reading and destroying, and whether the definition can be read at all.
type meaning struct {
	raw         string
	read, wipe  hintOf
	unreadable  bool // the whole definition has a name twice: no such tool
	otherObject bool // annotations are no object
}

func drawMeaning(t *rapid.T) meaning {
	m := meaning{read: rapid.SampledFrom(propertyHints()).Draw(t, "readOnlyHint"), wipe: rapid.SampledFrom(propertyHints()).Draw(t, "destructiveHint")}
	if rapid.Bool().Draw(t, "harmless") {
		m.wipe = hintOf{blank: true}
	}
	var members []string
	if m.read.raw != "" {
		members = append(members, `"readOnlyHint":`+m.read.raw)
	}
	if m.wipe.raw != "" {
		members = append(members, `"destructiveHint":`+m.wipe.raw)
	}
	switch rapid.IntRange(0, 11).Draw(t, "form of the annotations") {
	case 0:
		m.raw, m.read, m.wipe = "", hintOf{blank: true}, hintOf{blank: true} // none
		return m
	case 1:
		m.raw, m.otherObject = rapid.SampledFrom([]string{`"readOnlyHint"`, "[]", `[{"readOnlyHint":true}]`, "true", "1"}).Draw(t, "other annotations"), true
		return m
	case 2:
		m.unreadable = m.read.raw != ""
		members = append(members, `"readOnlyHint":true`)
		if !m.unreadable {
			m.read = hintOf{yes: true}
		}
	case 3:
		members = append(members, `"ReadOnlyHint":true`, `"read_only_hint":true`, `"readOnlyHint ":true`, `"readOnly":true`) // none of them counts
	}
	m.raw = "{" + strings.Join(members, ",") + "}"
	return m
}

// world is what the servers have, or what was listed of it.
type world []has

// has is one tool: as it is listed, and what that means.
type has struct {
	listed
	meaning
}

// asked draws its name.
func (h has) asked() *rapid.Generator[string] { return rapid.Just(h.name) }

func (w world) raws() []string {
	var all []string
	for _, l := range w {
		all = append(all, l.definition())
	}
	return all
}

// operator is what the operator says.
type operator struct{ reads, writes, hidden []string }

// mayRead says whether a name may run through a read door, when w is what was listed last. A name that is there twice may
// only when all of that name may, and all can be read.
func (o operator) mayRead(w world, name string) bool {
	there := false
	for _, l := range w {
		if l.name != name {
			continue
		}
		if there = true; l.unreadable || l.otherObject || !l.wipe.no && !l.wipe.blank {
			return false
		}
		if !l.read.yes && (!l.read.blank || !fits(o.reads, name)) {
			return false
		}
	}
	return there && !fits(o.writes, name) && !broken(o.writes) && !fits(o.hidden, name)
}

func (w world) has(name string) bool {
	for _, l := range w {
		if l.name == name && !l.unreadable {
			return true
		}
	}
	return false
}

// judgedAs is what a call through a read door must carry to a merge, or "".
func (w world) judgedAs(name string) string {
	for _, l := range w {
		switch {
		case l.name != name || l.unreadable:
		case l.server == "":
			return ""
		case l.read.blank:
			return "lifted " + l.server
		default:
			return "read " + l.server
		}
	}
	return ""
}

func broken(globs []string) bool {
	for _, g := range globs {
		if g == "[" {
			return true
		}
	}
	return false
}

// fits matches by a regular expression, so that no code is shared with the product.
func fits(globs []string, name string) bool {
	for _, g := range globs {
		if g == "[" {
			continue
		}
		pattern := regexp.QuoteMeta(g)
		pattern = strings.NewReplacer(`\*`, `.*`, `\?`, `.`, `\[\^`, `[^`, `\[`, `[`, `\]`, `]`, `\\_`, `_`).Replace(pattern)
		if ok, err := regexp.MatchString(`(?s)^(?:`+pattern+`)$`, name); err != nil || ok {
			return err == nil
		}
	}
	return false
}

// wordings are the ways in which a call of one name is sent through a read door.
func wordings(name string) map[string]string {
	quoted := string(wire.Quote(name))
	escaped := fmt.Sprintf(`"\u%04x%s`, name[0], quoted[2:])
	if name[0] >= 0x80 || name[0] < ' ' {
		escaped = quoted
	}
	object := `{"name":` + quoted + `,"arguments":{}}`
	return map[string]string{
		"plain":                  call("call_read_tool", object),
		"escaped":                call("call_read_tool", `{"name":`+escaped+`,"arguments":{}}`),
		"arguments as text":      call("call_read_tool", `{"arguments":"{}","name":`+quoted+`}`),
		"arguments_json":         call("call_read_tool", `{"name":`+quoted+`,"arguments_json":"{}"}`),
		"the whole call as text": call("call_read_tool", string(wire.Quote(object))),
		"other keys":             call("call_read_tool", `{"Name":"mail_purge","tool":"mail_purge","name":`+quoted+`,"arguments":{"name":"mail_purge"}}`),
		"a batch":                call("call_read_tools", `{"calls":[`+object+`,`+object+`]}`),
		"a batch as text":        call("call_read_tools", `{"calls":`+string(wire.Quote(`[`+object+`]`))+`}`),
		"items as text":          call("call_read_tools", `{"calls":[`+string(wire.Quote(object))+`]}`),
		"an item by itself":      call("call_read_tools", `{"calls":`+object+`}`),
	}
}
