package aggregate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func sealed(t testing.TB, key string) sealer {
	t.Helper()
	s, err := newSealer([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAKeyThatIsTooShortIsRefused(t *testing.T) {
	if _, err := newSealer([]byte("short")); err == nil || !strings.Contains(err.Error(), "openssl rand") {
		t.Errorf("a short key: %v", err)
	}
}

func TestASealSaysWhatWasSealed(t *testing.T) {
	s := sealed(t, "0123456789abcdef")
	want := ticket{Key: "k", Version: "2025-11-25", Capabilities: json.RawMessage(`{"roots":{}}`), Info: json.RawMessage(`{"name":"x"}`),
		Sessions: []opened{{"a", "id-a"}, {"b", "id-b"}}}
	id := s.seal(want)
	got, ok := s.open(id)
	if !ok || !reflect.DeepEqual(*got, want) || got.idAt("b") != "id-b" || got.idAt("c") != "" {
		t.Errorf("opened %+v, want %+v", got, want)
	}
	if strings.Contains(id, "id-a") || id == s.seal(want) {
		t.Error("a seal shows what is in it, or is the same twice")
	}
	if _, ok := sealed(t, "another key, another seal").open(id); ok {
		t.Error("another key opens it")
	}
}

func TestASealHasABoundedLength(t *testing.T) {
	s := sealed(t, "0123456789abcdef")
	full := ticket{Key: newTicketKey(), Version: "2025-11-25", Info: json.RawMessage(`{"name":"` + strings.Repeat("n", 5000) + `"}`),
		Capabilities: json.RawMessage(`{"experimental":{"x":"` + strings.Repeat("y", 9000) + `"},"roots":{},"sampling":{"tools":{}}}`)}
	for i := range 500 {
		full.Sessions = append(full.Sessions, opened{fmt.Sprintf("server-%d", i), strings.Repeat("i", 40)})
	}
	id := s.seal(full)
	got, ok := s.open(id)
	if !ok || len(id) > maxSealed {
		t.Fatalf("%t, %d bytes", ok, len(id))
	}
	if string(got.Capabilities) != `{"roots":{},"sampling":{"tools":{}}}` || len(got.Sessions) < 30 || got.Key != full.Key {
		t.Errorf("what is left: %s, %d sessions", got.Capabilities, len(got.Sessions))
	}
}

func FuzzOpen(f *testing.F) {
	s := sealed(f, "0123456789abcdef")
	f.Add(s.seal(ticket{Key: "k"}))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, id string) {
		if got, ok := s.open(id); ok && (got.Key != "k" || id == "") {
			t.Errorf("%q opens to %+v", id, got)
		}
	})
}

func FuzzIDs(f *testing.F) {
	for _, id := range []string{`1`, `"a"`, `-9`, `"\"quoted\\"`, `"é"`, `1.5`, `9007199254740993`} {
		f.Add("server", id)
	}
	f.Fuzz(func(t *testing.T, server, id string) {
		if server == "" || strings.Contains(server, ":") || !isToken(id) {
			return
		}
		if text, ok := wire.Text([]byte(id)); id[0] == '"' && (!ok || text == "") {
			return // a text that isn't one comes back as another
		}
		if _, ok := wire.Text(wire.Quote(server)); !ok || strings.ToValidUTF8(server+id, "") != server+id {
			return
		}
		gotServer, gotID, ok := inward(outward(server, []byte(id)))
		if !ok || gotServer != server || string(gotID) != id {
			t.Errorf("%q %s comes back as %q %s %t", server, id, gotServer, gotID, ok)
		}
	})
}

func FuzzInward(f *testing.F) {
	f.Add([]byte(`"server:1"`))
	f.Add([]byte(`"server:{}"`))
	f.Add([]byte(`":1"`))
	f.Add([]byte(`5`))
	f.Fuzz(func(t *testing.T, token []byte) {
		_, id, ok := inward(token)
		if !ok {
			return
		}
		var v any
		if err := json.Unmarshal(id, &v); err != nil {
			t.Fatalf("%s gives the id %s, which is no JSON", token, id)
		}
		switch v.(type) {
		case string, float64:
		default:
			t.Errorf("%s gives the id %s, which is neither text nor number", token, id)
		}
	})
}

func TestRequestsOfServersGoOutAndTheirAnswersComeBack(t *testing.T) {
	tests := map[string]struct{ message, out string }{
		"a request":                   {`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"a":1.0}}`, `{"jsonrpc":"2.0","id":"s:5","method":"elicitation/create","params":{"a":1.0}}`},
		"an id that is a text":        {`{"method":"ping", "id":"x\"y"}`, `{"method":"ping", "id":"s:\"x\\\"y\""}`},
		"a token for progress":        {`{"id":1,"method":"m","params":{"_meta":{"progressToken":7,"k":2}}}`, `{"id":"s:1","method":"m","params":{"_meta":{"progressToken":"s:7","k":2}}}`},
		"a notification stays":        {`{"method":"notifications/x","params":{"id":5}}`, ``},
		"an answer stays":             {`{"id":5,"result":{"method":"x"}}`, ``},
		"what has an id twice stays":  {`{"id":5,"id":6,"method":"x"}`, ``},
		"what isn't a message stays":  {`[1]`, ``},
		"an id that is null stays":    {`{"id":null,"method":"x"}`, ``},
		"a token that is null stays":  {`{"id":1,"method":"m","params":{"_meta":{"progressToken":null}}}`, `{"id":"s:1","method":"m","params":{"_meta":{"progressToken":null}}}`},
		"params that are a list stay": {`{"id":1,"method":"m","params":[1]}`, `{"id":"s:1","method":"m","params":[1]}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := tt.out
			if want == "" {
				want = tt.message
			}
			if got := outwardRequest("s", []byte(tt.message)); string(got) != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
	m, fault := wire.Scan([]byte(`{"jsonrpc":"2.0", "result":{"x":1.0},"id":"s:\"x\\\"y\""}`), wire.Limits{})
	if fault != nil {
		t.Fatal(fault)
	}
	server, body, ok := inwardResponse(m)
	if !ok || server != "s" || string(body) != `{"jsonrpc":"2.0", "result":{"x":1.0},"id":"x\"y"}` {
		t.Errorf("the response: %s %s %t", server, body, ok)
	}
	m, fault = wire.Scan([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"s:7","progress":1.0}}`), wire.Limits{})
	if fault != nil {
		t.Fatal(fault)
	}
	if server, body, ok = inwardProgress(m); !ok || server != "s" || !bytes.Contains(body, []byte(`"progressToken":7,"progress":1.0`)) {
		t.Errorf("the progress: %s %s %t", server, body, ok)
	}
}

func TestEventIdsSayWhoseTheyAre(t *testing.T) {
	for raw, want := range map[string]string{
		"id: 5\ndata: x\n\n":          "id: s:5\ndata: x\n\n",
		"id:5\r\ndata: id: 5\r\n\r\n": "id: s:5\r\ndata: id: 5\r\n\r\n",
		"id:\ndata: x\n\n":            "id:\ndata: x\n\n",
		"id\ndata: x\n\n":             "id\ndata: x\n\n",
		"data: x\nid: a:b\n\n":        "data: x\nid: s:a:b\n\n",
	} {
		if got := withServer([]byte(raw), "s"); string(got) != want {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
	}
	if server, own, ok := inwardEventID("s:a:b"); !ok || server != "s" || own != "a:b" {
		t.Errorf("s:a:b is %q of %q, %t", own, server, ok)
	}
}

func TestWhatServersCanDoIsJoined(t *testing.T) {
	got := union([][]byte{[]byte(`{"tools":{"listChanged":false},"logging":{}}`), nil, []byte(`not JSON`),
		[]byte(`{"tools":{"listChanged":true},"resources":{"subscribe":true},"experimental":{"x":[1, 2]}}`),
		[]byte(`{"resources":{"listChanged":true,"subscribe":false},"experimental":{"x":3},"tasks":null}`), []byte(`{"tasks":{"list":{}}}`)})
	want := `{"tools":{"listChanged":true},"logging":{},"resources":{"subscribe":true,"listChanged":true},"experimental":{"x":[1,2]},"tasks":{"list":{}}}`
	if string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
