package wire_test

import (
	"math/rand/v2"
	"strings"
)

// generated are n messages put together from parts that readers have disagreed
// on: keys spelled otherwise, members twice or in excess, odd ids, odd white
// space. The same seed gives the same messages.
func generated(seed uint64, n int) []string {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	out := make([]string, n)
	for i := range out {
		out[i] = g.message()
	}
	return out
}

type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// rarely is usual, but for one time in n.
func (g generator) rarely(n int, usual string, odd ...string) string {
	if g.IntN(n) > 0 {
		return usual
	}
	return g.pick(odd...)
}

func (g generator) message() string {
	id := g.rarely(3, "1", `"1"`, `9007199254740991`, `9007199254740993`, `1.0`, `-0`, `1e0`, `null`, `true`, `"\u0031"`, `[1]`, `-1`, `""`)
	method := g.rarely(3, `"tools/call"`, `"tools\/call"`, `"\u0074ools/call"`, `"prompts/get"`, `"resources/read"`, `"ping"`, `"tools/call "`, `"Tools/call"`, `null`, `["tools/call"]`)
	members := []string{
		g.key("jsonrpc") + ":" + g.rarely(20, `"2.0"`, `"2\u002e0"`, `"2"`, `2.0`),
		g.key("id") + ":" + id,
		g.key("method") + ":" + method,
		g.key("params") + ":" + g.rarely(20, g.params(), "null", "[]", `"x"`, "{}"),
	}
	if g.IntN(4) == 0 {
		members = append(members, g.pick(`"result":{}`, `"error":{"code":1,"message":"m"}`, `"result":null`, `"error":null`, `"x":1`,
			`"id":2`, `"method":"ping"`, `"params":{"name":"other"}`, `"ID":2`, `"_id":2`, `"Params":{"name":"other"}`, `"":0`))
	}
	if g.IntN(6) == 0 {
		drop := g.IntN(len(members))
		members = append(members[:drop], members[drop+1:]...)
	}
	return g.rarely(30, "", "\ufeff", " \n", "\x00", "[") + g.object(members) + g.rarely(30, "", "\n", "{}", "\x00", "]", ",")
}

func (g generator) params() string {
	members := []string{
		g.key("name") + ":" + g.name(),
		g.key("arguments") + ":" + g.rarely(4, `{"a":1}`, `{"a":1,"\u0061":2}`, `{}`, `null`, `[]`, `"{}"`, `{"A":1,"a":2}`, `{"x":"\ud800"}`, `{"😀":1}`, `{"\ud83d\ude00":1,"y":1e9}`),
	}
	if g.IntN(3) == 0 {
		members = append(members, g.pick(`"uri":"u:x"`, `"URI":"u:y"`, `"_meta":{"progressToken":1}`, `"_meta":null`, `"_meta":{"a":1,"a":2}`,
			`"meta":{}`, `"cursor":null`, `"taskId":"t"`, `"task_id":"t"`, `"vendor":{"name":"deep"}`, `"inputResponses":{}`, `"requestState":"s"`))
	}
	if g.IntN(6) == 0 {
		members = append(members, g.key("name")+":"+g.name())
	}
	return g.object(members)
}

func (g generator) name() string {
	return g.rarely(2, `"echo"`, `"\u0065cho"`, `"Echo"`, `"echo\u0000"`, `"\u00e9"`, `"é"`, `"\ud83d\ude00"`, `""`, `null`, `5`, `"\ud800"`, `"a\/b"`, "\"\u2028\"", `["echo"]`)
}

// key is a key, seldom spelled otherwise.
func (g generator) key(name string) string {
	at := g.IntN(len(name))
	escaped := name[:at] + `\u00` + hex(name[at]) + name[at+1:]
	return `"` + g.rarely(8, name, escaped, strings.ToUpper(name), name+`\u0000`, `\u0000`+name, name+" ", strings.Replace(name, "s", `\u017f`, 1),
		name[:at]+"_"+name[at:], name[:at]+`\u200b`+name[at:], strings.ToUpper(name[:1])+name[1:]) + `"`
}

func hex(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

func (g generator) object(members []string) string {
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + g.rarely(9, "", " ", "\t\r\n") + strings.Join(members, g.rarely(9, ",", " , ", ",\n", ",,")) + "}"
}
