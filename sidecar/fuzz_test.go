package sidecar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// nearby is an upstream without a network: a fixed catalog, and calls that are noted.
type nearby struct {
	called func(name string)
}

func (nearby) List(context.Context, upstream.Target, caller.Caller, upstream.ListOptions) (*upstream.Listing, error) {
	l := &upstream.Listing{Era: wire.Modern}
	for _, raw := range office() {
		l.Tools = append(l.Tools, []byte(raw))
	}
	return l, nil
}

func (n nearby) Call(_ context.Context, _ upstream.Target, _ caller.Caller, call upstream.Call) (*upstream.CallAnswer, error) {
	n.called(call.Name)
	return &upstream.CallAnswer{Result: []byte(`{"content":[]}`)}, nil
}

func (nearby) Metadata(context.Context, upstream.Target, string) ([]byte, error) {
	return []byte("{}"), nil
}

// FuzzDecide sends any bytes as a body in both eras: nothing panics, every answer is JSON, what is forwarded is the
// received message with another name and other arguments, and only reads run through a read door.
func FuzzDecide(f *testing.F) {
	for _, body := range spellings("mail_purge") {
		f.Add([]byte(body))
	}
	for _, body := range spellings("mail_find") {
		f.Add([]byte(body))
	}
	for _, body := range []string{list, initialize, discover, call("search_tools", `{"query":"mail","limit":"3"}`), call("describe_tools", `{"names":"[\"mail_find\"]"}`),
		inner("call_write_tool", "mail_purge", `"{\"folder\":\"x\"}"`), `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`} {
		f.Add([]byte(body))
	}
	identifier, err := caller.NewIdentifier([]string{"Authorization"})
	if err != nil {
		f.Fatal(err)
	}
	store := catalog.NewStore(catalog.Options{Lister: nearby{}})
	f.Cleanup(store.Close)
	f.Fuzz(func(t *testing.T, body []byte) {
		e := sidecar.New(sidecar.Options{Routes: []sidecar.Route{{Search: "/s", Aggregate: "/a"}}, Upstream: "http://up.example", Identifier: identifier, Catalogs: store,
			Observer: &testdoor.Seen{}, Upstreams: nearby{called: func(name string) {
				if name != "mail_find" && name != "wiki_get_page" {
					t.Errorf("%s ran in a batch", name)
				}
			}}})
		for _, h := range []http.Header{{}, {"Mcp-Protocol-Version": {"2025-11-25"}}, modernHeader(body)} {
			checkDecision(t, body, e.Decide(t.Context(), sidecar.Request{Method: http.MethodPost, Path: "/s", Header: h, Body: body}))
		}
	})
}

// modernHeader are the headers that a truthful modern client sends with a body.
func modernHeader(body []byte) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {wire.ModernVersion}}
	if m, fault := wire.Scan(body, wire.Limits{}); fault == nil {
		h.Set("Mcp-Method", m.Method)
		h.Set("Mcp-Name", wire.EncodeValue(m.Name))
	}
	return h
}

func checkDecision(t *testing.T, body []byte, d sidecar.Decision) {
	t.Helper()
	if d.Kind == sidecar.Answer && (!json.Valid(d.Body) || d.Status < 200) {
		t.Errorf("the answer is not JSON: %d %q", d.Status, d.Body)
	}
	if d.Kind != sidecar.Forward {
		return
	}
	before, fault := wire.Scan(body, wire.Limits{})
	if fault != nil {
		t.Fatalf("forwarded although the scan refuses it: %s", fault)
	}
	after, fault := wire.Scan(d.NewBody, wire.Limits{})
	if fault != nil {
		t.Fatalf("what is forwarded is refused by the scan: %s", fault)
	}
	if before.Name == sidecar.CallReadTool && after.Name != "mail_find" && after.Name != "wiki_get_page" {
		t.Errorf("%s runs through a read door", after.Name)
	}
	if !bytes.Equal(rest(before), rest(after)) {
		t.Errorf("other bytes changed:\n%s\n%s", rest(before), rest(after))
	}
	if !wire.IsObject(after.Arguments.In(after.Body)) {
		t.Errorf("the arguments are no object: %s", d.NewBody)
	}
}

// rest is a message without its name and its arguments.
func rest(m *wire.Message) []byte {
	first, second := m.NameAt, m.Arguments
	if first.Start > second.Start && !second.Absent() {
		first, second = second, first
	}
	if second.Absent() {
		return append(append([]byte{}, m.Body[:first.Start]...), m.Body[first.End:]...)
	}
	out := append([]byte{}, m.Body[:first.Start]...)
	out = append(out, m.Body[first.End:second.Start]...)
	return append(out, m.Body[second.End:]...)
}
