package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/wire"
)

// goReadsTheSame decodes an accepted message as go-sdk does, and compares.
func goReadsTheSame(t *testing.T, m *wire.Message) {
	t.Helper()
	decoded, err := jsonrpc.DecodeMessage(m.Body)
	if err != nil {
		return // refusing is safe
	}
	switch d := decoded.(type) {
	case *jsonrpc.Response:
		if m.Kind != wire.Response || !sameID(m.ID, d.ID) {
			t.Errorf("go-sdk reads a response with id %v, we kind %d with id %s: %q", d.ID.Raw(), m.Kind, m.ID, m.Body)
		}
	case *jsonrpc.Request:
		if m.Kind == wire.Response || d.Method != m.Method || !sameID(m.ID, d.ID) || d.ID.IsValid() != (m.Kind == wire.Request) {
			t.Errorf("go-sdk reads %q with id %v, we %q with id %s: %q", d.Method, d.ID.Raw(), m.Method, m.ID, m.Body)
		}
		if name, ok := lastName(d.Params); ok && (name != m.Name || !m.HasName) {
			t.Errorf("the last name is %q, ours %q: %q", name, m.Name, m.Body)
		}
	}
}

// sameID compares our raw token with the SDK's value.
func sameID(raw []byte, id jsonrpc.ID) bool {
	switch v := id.Raw().(type) {
	case nil:
		return raw == nil
	case int64:
		return string(raw) == fmt.Sprint(v)
	case string:
		text, ok := wire.String(raw)
		return ok && text == v
	}
	return false
}

// lastName is params.name as a reader takes it that lets the last of several
// count and matches keys exactly.
func lastName(params []byte) (string, bool) {
	var members map[string]any
	if json.Unmarshal(params, &members) != nil {
		return "", false
	}
	name, ok := members["name"].(string)
	return name, ok
}

// ran is what a go-sdk server did with a body.
type ran struct{ method, name, arguments string }

// goServer is a stateless go-sdk server that records what it would run.
func goServer(t *testing.T) func(body []byte, h http.Header) []ran {
	t.Helper()
	var seen []ran
	server := mcp.NewServer(&mcp.Implementation{Name: "probe", Version: "1"}, nil)
	server.AddReceivingMiddleware(func(mcp.MethodHandler) mcp.MethodHandler {
		return func(_ context.Context, method string, req mcp.Request) (mcp.Result, error) {
			r := ran{method: method}
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
				r.name, r.arguments = p.Name, string(p.Arguments)
			}
			seen = append(seen, r)
			return &mcp.CallToolResult{}, nil
		}
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return func(body []byte, h http.Header) []ran {
		seen = nil
		req := httptest.NewRequest(http.MethodPost, "http://localhost/", bytes.NewReader(body))
		for k, v := range h {
			req.Header[k] = v
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		handler.ServeHTTP(httptest.NewRecorder(), req)
		return seen
	}
}

func TestGoSDKReadsTheSame(t *testing.T) {
	t.Parallel()
	serve := goServer(t)
	calls := 0
	for _, body := range bodies(t) {
		m, fault := wire.Scan(body, wire.DefaultLimits())
		if fault != nil || m.Kind != wire.Request {
			continue
		}
		goReadsTheSame(t, m)
		for _, h := range headersFor(m) {
			for _, r := range serve(body, h) {
				calls++
				want := ran{method: m.Method}
				if m.Method == "tools/call" {
					want.name, want.arguments = m.Name, string(m.Arguments.In(m.Body))
				}
				if r.method != "initialize" && r != want {
					t.Errorf("the server would run %+v, we read %+v: %q", r, want, body)
				}
			}
		}
	}
	if calls < 1000 {
		t.Errorf("the server ran %d of the requests; this compares too little", calls)
	}
}

// headersFor are the headers under which a server might run a request.
func headersFor(m *wire.Message) []http.Header {
	legacy := header("Mcp-Protocol-Version", "2025-11-25")
	if strings.ContainsAny(m.Method+m.Name, "\r\n\x00") {
		return []http.Header{legacy}
	}
	return []http.Header{legacy, header(), modern(m.Method, "Mcp-Name", m.Name)}
}
