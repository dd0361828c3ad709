package sidecar_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tool is a raw definition. schema "" means any object; hints is the raw annotations object, "" for none.
func tool(name, description, schema, hints string) string {
	if schema == "" {
		schema = `{"type":"object"}`
	}
	if hints != "" {
		hints = `,"annotations":` + hints
	}
	return fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s%s}`, wire.Quote(name), wire.Quote(description), schema, hints)
}

const (
	readOnly = `{"readOnlyHint":true}`
	folder   = `{"type":"object","properties":{"folder":{"type":"string"}},"required":["folder"],"additionalProperties":false}`
)

// office is a small catalog: a read, a write that wants a folder, an unannotated tool.
func office() []string {
	return []string{
		tool("mail_find", "Find mail by words.", `{"type":"object","properties":{"q":{"type":"string"}}}`, readOnly),
		tool("mail_purge", "Empty a folder for good.", folder, `{"readOnlyHint":false,"destructiveHint":true}`),
		tool("wiki_get_page", "Get a page of the wiki.", `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, readOnly),
		tool("clock_set", "Set the clock.", "", ""),
	}
}

// open is a door in front of an upstream with these tools.
func open(t *testing.T, change func(*testdoor.Setup), tools ...string) *testdoor.Door {
	t.Helper()
	return testdoor.Open(t, upstreamtest.New(t, tools...), change)
}

// list, call and metaCall are bodies without an era.
const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func call(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":%s}}`, wire.Quote(name), arguments)
}

// inner is a call of a tool through one of the call tools.
func inner(meta, name, arguments string) string {
	return call(meta, fmt.Sprintf(`{"name":%s,"arguments":%s}`, wire.Quote(name), arguments))
}

// request dresses a body for an era and lets change make it wrong.
func request(t *testing.T, era wire.Era, body string, change ...func(*sidecar.Request)) sidecar.Request {
	t.Helper()
	dressed, h, err := cases.Dress([]byte(body), era, "")
	if err != nil {
		t.Fatal(err)
	}
	h.Set("Authorization", "Bearer one")
	req := sidecar.Request{Method: http.MethodPost, Path: testdoor.SearchPath, Authority: testdoor.Host, Scheme: "http", Header: h, Body: dressed}
	for _, c := range change {
		c(&req)
	}
	return req
}

func decide(t *testing.T, d *testdoor.Door, era wire.Era, body string, change ...func(*sidecar.Request)) sidecar.Decision {
	t.Helper()
	return d.Decide(t.Context(), request(t, era, body, change...))
}

// set sets a header of the request, or removes it when values is empty.
func set(name string, values ...string) func(*sidecar.Request) {
	return func(r *sidecar.Request) {
		delete(r.Header, http.CanonicalHeaderKey(name))
		if len(values) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
}

// raw sends these bytes in place of the dressed body.
func raw(body string) func(*sidecar.Request) {
	return func(r *sidecar.Request) { r.Body = []byte(body) }
}

// answer is an answered decision, read.
type answer struct {
	Result *struct {
		ResultType string            `json:"resultType"`
		Content    []json.RawMessage `json:"content"`
		IsError    bool              `json:"isError"`
		Tools      json.RawMessage   `json:"tools"`
		TTL        *int              `json:"ttlMs"`
		Scope      string            `json:"cacheScope"`
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	ID json.RawMessage
}

func read(t *testing.T, d sidecar.Decision) answer {
	t.Helper()
	if d.Kind != sidecar.Answer {
		t.Fatalf("the decision is %s, want an answer", d.Kind)
	}
	var a answer
	if err := json.Unmarshal(d.Body, &a); err != nil {
		t.Fatalf("the answer is not JSON: %v: %.300s", err, d.Body)
	}
	return a
}

func (a answer) text() string {
	if a.Result == nil {
		return ""
	}
	var all []string
	for _, raw := range a.Result.Content {
		var b struct{ Text string }
		if json.Unmarshal(raw, &b) == nil {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// said is the text of an answered result; it must be a refusal when refused is set, and none otherwise.
func said(t *testing.T, d sidecar.Decision, refused bool) string {
	t.Helper()
	a := read(t, d)
	if a.Result == nil || a.Result.IsError != refused {
		t.Fatalf("want a result with isError %t, got %.500s", refused, d.Body)
	}
	return a.text()
}

// mustSay fails unless text has all words.
func mustSay(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("the text does not say %q: %.1500s", w, text)
		}
	}
}

func bothEras(t *testing.T, test func(t *testing.T, era wire.Era)) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) { test(t, era) })
	}
}

// serve serves a handler until the test ends and gives its origin.
func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
