package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/sidecar/wire"
)

// reply is an HTTP answer with its JSON-RPC message.
type reply struct {
	status int
	header http.Header
	body   []byte
	text   string // of a tool result's text blocks
	failed bool   // the result's isError
	code   int    // the error's code
	errmsg string
}

// question is one request on a search route.
type question struct {
	url   string
	token string
	era   wire.Era
	body  string              // a JSON-RPC message; _meta and headers are added
	alter func(h http.Header) // changes the headers; may be nil
	raw   bool                // send the body and only the alter headers
}

// ask sends a question and reads the answer; a transport error fails the test.
func ask(t testing.TB, q question) reply {
	t.Helper()
	r, err := try(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func try(ctx context.Context, q question) (reply, error) {
	body, h := []byte(q.body), http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if !q.raw {
		var err error
		if body, h, err = cases.Dress(body, q.era, ""); err != nil {
			return reply{}, err
		}
	}
	if q.token != "" {
		h.Set("Authorization", "Bearer "+q.token)
	}
	if q.alter != nil {
		q.alter(h)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header = h
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	return read(resp)
}

func read(resp *http.Response) (reply, error) {
	r := reply{status: resp.StatusCode, header: resp.Header}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return r, err
	}
	r.body = raw
	message := raw
	if ev, _, ok := wire.FirstEvent(raw); ok && resp.Header.Get("Content-Type") == "text/event-stream" {
		message = ev.Data
	}
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error struct {
			Code    int
			Message string
		}
	}
	if len(message) > 0 && json.Unmarshal(message, &m) != nil {
		return r, nil // not JSON-RPC: the test looks at body
	}
	for _, c := range m.Result.Content {
		r.text += c.Text
	}
	r.failed, r.code, r.errmsg = m.Result.IsError, m.Error.Code, m.Error.Message
	return r, nil
}

// callBody is a tools/call of a meta-tool.
func callBody(tool string, args any) string {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		return ""
	}
	return string(b)
}

// quiet waits until the sidecar holds no ext_proc stream and says how many it still does when it doesn't end.
func quiet(t testing.TB, s *e2e.Stack) {
	t.Helper()
	s.Until("no ext_proc stream is left open", func() bool { return counter(t, s, "mcp_toolsearch_extproc_open_streams") == 0 })
}
