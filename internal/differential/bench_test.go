package differential

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// bench is an engine and the readers that stand behind it.
type bench struct {
	door    *testdoor.Door
	direct  *testdoor.Door // relays calls of tools by their own names
	readers map[string]Reader
	others  []*Child
	known   map[[32]byte]map[string][]Reading // digest of a body → what was read
	counts  map[string]int                    // reader → messages read alike
}

func toolText(name string, read bool) string {
	return fmt.Sprintf(`{"name":%s,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":%t}}`, quoted(name), read)
}

func catalogTexts() []string {
	var all []string
	for _, name := range reads {
		all = append(all, toolText(name, true))
	}
	for _, name := range writes {
		all = append(all, toolText(name, false))
	}
	return all
}

func newBench(t testing.TB) *bench {
	up := upstreamtest.New(t, catalogTexts()...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	return &bench{
		door: testdoor.Open(t, up, nil), direct: testdoor.Open(t, up, func(s *testdoor.Setup) { s.Engine.RelayDirect = true }),
		readers: map[string]Reader{"go-sdk": GoSDK, "encoding/json": Lax}, known: map[[32]byte]map[string][]Reading{}, counts: map[string]int{},
	}
}

// withChildren starts the readers in other languages, or skips the test.
func (b *bench) withChildren(t testing.TB) {
	for _, c := range []struct {
		env     []string
		program string
		args    []string
	}{
		{[]string{"PYTHONPATH=" + fixtures.PythonPath(t), "PYTHONDONTWRITEBYTECODE=1"}, fixtures.Python(t), []string{"testdata/readers.py"}},
		{nil, fixtures.Node(t), []string{"testdata/readers.mjs", fixtures.NodeModules(t)}},
	} {
		child, err := Start(t.Context(), c.env, c.program, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := child.Close(); err != nil && t.Context().Err() == nil {
				t.Error(err)
			}
		})
		b.others = append(b.others, child)
	}
}

// attempt is one way to send an input.
type attempt struct {
	body   string
	header http.Header
	direct bool
}

// attempts are the ways: in both eras, and with calls of tools by their own names relayed.
func attempts(in Input) []attempt {
	legacy := http.Header{"Mcp-Protocol-Version": {"2025-11-25"}, "Content-Type": {"application/json"}}
	all := []attempt{{in.Body, legacy, false}, {in.Body, legacy, true}, {in.Body, http.Header{"Content-Type": {"application/json"}}, false}}
	modern := strings.Replace(in.Body, `"params":{`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+wire.ModernVersion+`","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
	if modern == in.Body {
		return all
	}
	for _, name := range []string{"call_read_tool", "call_write_tool", "echo"} {
		h := http.Header{"Mcp-Protocol-Version": {wire.ModernVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {name}, "Content-Type": {"application/json"}}
		all = append(all, attempt{modern, h, name == "echo"})
	}
	return all
}

// try sends one attempt and counts it; what it says is what is wrong.
func (b *bench) try(t testing.TB, a attempt, count *Tally) (wrong []string) {
	door := b.door
	if a.direct {
		door = b.direct
	}
	count.Tried++
	a.header.Set("Authorization", "Bearer one")
	req := sidecar.Request{Method: http.MethodPost, Path: testdoor.SearchPath, Authority: testdoor.Host, Scheme: "http", Header: a.header, Body: []byte(a.body)}
	door.Upstream.Reset()
	d := door.Decide(t.Context(), req)
	var sent [][]byte
	for _, r := range door.Upstream.RequestsOf("tools/call") { // those of a batch
		sent = append(sent, r.Body)
	}
	switch {
	case d.Kind != sidecar.Answer:
		count.SentOn++
		body := d.NewBody
		if body == nil {
			body = req.Body
		}
		sent = append(sent, body)
	case refused(d.Body):
		count.Refused++
	default:
		count.Answered++
	}
	for _, body := range sent {
		wrong = append(wrong, b.alike(t, body)...)
		wrong = append(wrong, allowed(a, d, body)...)
	}
	if len(wrong) > 0 {
		count.Disagreements++
	}
	return wrong
}

func refused(answer []byte) bool {
	var a struct {
		Error  json.RawMessage
		Result struct{ IsError bool }
	}
	return json.Unmarshal(answer, &a) != nil || a.Error != nil || a.Result.IsError
}

// alike says which readers read a body otherwise than we do. Who refuses it reads nothing.
func (b *bench) alike(t testing.TB, body []byte) (wrong []string) {
	ours, err := Strict(body)
	if err != nil {
		return []string{fmt.Sprintf("we send on what we would refuse: %v: %.300q", err, body)}
	}
	for name, theirs := range b.read(t, body) {
		if theirs == nil {
			continue
		}
		b.counts[name]++
		if !slices.Equal(theirs, ours) {
			wrong = append(wrong, fmt.Sprintf("%s reads %+v, we %+v: %.300q", name, theirs, ours, body))
		}
	}
	return wrong
}

func (b *bench) read(t testing.TB, body []byte) map[string][]Reading {
	digest := sha256.Sum256(body)
	if r, ok := b.known[digest]; ok {
		return r
	}
	all := map[string][]Reading{}
	for name, read := range b.readers {
		if got, err := read(body); err == nil {
			all[name] = got
		}
	}
	for _, c := range b.others {
		got, err := c.Read(body)
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range got {
			all[name] = r
		}
	}
	b.known[digest] = all
	return all
}

// allowed says what of a body may not be sent, judged by what encoding/json reads in the request.
func allowed(a attempt, d sidecar.Decision, body []byte) (wrong []string) {
	asked, err := Lax([]byte(a.body))
	if err != nil || len(asked) != 1 {
		asked = []Reading{{}} // a batch, of which no element may be a call
	}
	runs, err := Lax(body)
	if err != nil {
		return nil // nobody runs it
	}
	for _, r := range runs {
		if r.Method != "tools/call" {
			continue
		}
		read, write := slices.Contains(reads, r.Name), slices.Contains(writes, r.Name)
		ok := false
		switch asked[0].Name {
		case "call_read_tool", "call_read_tools":
			ok = read
		case "call_write_tool":
			ok = read || write
		default:
			ok = a.direct && d.Kind == sidecar.Pass && r == asked[0] && (read || write)
		}
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%q runs, although %q was asked for: %.300q became %.300q", r.Name, asked[0].Name, a.body, body))
		}
	}
	return append(wrong, askedFor(a, d, runs)...)
}

// askedFor holds a call that is re-issued against the name and arguments that encoding/json finds in the request, where
// they were sent as JSON.
func askedFor(a attempt, d sidecar.Decision, runs []Reading) (wrong []string) {
	if d.Kind != sidecar.Forward {
		return nil
	}
	var m struct {
		Params struct {
			Arguments map[string]json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(a.body), &m) != nil || m.Params.Arguments == nil {
		return nil
	}
	var name string
	if json.Unmarshal(m.Params.Arguments["name"], &name) != nil || len(runs) != 1 || runs[0].Name != name {
		wrong = append(wrong, fmt.Sprintf("asked for %q, sent %+v: %.300q", name, runs, a.body))
	}
	header, _ := wire.DecodeValue(d.SetHeader.Get("Mcp-Name"))
	if header != name {
		wrong = append(wrong, fmt.Sprintf("asked for %q, Mcp-Name is %q: %.300q", name, header, a.body))
	}
	arguments := m.Params.Arguments["arguments"]
	if !wire.IsObject(arguments) {
		return wrong
	}
	if want, err := Canonical(arguments); err != nil || len(runs) != 1 || runs[0].Arguments != want {
		wrong = append(wrong, fmt.Sprintf("asked with %.200s, sent %+v", arguments, runs))
	}
	return wrong
}
