package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// panicking is an engine that panics with what a request holds.
type panicking struct {
	relay.Engine
	with func(req sidecar.Request) any
}

func (p panicking) Decide(_ context.Context, req sidecar.Request) sidecar.Decision {
	panic(p.with(req))
}

// panickingItems panics as a call of a batch ends, where what is known of it isn't passed on.
type panickingItems struct{ sidecar.Observer }

func (panickingItems) BatchItem(string) { panic("m4rk") }

// TestAPanicTellsNoValue: who asked is cut off, the log says what and where, no value is in it, and the next
// one is served.
func TestAPanicTellsNoValue(t *testing.T) {
	batch := call("call_read_tools", `{"calls":[{"name":"mail_find","arguments":{"q":"m4rk"}},{"name":"mail_find"}]}`)
	search := call("search_tools", `{"query":"m4rk"}`)
	for name, c := range map[string]struct {
		body   string
		door   func(*relay.Options)
		engine func(*testdoor.Setup)
		where  string
	}{
		"a text":            {search, panics(func(r sidecar.Request) any { return string(r.Body) }), nil, "panicking.Decide"},
		"an error":          {search, panics(func(r sidecar.Request) any { return fmt.Errorf("%s: %w", r.Body, errors.New("m4rk")) }), nil, "panicking.Decide"},
		"headers":           {search, panics(func(r sidecar.Request) any { return r.Header }), nil, "panicking.Decide"},
		"the runtime":       {search, panics(func(r sidecar.Request) any { return r.Body[len(r.Body)+1] }), nil, "TestAPanicTellsNoValue"},
		"a call of a batch": {batch, nil, func(s *testdoor.Setup) { s.Engine.Observer = panickingItems{s.Engine.Observer} }, "panickingItems.BatchItem"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, upstreamtest.New(t, find), c.door, c.engine)
			mark := func(hr *http.Request) { hr.Header.Set("Authorization", "Bearer m4rk"); hr.Header.Set("Cookie", "m4rk") }
			resp, err := r.client.Do(r.request(t, t.Context(), wire.Modern, c.body, mark))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if err == nil || strings.Contains(err.Error(), "m4rk") {
				t.Errorf("error %v: want an answer that is cut off", err)
			}
			if log := r.text.String(); strings.Contains(log, "m4rk") || !strings.Contains(log, "made the HTTP door panic") || !strings.Contains(log, c.where) {
				t.Errorf("the log says %s, want %s and no value", log, c.where)
			}
			if c.door != nil {
				return // it fails with the next one too
			}
			if a := r.send(t, wire.Modern, list); a.status != http.StatusOK {
				t.Errorf("the next one: HTTP %d", a.status)
			}
		})
	}
}

func panics(with func(sidecar.Request) any) func(*relay.Options) {
	return func(o *relay.Options) { o.Engine = panicking{o.Engine, with} }
}
