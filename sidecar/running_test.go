package sidecar_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func session(id string) func(*sidecar.Request) {
	return func(r *sidecar.Request) {
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
		}
	}
}

// TestACancelledNotificationEndsTheBatch: only within a session, since two clients with one token, or without any, count
// their ids alike.
func TestACancelledNotificationEndsTheBatch(t *testing.T) {
	tests := map[string]struct {
		id, cancelled string
		who           string
		own, session  string // Mcp-Session-Id of the batch and of the notification; "" none
		ends          bool
	}{
		"the same id":                     {`7`, `7`, "Bearer one", "s1", "s1", true},
		"the same text in other escapes":  {`"aé"`, `"a\u00e9"`, "Bearer one", "s1", "s1", true},
		"a number is no text":             {`7`, `"7"`, "Bearer one", "s1", "s1", false},
		"another caller":                  {`7`, `7`, "Bearer two", "s1", "s1", false},
		"another session of the caller's": {`7`, `7`, "Bearer one", "s1", "s2", false},
		"no session on either side":       {`7`, `7`, "Bearer one", "", "", false},
		"no session on the batch":         {`7`, `7`, "Bearer one", "", "s1", false},
		"no session on the notification":  {`7`, `7`, "Bearer one", "s1", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := open(t, nil, tool("slow", "", "", readOnly))
			d.Upstream.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
			gate := make(chan struct{})
			d.Upstream.Script("slow", upstreamtest.Script{Gate: gate})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			body := strings.Replace(calls(`{"name":"slow"}`), `"id":1`, `"id":`+tt.id, 1)
			req := request(t, wire.Legacy, body, session(tt.own))
			done := make(chan sidecar.Decision, 1)
			go func() { done <- d.Decide(ctx, req) }()
			arrived(t, d.Upstream, "tools/call")
			notice := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, tt.cancelled)
			if got := decide(t, d, wire.Legacy, notice, set("Authorization", tt.who), session(tt.session)); got.Kind != sidecar.Pass {
				t.Errorf("the notification is not passed on: %s", got.Kind)
			}
			if !tt.ends {
				close(gate)
			}
			text := said(t, <-done, tt.ends)
			if want := map[bool]string{true: "error: the request was cancelled", false: "slow ran"}[tt.ends]; !strings.Contains(text, want) {
				t.Errorf("the batch gave %q, want %q", text, want)
			}
		})
	}
}
