package differential

import (
	"fmt"
	"strings"
)

// Input is one body to try.
type Input struct {
	Class string // the row it counts in
	Body  string
}

// Tools of the catalog that the inputs aim at. Those that only read are named in Reads; the others, some of whose names
// a careless reader could take for one of those, may write.
var (
	reads  = []string{"echo", "é", "😀", "a/b", "search_tools"}
	writes = []string{"wipe", "Echo", "ECHO", "echo ", "echo\x00", "e\u0301", "call_write_tool", "ｅｃｈｏ"}
)

// Reads are the names of the tools that only read.
func Reads() []string { return append([]string(nil), reads...) }

// Writes are the names of the tools that may write.
func Writes() []string { return append([]string(nil), writes...) }

// Inputs are all inputs: the same every time.
func Inputs() []Input {
	var all []Input
	all = append(all, keyInputs()...)
	all = append(all, aroundInputs()...)
	all = append(all, encodingInputs()...)
	all = append(all, numberInputs()...)
	all = append(all, depthInputs()...)
	all = append(all, typeInputs()...)
	all = append(all, batchInputs()...)
	all = append(all, textInputs()...)
	all = append(all, nameInputs()...)
	all = append(all, largeInputs()...)
	all = append(all, mixtures(2026, 4000)...)
	return distinct(all)
}

func distinct(all []Input) []Input {
	seen := map[string]bool{}
	var out []Input
	for _, in := range all {
		if !seen[in.Body] {
			seen[in.Body] = true
			out = append(out, in)
		}
	}
	return out
}

// member is one of an object: raw tokens, so that both can be spelled in any way.
type member struct{ key, value string }

// part is an object of a message by the keys on the way to it; each form of a call has its own parts.
type part int

const (
	whole part = iota // the message
	params
	outer // the arguments of a call tool: name and arguments
	inner // the arguments of the tool itself
)

// change changes the members of one part.
type change func(at part, ms []member) []member

// form is a call of a tool in one of the ways there are.
type form struct {
	name string
	via  string // the call tool, or "" when the tool is called by its own name
	tool string
}

func forms() []form {
	return []form{{"read", "call_read_tool", "echo"}, {"write", "call_write_tool", "wipe"}, {"direct", "", "echo"}}
}

func (f form) build(c change) string {
	if c == nil {
		c = func(_ part, ms []member) []member { return ms }
	}
	arguments := text(c(inner, []member{{`"a"`, `1`}}))
	name := quoted(f.tool)
	if f.via != "" {
		arguments = text(c(outer, []member{{`"name"`, name}, {`"arguments"`, arguments}}))
		name = quoted(f.via)
	}
	ps := text(c(params, []member{{`"name"`, name}, {`"arguments"`, arguments}}))
	return text(c(whole, []member{{`"jsonrpc"`, `"2.0"`}, {`"id"`, `1`}, {`"method"`, `"tools/call"`}, {`"params"`, ps}}))
}

func text(ms []member) string {
	var b strings.Builder
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.key + ":" + m.value)
	}
	return "{" + b.String() + "}"
}

// keyed is a key of a part and what somebody would have a second one say.
type keyed struct {
	at        part
	key, evil string
}

func keysThatSteer() []keyed {
	return []keyed{
		{whole, "jsonrpc", `"1.0"`}, {whole, "id", `2`}, {whole, "id", `null`}, {whole, "method", `"ping"`}, {whole, "method", `"tools/call"`},
		{whole, "params", `{"name":"call_write_tool","arguments":{"name":"wipe","arguments":{}}}`}, {whole, "params", `{"name":"wipe","arguments":{}}`},
		{whole, "result", `{}`}, {whole, "error", `{"code":1,"message":"m"}`},
		{params, "name", `"call_write_tool"`}, {params, "name", `"wipe"`}, {params, "arguments", `{"name":"wipe","arguments":{"b":2}}`}, {params, "_meta", `{"progressToken":7}`},
		{outer, "name", `"wipe"`}, {outer, "arguments", `{"b":2}`}, {outer, "arguments_json", `"{\"b\":2}"`},
		{inner, "a", `2`},
	}
}

// spelling is a way to write a key that some reader may take for it.
type spelling struct {
	class string
	of    func(key string) string
}

const (
	classTwice     = "a key twice"
	classEscaped   = "a key twice, spelled with escapes"
	classFolded    = "keys in another case or with folded letters (ſ K İ ı, full width)"
	classInvisible = "NUL, invisible characters and white space in keys"
	classPrototype = "keys that JavaScript gives a meaning (`__proto__`)"
)

func spellings() []spelling {
	escape := func(at int, format string) func(string) string {
		return func(key string) string {
			at := at % len(key)
			return key[:at] + fmt.Sprintf(format, key[at]) + key[at+1:]
		}
	}
	each := func(change func(r rune) rune) func(string) string {
		return func(key string) string { return strings.Map(change, key) }
	}
	swap := func(old, with string) func(string) string {
		return func(key string) string { return strings.Replace(key, old, with, 1) }
	}
	around := func(before, after string) func(string) string {
		return func(key string) string { return before + key + after }
	}
	within := func(s string) func(string) string {
		return func(key string) string { return key[:len(key)/2] + s + key[len(key)/2:] }
	}
	wide := func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r + 0xfee0
		}
		return r
	}
	return []spelling{
		{classTwice, func(key string) string { return key }},
		{classEscaped, escape(0, `\u%04x`)}, {classEscaped, escape(1, `\u%04X`)}, {classEscaped, func(key string) string {
			var b strings.Builder
			for i := range len(key) {
				fmt.Fprintf(&b, `\u%04x`, key[i])
			}
			return b.String()
		}},
		{classFolded, strings.ToUpper}, {classFolded, func(key string) string { return strings.ToUpper(key[:1]) + key[1:] }}, {classFolded, escape(0, "\\u00%02X")},
		{classFolded, swap("s", "ſ")}, {classFolded, swap("s", `\u017f`)}, {classFolded, swap("k", "\u212a")}, {classFolded, swap("i", "İ")}, {classFolded, swap("i", "ı")},
		{classFolded, each(wide)}, {classFolded, swap("e", "e\u0301")}, {classFolded, swap("a", "а")}, // the last one is Cyrillic
		{classInvisible, around("", `\u0000`)}, {classInvisible, around(`\u0000`, "")}, {classInvisible, around("", `\u0000x`)}, {classInvisible, within(`\u0000`)},
		{classInvisible, within("\u200b")}, {classInvisible, around("\ufeff", "")}, {classInvisible, within("\u00ad")}, {classInvisible, around(" ", "")}, {classInvisible, around("", " ")},
		{classInvisible, around("", `\t`)}, {classInvisible, around("", "\u00a0")}, {classInvisible, within("_")}, {classInvisible, within("-")},
		{classPrototype, func(string) string { return "__proto__" }},
	}
}

// keyInputs are all keys in all spellings: before, behind and instead of the right one.
func keyInputs() []Input {
	var all []Input
	for _, f := range forms() {
		for _, k := range keysThatSteer() {
			for _, s := range spellings() {
				all = append(all, f.spelled(k, s)...)
			}
		}
	}
	return all
}

func (f form) spelled(k keyed, s spelling) []Input {
	key := `"` + s.of(k.key) + `"`
	value := k.evil
	if s.class == classPrototype {
		value = text([]member{{`"` + k.key + `"`, k.evil}})
	}
	before := func(at part, ms []member) []member {
		if at != k.at {
			return ms
		}
		return append([]member{{key, value}}, ms...)
	}
	behind := func(at part, ms []member) []member {
		if at != k.at {
			return ms
		}
		return append(ms, member{key, value})
	}
	instead := func(at part, ms []member) []member {
		for i := range ms {
			if at == k.at && ms[i].key == `"`+k.key+`"` {
				ms[i] = member{key, value}
			}
		}
		return ms
	}
	return []Input{{s.class, f.build(before)}, {s.class, f.build(behind)}, {s.class, f.build(instead)}}
}
