package sidecar_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

const (
	initialize = `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	discover   = `{"jsonrpc":"2.0","id":5,"method":"server/discover"}`
)

// edited asks for an edit of one answer to a merged or forwarded request.
func edited(t *testing.T, d *testdoor.Door, era wire.Era, request, answer string) (string, bool) {
	t.Helper()
	decision := decide(t, d, era, request)
	if !d.Engine.EditsBody(&decision, http.StatusOK, http.Header{}) {
		t.Fatalf("%s: no edit is foreseen", decision.Kind)
	}
	out, ok := d.Engine.EditAnswer(t.Context(), &decision, []byte(answer))
	return string(out), ok
}

func instructionsOf(t *testing.T, message string) string {
	t.Helper()
	a, err := wire.ScanAnswer([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	fields, err := wire.Fields(a.Result.In(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		if f.Key == "instructions" {
			text, _ := wire.String(f.Value)
			return text
		}
	}
	return ""
}

func TestOurGuidanceComesFirstThenTheSourcesThenTheUpstreams(t *testing.T) {
	d := open(t, patient, office()...)
	out, ok := edited(t, d, wire.Legacy, initialize, `{"jsonrpc":"2.0","id":5,"result":{"instructions":"  Be kind. ","capabilities":{"tools":{}}}}`)
	if want := sidecar.Guidance + "\n\n4 tools, by source:\nmail (2 tools)\n\nBe kind."; !ok || instructionsOf(t, out) != want {
		t.Errorf("instructions %q, want %q", instructionsOf(t, out), want)
	}
}

func TestTheRestOfAMergedAnswerKeepsItsBytes(t *testing.T) {
	d := open(t, patient, office()...)
	guidance := string(wire.Quote(sidecar.Guidance + "\n\n4 tools, by source:\nmail (2 tools)"))
	tests := map[string]struct{ request, answer, want string }{
		"initialize without instructions": {initialize,
			`{ "result" : {"protocolVersion":"2025-11-25", "x":1.0, "capabilities":{ "prompts":{"listChanged":true}, "y":9007199254740993 }}, "id":5,"jsonrpc":"2.0" }`,
			`{ "result" : {"protocolVersion":"2025-11-25", "x":1.0, "capabilities":{ "prompts":{"listChanged":true}, "y":9007199254740993 ,"tools":{}},"instructions":` + guidance + `}, "id":5,"jsonrpc":"2.0" }`},
		"initialize without capabilities": {initialize, `{"jsonrpc":"2.0","id":5,"result":{}}`,
			`{"jsonrpc":"2.0","id":5,"result":{"instructions":` + guidance + `,"capabilities":{"tools":{}}}}`},
		"discover becomes private": {discover, `{"jsonrpc":"2.0","id":5,"result":{"cacheScope":"public","ttlMs":0,"capabilities":{"tools":{"listChanged":true}}}}`,
			`{"jsonrpc":"2.0","id":5,"result":{"cacheScope":"private","ttlMs":0,"capabilities":{"tools":{"listChanged":true}},"instructions":` + guidance + `}}`},
		"discover without a scope": {discover, `{"jsonrpc":"2.0","id":5,"result":{"capabilities":{"tools":{}}}}`,
			`{"jsonrpc":"2.0","id":5,"result":{"capabilities":{"tools":{}},"instructions":` + guidance + `,"cacheScope":"private"}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if out, ok := edited(t, d, wire.Legacy, tt.request, tt.answer); !ok || out != tt.want {
				t.Errorf("\n%s\nwant\n%s", out, tt.want)
			}
		})
	}
}

func TestWhatIsNotMerged(t *testing.T) {
	d := open(t, patient, office()...)
	for name, answer := range map[string]string{
		"an error":              `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no"}}`,
		"a notification before": `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
		"a request before":      `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"no JSON":               `{"jsonrpc":`,
		"a result of text":      `{"jsonrpc":"2.0","id":5,"result":"x"}`,
		"a name twice":          `{"jsonrpc":"2.0","id":5,"result":{"a":1,"a":2}}`,
		"an array":              `[{"jsonrpc":"2.0","id":5,"result":{}}]`,
	} {
		if out, ok := edited(t, d, wire.Legacy, initialize, answer); ok {
			t.Errorf("%s was edited: %s", name, out)
		}
	}
	decision := decide(t, d, wire.Legacy, initialize)
	for name, tt := range map[string]struct {
		status int
		header http.Header
	}{
		"an error status":      {http.StatusBadGateway, nil},
		"a refused token":      {http.StatusUnauthorized, nil},
		"a compressed answer":  {http.StatusOK, http.Header{"Content-Encoding": {"gzip"}}},
		"one compressed twice": {http.StatusOK, http.Header{"Content-Encoding": {"identity", "br"}}},
	} {
		if d.Engine.EditsBody(&decision, tt.status, tt.header) {
			t.Errorf("%s would be edited", name)
		}
	}
	if passed := decide(t, d, wire.Legacy, `{"jsonrpc":"2.0","id":5,"method":"ping"}`); d.Engine.EditsBody(&passed, http.StatusOK, http.Header{}) {
		t.Error("an answer to ping would be edited")
	}
}

func TestLongInstructionsAreCutWithANote(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.MaxInstructions = 100 }, office()...)
	answer := func(own string) string {
		return `{"jsonrpc":"2.0","id":5,"result":{"instructions":` + string(wire.Quote(own)) + `}}`
	}
	own := strings.Repeat("ž", 100)
	out, _ := edited(t, d, wire.Legacy, initialize, answer(own))
	if !strings.HasSuffix(instructionsOf(t, out), "\n\n"+own) {
		t.Errorf("100 characters were changed: %q", instructionsOf(t, out))
	}
	out, _ = edited(t, d, wire.Legacy, initialize, answer(own+"x"))
	mustSay(t, instructionsOf(t, out), strings.Repeat("ž", 99)+"…\n(The server's own instructions are cut here, at 100 characters.)")
	none := open(t, func(s *testdoor.Setup) { s.Engine.MaxInstructions = 0 }, office()...)
	if out, _ := edited(t, none, wire.Legacy, initialize, answer(own)); strings.Contains(out, "ž") {
		t.Errorf("instructions are there although none are wanted: %s", out)
	}
}

// TestAnEditedAnswerFitsTheGatewaysBuffer holds that our part survives when the whole doesn't fit.
func TestAnEditedAnswerFitsTheGatewaysBuffer(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.EditBytes, s.Engine.DirectoryWait = 4000, time.Minute }, office()...)
	room := 4000 - len(`{"jsonrpc":"2.0","id":5,"result":{"capabilities":{"tools":{}},"x":"","instructions":}}`) - len(wire.Quote(sidecar.Guidance))
	for name, tt := range map[string]struct {
		own, rest int
		ok        bool
		says      string
	}{
		"all of it":             {1000, 0, true, "oooo\"}}"},
		"less of theirs":        {20_000, 0, true, "are cut here"},
		"nothing of theirs":     {20_000, room - 60, true, "mail (2 tools)\""},
		"not even the sources":  {20_000, room - 10, true, "says what to change.\""},
		"not even our guidance": {0, room + 1, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"result":{"capabilities":{"tools":{}},"x":"%s","instructions":"%s"}}`, strings.Repeat("x", tt.rest), strings.Repeat("o", tt.own))
			out, ok := edited(t, d, wire.Legacy, initialize, answer)
			if ok != tt.ok || len(out) > 4000 {
				t.Fatalf("edited %t, %d bytes", ok, len(out))
			}
			mustSay(t, out, tt.says)
		})
	}
}

func TestAnInvalidParamsAnswerTeaches(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.EditBytes = 1000 }, tool("get", "", `{ "type": "object" }`, readOnly), tool("mid", "", `{"title":"`+strings.Repeat("m", 500)+`"}`, readOnly),
		tool("big", "", `{"title":"`+strings.Repeat("b", 2000)+`"}`, readOnly))
	tests := map[string]struct{ tool, answer, want string }{
		"schema in message and data": {"get", `{"jsonrpc":"2.0", "id":1,"error":{"code":-32602,"message":"bad x","v":1.0}}`,
			`{"jsonrpc":"2.0", "id":1,"error":{"code":-32602,"message":"bad x\nInput schema of get: {\"type\":\"object\"}","v":1.0,"data":{"inputSchema":{"type":"object"}}}}`},
		"the upstream's data stays": {"get", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad","data":[1]}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad\nInput schema of get: {\"type\":\"object\"}","data":[1]}}`},
		"in message only when both don't fit": {"mid", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad\nInput schema of mid: {\"title\":\"` + strings.Repeat("m", 500) + `\"}"}}`},
		"a pointer when it doesn't fit": {"big", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad\nIts input schema: describe_tools."}}`},
		"another error":          {"get", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bad"}}`, ""},
		"a result":               {"get", `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`, ""},
		"a message that is full": {"get", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"` + strings.Repeat("f", 990) + `"}}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				decision := decide(t, d, era, inner("call_read_tool", tt.tool, `{}`))
				if !d.Engine.EditsBody(&decision, http.StatusBadRequest, http.Header{}) {
					t.Error("no edit is foreseen for HTTP 400")
				}
				out, ok := d.Engine.EditAnswer(t.Context(), &decision, []byte(tt.answer))
				if string(out) != tt.want || ok != (tt.want != "") {
					t.Errorf("\n%s\nwant\n%s", out, tt.want)
				}
			})
		})
	}
}
