package aggregate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// judgedBy sends every request as a door of ours would after judging.
type judgedBy string

func (j judgedBy) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if j != "" {
		r.Header.Set(wire.JudgedHeader, string(j))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// kinds are tools that say differently much of themselves.
func kinds(says string) func(*mcp.Server) {
	yes := true
	return func(s *mcp.Server) {
		for name, hints := range map[string]*mcp.ToolAnnotations{
			"reads": {ReadOnlyHint: true}, "destroys": {ReadOnlyHint: true, DestructiveHint: &yes}, "silent": nil,
		} {
			s.AddTool(&mcp.Tool{Name: name, Annotations: hints, InputSchema: map[string]any{"type": "object"}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: says}}}, nil
				})
		}
	}
}

// TestACallReachesTheToolItWasJudgedOn: between a door's judging and the routing the name may have come to mean another
// server's tool, or one of another kind. Then nothing runs.
func TestACallReachesTheToolItWasJudgedOn(t *testing.T) {
	a, b := sdk(t, false, kinds("a ran")), sdk(t, false, echoes("other=b ran"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	for name, tc := range map[string]judgedCall{
		"nobody judged it":                            {"", "reads", true},
		"a read of its server":                        {wire.Judged(wire.AsRead, "a"), "reads", true},
		"a read of another server":                    {wire.Judged(wire.AsRead, "b"), "reads", false},
		"a read that has come to say nothing":         {wire.Judged(wire.AsRead, "a"), "silent", false},
		"a read that has come to destroy":             {wire.Judged(wire.AsRead, "a"), "destroys", false},
		"one that says nothing and was lifted":        {wire.Judged(wire.AsLifted, "a"), "silent", true},
		"one that was lifted and says now it reads":   {wire.Judged(wire.AsLifted, "a"), "reads", true},
		"one that was lifted and has come to destroy": {wire.Judged(wire.AsLifted, "a"), "destroys", false},
		"a write of its server":                       {wire.Judged(wire.AsWrite, "a"), "destroys", true},
		"a write of another server":                   {wire.Judged(wire.AsWrite, "b"), "destroys", false},
		"what can't be read":                          {"maybe a", "reads", false},
	} {
		t.Run(name, func(t *testing.T) { tc.check(t, r.url) })
	}
	only := start(t, []servers.Server{at("a", a.URL)})
	for name, tc := range map[string]judgedCall{
		"nobody judged it":                                  {"", "reads", true},
		"a read of the only server":                         {wire.Judged(wire.AsRead, ""), "reads", true},
		"a read of one that was there before":               {wire.Judged(wire.AsRead, "b"), "reads", false},
		"a read that its new server has as a write":         {wire.Judged(wire.AsRead, ""), "destroys", false},
		"a read that its new server says nothing of":        {wire.Judged(wire.AsRead, ""), "silent", false},
		"one that was lifted and that the new one destroys": {wire.Judged(wire.AsLifted, ""), "destroys", false},
		"a write of the only server":                        {wire.Judged(wire.AsWrite, ""), "destroys", true},
	} {
		t.Run("alone: "+name, func(t *testing.T) { tc.check(t, only.url) })
	}
}

// TestAServerThatCanNotBeListedRunsNothingThatWasJudged: while the only server doesn't say what its tools are, a read may be a
// write of its.
func TestAServerThatCanNotBeListedRunsNothingThatWasJudged(t *testing.T) {
	var calls atomic.Int64
	tools := modernHandler(t, kinds("ran"))
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		switch {
		case strings.Contains(string(body), `"tools/list"`):
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal(body, &m); err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not now"}}`, m.ID)
			return
		case strings.Contains(string(body), `"tools/call"`):
			calls.Add(1)
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		tools.ServeHTTP(w, q)
	}))
	t.Cleanup(mute.Close)
	r := start(t, []servers.Server{at("a", mute.URL)})
	judgedCall{wire.Judged(wire.AsRead, ""), "reads", false}.check(t, r.url)
	if calls.Load() != 0 {
		t.Errorf("%d calls reached the server", calls.Load())
	}
	judgedCall{"", "reads", true}.checkSaying(t, r.url, "ran")
}

// judgedCall is a call as a door of ours sends it on.
type judgedCall struct {
	judged, tool string
	runs         bool
}

func (tc judgedCall) check(t *testing.T, url string) {
	t.Helper()
	tc.checkSaying(t, url, "a ran")
}

func (tc judgedCall) checkSaying(t *testing.T, url, says string) {
	t.Helper()
	for era, version := range eras() {
		client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
		s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: judgedBy(tc.judged)}},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		text, err := tryCall(t.Context(), s, tc.tool, nil)
		if tc.runs && (err != nil || text != says) || !tc.runs && (err == nil || !strings.Contains(text, "Nothing was run")) {
			t.Errorf("%s: %q, %v", era, text, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAReloadThatOnlyTakesServersAwayIsTold: whoever keeps a list of the tools must make it anew.
func TestAReloadThatOnlyTakesServersAwayIsTold(t *testing.T) {
	a, b := sdk(t, false, echoes("x=a")), sdk(t, false, echoes("x=b"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL), at("c", b.URL)})
	names(t, connect(t, r.url, nil))
	eventually(t, "the first list is told", func() bool { return strings.Contains(r.log.String(), "catalog refresh: 3 ") })
	before := strings.Count(r.log.String(), "catalog refresh")
	r.Replace(t.Context(), []servers.Server{at("b", b.URL), at("c", b.URL)})
	if n := strings.Count(r.log.String(), "catalog refresh"); n != before+1 {
		t.Errorf("%d refreshes are told after the reload, %d before:\n%s", n, before, r.log)
	}
}
