package aggregate_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
)

// batchOf posts messages at once, as a client of 2025-03-26 does: without a version header.
func batchOf(t *testing.T, url, session string, messages ...string) (status int, kind, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("["+strings.Join(messages, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Session-Id", session)
	resp, text := do(t, req)
	return resp.StatusCode, resp.Header.Get("Content-Type"), text
}

// TestABatchIsAnsweredByTheServersThatItsMessagesAreFor: in 2025-03-26 servers must take batches; later there are none.
func TestABatchIsAnsweredByTheServersThatItsMessagesAreFor(t *testing.T) {
	a, b := sdk(t, true, echoes("x=a ran")), sdk(t, true, echoes("y=b ran"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	resp, _ := post(t, r.url, "", strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	session := resp.Header.Get("Mcp-Session-Id")
	ofCall := func(id, name string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`
	}
	const ping, note = `{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	for name, tc := range map[string]struct {
		messages []string
		status   int
		wants    []string
	}{
		"calls of two servers":       {[]string{ofCall("1", "x"), ofCall("2", "y"), ping, note}, 200, []string{"a ran", "b ran", `{"jsonrpc":"2.0","id":"p","result":{}}`, `"id":1`, `"id":2`}},
		"answered here":              {[]string{ping, note}, 200, []string{`[{"jsonrpc":"2.0","id":"p","result":{}}]`}},
		"what can't be done":         {[]string{ping, ofCall("5", "z")}, 200, []string{`"id":5,"error"`, `"id":"p","result"`}},
		"nothing that has an answer": {[]string{note, note}, 202, nil},
		"initialize":                 {[]string{hello}, 200, []string{"initialize can't be part of a batch"}},
		"too many":                   {slicesOf(ping, 101), 400, []string{"at most 100"}},
	} {
		status, kind, text := batchOf(t, r.url, session, tc.messages...)
		if status != tc.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
		for _, want := range tc.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s answer without %s: %s", name, kind, want, text)
			}
		}
	}
}

func slicesOf(one string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = one
	}
	return all
}

// TestABatchAsAStream: what a server says before its answer arrives, beside the answers of the others.
func TestABatchAsAStream(t *testing.T) {
	a := sdk(t, true, func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: "x", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Progress: 1})
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a ran"}}}, err
			})
	})
	b := sdk(t, true, echoes("y=b ran"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	resp, _ := post(t, r.url, "", strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	status, kind, text := batchOf(t, r.url, resp.Header.Get("Mcp-Session-Id"),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{"progressToken":"t"}}}`, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if status != 200 || kind != "text/event-stream" {
		t.Errorf("%d %s", status, kind)
	}
	for _, want := range []string{`"notifications/progress"`, "a ran", `data: {"jsonrpc":"2.0","id":"p","result":{}}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestARefusalForItsHeadersHasTheRequestsID(t *testing.T) {
	a, b := sdk(t, true, echoes("x=a")), sdk(t, true, echoes("y=b"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	for session, tc := range map[string]struct{ body, want string }{
		"nobody's":  {`{"jsonrpc":"2.0","id":"mine","method":"ping"}`, `"id":"mine"`},
		"no-body's": {`{"jsonrpc":"2.0","method":"notifications/x"}`, `"id":null`},
		"nobodies":  {`no JSON`, `"id":null`},
	} {
		if resp, text := post(t, r.url, session, tc.body); resp.StatusCode != http.StatusNotFound || !strings.Contains(text, tc.want) {
			t.Errorf("%d %s, want 404 and %s", resp.StatusCode, text, tc.want)
		}
	}
}

// TestAMessageOfABatchWhoseAnswerBreaksOff: it gets an error of its own, and the others their answers.
func TestAMessageOfABatchWhoseAnswerBreaksOff(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"in the middle": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"with other words": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"fine":true}`)
		},
	} {
		b := sdk(t, true, echoes("y=b ran"))
		r := start(t, []servers.Server{at("a", answersCalls(t, upstreamtest.LegacyOnly, answer)), at("b", b.URL)})
		resp, _ := post(t, r.url, "", strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
		status, _, text := batchOf(t, r.url, resp.Header.Get("Mcp-Session-Id"), strings.Replace(calls("find"), `"id":2`, `"id":"broken"`, 1), calls("y"))
		if status != 200 || !strings.Contains(text, `"id":"broken","error":{"code":-32603,"message":"its server gave no whole answer`) || !strings.Contains(text, "b ran") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// TestABatchsStreamArrivesAsItComes: what a server says is not held back until the others have answered.
func TestABatchsStreamArrivesAsItComes(t *testing.T) {
	goOn := make(chan struct{})
	a := sdk(t, true, func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: "x", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Progress: 1})
				select {
				case <-goOn:
				case <-ctx.Done():
				}
				return &mcp.CallToolResult{}, err
			})
	})
	b := sdk(t, true, echoes("y=b ran"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	hi, _ := post(t, r.url, "", strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{"progressToken":"t"}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": hi.Header.Get("Mcp-Session-Id")} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("nothing comes: %v", err)
	}
	defer resp.Body.Close()
	first := make([]byte, 1000)
	n, err := resp.Body.Read(first)
	if err != nil || !strings.Contains(string(first[:n]), "notifications/progress") {
		t.Errorf("first comes %q, %v", first[:n], err)
	}
	close(goOn)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(rest), `"id":1`) {
		t.Errorf("then comes %q, %v", rest, err)
	}
}
