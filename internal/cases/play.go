package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// Stack is a search route in front of an upstream.
type Stack struct {
	Do  func(*http.Request) (*http.Response, error)
	URL string // of the search route
	// Uncompilable reads the counter of schemas that don't compile.
	Uncompilable func() int
	// Pipe says that the door is a pipe with one client: what is about headers, counters and other callers doesn't apply.
	Pipe bool
}

// Open opens a stack in front of an upstream. It closes with the test.
type Open func(tb testing.TB, up *upstreamtest.Server, o Operator) Stack

// Run plays a case file in both eras.
func Run(t *testing.T, path string, open Open) {
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			p := f.prepare(t, era, open)
			for _, c := range f.Cases {
				if era == wire.Legacy && modernOnly(c) {
					continue
				}
				t.Run(c.Name, func(t *testing.T) { p.play(t, c) })
			}
		})
	}
}

// modernOnly tells a result that legacy servers can't give: resultType, and structuredContent that is no object.
func modernOnly(c Case) bool {
	var r struct {
		ResultType        string          `json:"resultType"`
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	if c.UpstreamResult == nil || json.Unmarshal(c.UpstreamResult, &r) != nil {
		return false
	}
	return r.ResultType != "" || r.StructuredContent != nil && !wire.IsObject(r.StructuredContent)
}

// player plays one file's cases in one era.
type player struct {
	file     *File
	era      wire.Era
	tools    []string
	up       *upstreamtest.Server
	open     Open
	stack    Stack
	sessions map[string]string // by caller
	fetches  *atomic.Int64
}

func (f *File) prepare(t *testing.T, era wire.Era, open Open) *player {
	p := &player{file: f, era: era, open: open, sessions: map[string]string{}, fetches: &atomic.Int64{}}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.fetches.Add(1)
		_, _ = io.WriteString(w, `{"type":"string"}`)
	}))
	t.Cleanup(web.Close)
	p.tools = f.tools(web.URL)
	p.up = upstreamtest.New(t, p.tools...)
	p.stack = open(t, p.up, f.Operator)
	return p
}

// exchange is one request and all that came of it.
type exchange struct {
	header   http.Header
	body     []byte // of the answer: one JSON-RPC message
	result   json.RawMessage
	upstream []upstreamtest.Request // the tools/call that the upstream received
}

func (p *player) play(t *testing.T, c Case) {
	calls := c.Calls
	if c.Call != nil {
		calls = append(calls, c.Call)
	}
	if len(calls) == 0 {
		t.Fatal("the case has no call")
	}
	if c.UpstreamResult != nil {
		p.script(t, c)
	}
	if p.stack.Pipe {
		var left []string
		if c, left = overAPipe(c); len(left) > 0 {
			t.Logf("not over a pipe: %s", strings.Join(left, "; "))
		}
	}
	before := p.stack.Uncompilable()
	for i, call := range calls {
		x, err := p.send(p.stack, "Bearer one", call)
		if err != nil {
			t.Fatalf("call %d: %v", i+1, err)
		}
		for _, fault := range p.faults(c, x, before) {
			t.Errorf("call %d: %s", i+1, fault)
		}
		if t.Failed() {
			t.Logf("answer: %.2000s", x.body)
		}
	}
	if c.Expect.ToolsBytesIdentical {
		if err := p.unstable(t, c, calls[0]); err != nil {
			t.Error(err)
		}
	}
}

// script makes every tool of the catalog give the case's result.
func (p *player) script(t *testing.T, c Case) {
	for _, raw := range p.tools {
		var tool struct{ Name string }
		if err := json.Unmarshal([]byte(raw), &tool); err != nil {
			t.Fatal(err)
		}
		p.up.Script(tool.Name, upstreamtest.Script{Result: string(compact(c.UpstreamResult))})
	}
}

// send sends one request as a caller.
func (p *player) send(s Stack, who string, request []byte) (*exchange, error) {
	session := ""
	if p.era == wire.Legacy {
		var err error
		if session, err = p.session(s, who); err != nil {
			return nil, err
		}
	}
	p.up.Reset()
	body, h, err := Dress(compact(request), p.era, session)
	if err != nil {
		return nil, err
	}
	x, err := post(s, who, body, h)
	if err != nil {
		return nil, err
	}
	x.upstream = p.up.RequestsOf("tools/call")
	return x, nil
}

// session opens a caller's legacy session through the search route, once.
func (p *player) session(s Stack, who string) (string, error) {
	if id, ok := p.sessions[who]; ok {
		return id, nil
	}
	open, h, err := Dress([]byte(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+LegacyVersion+
		`","capabilities":{},"clientInfo":{"name":"cases","version":"1"}}}`), wire.Legacy, "")
	if err != nil {
		return "", err
	}
	h.Del("Mcp-Protocol-Version")
	x, err := post(s, who, open, h)
	if err != nil {
		return "", err
	}
	id := x.header.Get("Mcp-Session-Id")
	if id == "" {
		return "", fmt.Errorf("initialize gave no session: %.300s", x.body)
	}
	p.sessions[who] = id
	ready, h, err := Dress([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), wire.Legacy, id)
	if err != nil {
		return "", err
	}
	_, err = post(s, who, ready, h)
	return id, err
}

// post sends a body and reads the one JSON-RPC message that answers it; a notification has none.
func post(s Stack, who string, request []byte, h http.Header) (*exchange, error) {
	hr, err := http.NewRequest(http.MethodPost, s.URL, bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	hr.Header = h
	hr.Header.Set("Authorization", who)
	resp, err := s.Do(hr)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	x := &exchange{header: resp.Header}
	if resp.StatusCode == http.StatusAccepted {
		return x, nil
	}
	if x.body, err = message(resp); err != nil {
		return nil, fmt.Errorf("HTTP %d: %w", resp.StatusCode, err)
	}
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal(x.body, &m); err != nil {
		return nil, fmt.Errorf("HTTP %d: the answer is not JSON: %.300s", resp.StatusCode, x.body)
	}
	x.result = m.Result
	return x, nil
}

// message reads a JSON answer, or the first event of a stream that is an answer.
func message(resp *http.Response) ([]byte, error) {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if mediaType != "text/event-stream" {
		return io.ReadAll(resp.Body)
	}
	events := wire.NewEventReader(resp.Body, 8<<20)
	for {
		ev, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("the stream ended without an answer: %w", err)
		}
		if a, err := wire.ScanAnswer(ev.Data); err == nil && a.Method == "" && a.ID != nil {
			return ev.Data, nil
		}
	}
}
