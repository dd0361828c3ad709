package sidecar

import (
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/wire"
)

// Overloaded is the answer to a request that a door doesn't take in: HTTP 503 with Retry-After.
func Overloaded() Decision { return overloaded(wire.Overloaded(nil)) }

func overloaded(f *wire.Fault) Decision {
	h := jsonHeader()
	h.Set("Retry-After", bounds.RetryAfter)
	return Decision{Kind: Answer, Status: f.Status, Header: h, Body: f.Body(),
		Labels: Labels{Method: "other", Outcome: "fault", Reason: f.Reason}}
}

// overloaded answers a request whose tools are not listed now.
func (e *Engine) overloaded(t *turn) Decision {
	f := wire.Overloaded(t.msg.ID)
	t.labels.Outcome, t.labels.Reason = "fault", f.Reason
	return overloaded(f)
}
