package differential

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string can always be written
	return string(b)
}

// every builds an input of each form for each text, which takes the place of one value.
func every(class string, at part, key string, values ...string) []Input {
	var all []Input
	for _, f := range forms() {
		for _, v := range values {
			all = append(all, Input{class, f.build(func(here part, ms []member) []member {
				for i := range ms {
					if here == at && ms[i].key == `"`+key+`"` {
						ms[i].value = v
					}
				}
				return ms
			})})
		}
	}
	return all
}

// aroundInputs have something before or behind the message.
func aroundInputs() []Input {
	const class = "data before and behind the message"
	evil := form{"", "call_write_tool", "wipe"}.build(nil)
	var all []Input
	for _, f := range forms() {
		m := f.build(nil)
		for _, s := range []string{evil, "\n" + evil, "\r\n" + evil, "," + evil, "\x00", "\x00" + evil, "}", "]", "null", "//x", "/**/", "#", ";", "\x1a", "\x1e", "\u2028", "\u00a0", "\f", "\v", "0", `""`} {
			all = append(all, Input{class, m + s}, Input{class, s + m})
		}
		for _, s := range []string{" ", "\t\r\n \n"} {
			all = append(all, Input{class, m + s}, Input{class, s + m})
		}
		for cut := range 6 {
			all = append(all, Input{class, m[:len(m)-1-cut]}, Input{class, m[cut+1:]})
		}
	}
	return append(all, Input{class, ""}, Input{class, " "}, Input{class, "\x00"})
}

const (
	classCharset   = "byte order marks, UTF-16, UTF-32, UTF-7"
	classMalformed = "invalid UTF-8 and lone surrogates"
)

// encodingInputs are in other encodings, or in none.
func encodingInputs() []Input {
	var all []Input
	for _, f := range forms() {
		m := f.build(nil)
		all = append(all, Input{classCharset, "\xef\xbb\xbf" + m}, Input{classCharset, m + "\xef\xbb\xbf"}, Input{classCharset, seventh(m)})
		for _, mark := range []string{"", "\ufeff"} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				all = append(all, Input{classCharset, sixteen(mark+m, order)}, Input{classCharset, thirtytwo(mark+m, order)})
			}
		}
	}
	all = append(all, every(classMalformed, inner, "a", surrogates()...)...)
	all = append(all, every(classMalformed, outer, "name", surrogates()...)...)
	all = append(all, every(classMalformed, params, "name", surrogates()...)...)
	all = append(all, every(classMalformed, whole, "id", surrogates()...)...)
	return append(all, every(classMalformed, whole, "method", surrogates()...)...)
}

func surrogates() []string {
	return []string{
		`"\ud800"`, `"\udc00"`, `"echo\ud800"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\ude00"`, `"😀"`, `"\uD83D\uDE00"`,
		"\"\xff\"", "\"\xc0\xaf\"", "\"\xc1\xa1\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"echo\x80\"", "\"\xf8\x88\x80\x80\x80\"", `"\ufffd"`, `"\ufffe"`, `"\uffff"`,
		"\"\x01\"", "\"\x7f\"", `"\x61"`, `"\u00e9"`, `"é"`, `"\ud83"`, `"\uD8 00"`,
	}
}

func sixteen(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func thirtytwo(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, r := range s {
		out = order.AppendUint32(out, uint32(r))
	}
	return string(out)
}

// seventh is UTF-7: the braces and quotes are written as letters.
func seventh(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`{}"`, r) {
			b.WriteString("+" + base64.RawStdEncoding.EncodeToString([]byte{0, byte(r)}) + "-")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// numberInputs are numbers that readers hold differently, as values and as ids.
func numberInputs() []Input {
	numbers := []string{
		"0", "-0", "0.0", "-0.0", "1.0", "1e0", "1E+0", "10e-1", "1.5", "-1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
		"9223372036854775807", "9223372036854775808", "18446744073709551616", "123456789012345678901234567890", "1e308", "1e309", "-1e400", "1e-400", "1e99999",
		"0.1", "0.30000000000000004", "1.7976931348623157e308", "5e-324", "01", "+1", ".5", "1.", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "1e", "--1", "١", "true", "null",
		strings.Repeat("9", 400), strings.Repeat("9", 5000), "0." + strings.Repeat("3", 2000),
	}
	all := every("huge and odd numbers", inner, "a", numbers...)
	ids := append(numbers, `"1"`, `"\u0031"`, `""`, `"01"`, `[1]`, `{}`, `"null"`, `"`+strings.Repeat("i", 3000)+`"`)
	return append(all, every("ids: 1.0, -0, 1e0, null, beyond 2^53", whole, "id", ids...)...)
}

// depthInputs nest deep, inside the arguments and around the message.
func depthInputs() []Input {
	const class = "deep nesting"
	var values []string
	for _, depth := range []int{50, 150, 190, 198, 199, 200, 201, 500, 999, 1001, 5000, 9990, 10001, 100000} {
		values = append(values, strings.Repeat("[", depth)+strings.Repeat("]", depth), strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
	}
	all := every(class, inner, "a", values...)
	for _, f := range forms() {
		m := f.build(nil)
		for _, depth := range []int{1, 2, 199, 1000} {
			all = append(all, Input{class, strings.Repeat("[", depth) + m + strings.Repeat("]", depth)}, Input{class, strings.Repeat(`{"params":`, depth) + m + strings.Repeat("}", depth)})
		}
	}
	return all
}

// typeInputs have values of another type where the protocol has one.
func typeInputs() []Input {
	const class = "values of another type"
	values := []string{"null", "true", "0", `""`, `"{}"`, "[]", "{}", `["echo"]`, `{"name":"wipe"}`, `[{"name":"wipe"}]`, `"tools/call"`, `"TOOLS/CALL"`, `"tools\/call"`, `"tools/call "`, `"tools/call\u0000"`, `"tools//call"`, `"2.0"`, `2.0`, `"2.00"`}
	var all []Input
	for _, k := range keysThatSteer() {
		all = append(all, every(class, k.at, k.key, values...)...)
	}
	return all
}

// batchInputs are arrays of messages.
func batchInputs() []Input {
	const class, ping, told = "batch arrays", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	all := []Input{{class, "[]"}, {class, "[[]]"}, {class, "[" + ping + "]"}, {class, "[" + ping + "," + told + "]"}, {class, "[" + ping + "," + ping + "]"}, {class, "[" + ping + ",]"}, {class, "[null]"}, {class, "[1]"},
		{class, `[{"jsonrpc":"2.0","id":1,"result":{}}]`}, {class, `{"0":` + ping + `,"length":1}`}}
	for _, f := range forms() {
		m := f.build(nil)
		for _, s := range []string{"[%s]", "[%s,%[1]s]", "[" + ping + ",%s]", "[%s," + ping + "]", "[[%s]]", "[%s", "%s]", "[" + told + ",%s]", "[{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":%s}]"} {
			all = append(all, Input{class, fmt.Sprintf(s, m)})
		}
		all = append(all, Input{class, "[" + strings.Replace(m, `"method":`, `"Method":`, 1) + "]"}, Input{class, "[" + ping + "," + strings.Replace(m, `"tools/call"`, `"Tools/Call"`, 1) + "]"})
	}
	return all
}

// textInputs have JSON text where an object belongs, which is decoded once.
func textInputs() []Input {
	const class = "JSON text in place of an object (decoded once)"
	texts := []string{
		`{"a":1}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":"\ud800"}`, `{"\udc00":1}`, "{\"a\":\"\xff\"}", `{"a":1} {"b":2}`, `{"a":1}x`, "\ufeff" + `{"a":1}`, `{"a":01}`, `{"a":1e999}`, `{"__proto__":{"a":2}}`,
		`{'a':1}`, `{"a":1,}`, `[{"a":1}]`, `"{\"a\":1}"`, `{"a":{"b":1,"b":2}}`, `{"a":{"b":"\ud800"}}`, strings.Repeat("[", 300) + strings.Repeat("]", 300), `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
		`{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "", " ", "null", "{}", `{"name":"wipe","arguments":{}}`,
		`{"name":"echo","arguments":{"a":1}}`, `{"name":"echo","name":"wipe"}`, `{"name":"echo","n\u0061me":"wipe"}`, `{"name":"echo\ud800"}`, "{\"name\":\"echo\xff\"}", `{"Name":"wipe","name":"echo","arguments":{"a":1}}`,
		`{"name":"echo","arguments":"{\"a\":1,\"a\":2}"}`, `{"name":"echo","arguments":{"a":"\ud800"}}`, `{"name":"echo","arguments":"{\"a\":\"\\ud800\"}"}`, `{"name":"\ud83d\ude00","arguments":{}}`, `{"name":"echo\u0000","arguments":{}}`,
	}
	var tokens []string
	for _, s := range texts {
		tokens = append(tokens, quoted(s), `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\xff", `\ud800`).Replace(s)+`"`)
	}
	all := every(class, outer, "arguments", tokens...)
	all = append(all, every(class, params, "arguments", tokens...)...)
	for _, f := range forms() {
		for _, token := range tokens {
			all = append(all, Input{class, f.build(func(at part, ms []member) []member {
				if at == outer {
					ms[1] = member{`"arguments_json"`, token}
				}
				return ms
			})})
		}
	}
	return all
}

// nameInputs name tools in all ways to spell their names, and names near them.
func nameInputs() []Input {
	const class = "names of tools in other spellings"
	var tokens []string
	for _, name := range append(Reads(), Writes()...) {
		tokens = append(tokens, quoted(name))
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(name)) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
		tokens = append(tokens, `"`+b.String()+`"`)
	}
	for _, name := range []string{"Echo", "ecHo", "echo\t", " echo", "echo\u200b", "echo\u00a0", "ｅcho", "еcho", "ech0", "echos", "a\\/b", "a//b", "e\u0301", "\ufeffecho", "echo\x00wipe", "wipe\x00", "WIPE", "search_tools ", "call_read_tool", "call_read_tools", "describe_tools", "__proto__", "constructor", "echo\r\nMcp-Name: wipe", "=?base64?ZWNobw==?="} {
		tokens = append(tokens, quoted(name))
	}
	all := every(class, outer, "name", tokens...)
	all = append(all, every(class, params, "name", tokens...)...)
	for _, token := range tokens {
		all = append(all, Input{class, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tools","arguments":{"calls":[{"name":%s,"arguments":{"a":1}}]}}}`, token)})
	}
	return all
}

// largeInputs are around the limit and far above it.
func largeInputs() []Input {
	const class = "bodies of 1 to 10 MiB"
	var values []string
	for _, size := range []int{1 << 20, 4<<20 - 200, 4 << 20, 10 << 20} {
		values = append(values, `"`+strings.Repeat("x", size)+`"`)
	}
	values = append(values, "["+strings.Repeat("1,", 20_000)+"1]", `"`+strings.Repeat(`\u0061`, 200_000)+`"`)
	all := every(class, inner, "a", values...)
	return append(all, Input{class, strings.Repeat(" ", 10<<20) + forms()[0].build(nil)}, Input{class, forms()[1].build(nil) + strings.Repeat("\n", 10<<20)})
}
