package aggregate

import (
	"context"
	"errors"
	"time"

	"mcp-toolsearch/sidecar/member"
)

// nobody is the Observer of those who have none.
type nobody struct{}

func (nobody) ServerListed(string, string, int, time.Duration) {}
func (nobody) ServerGone(string)                               {}
func (nobody) Collided(int)                                    {}

// authFailed is the outcome of a listing that the server refused.
const authFailed = "auth"

// outcome is the label of a listing's end: "" for a good one.
func outcome(err error) string {
	var failed *member.Error
	var refused *member.AuthError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errLoop):
		return "loop"
	case errors.As(err, &refused):
		return authFailed
	case errors.As(err, &failed):
		return failed.Kind.String()
	case errors.Is(err, context.DeadlineExceeded):
		return "timed_out"
	}
	return "cancelled"
}

// tell reports a listing of tools to the observer, and a failure to the log.
// had says that an earlier list stands in.
func (a *Aggregate) tell(e *entry, n int, err error, had bool, took time.Duration) {
	if a.ctx.Err() != nil {
		return
	}
	if err == nil {
		a.o.Observer.ServerListed(e.server.Name, "ok", n, took)
		return
	}
	kind := outcome(err)
	a.o.Observer.ServerListed(e.server.Name, kind, 0, took)
	var failed *member.Error
	if errors.As(err, &failed) && failed.Waiting {
		return // told when it went down
	}
	text := "a server could not be listed; it has no tools yet, and it is tried again"
	if had {
		text = "a server could not be listed; its last known tools stand in, and it is tried again"
	}
	a.o.Logger.Warn(text, "server", e.server.Name, "where", e.server.Where(), "kind", kind, "what", err.Error())
}

// merged tells the collisions of a new merge, each of them once.
func (a *Aggregate) merged(v *view) {
	if v.kind == tools {
		a.o.Observer.Collided(len(v.collisions))
	}
	for _, c := range v.collisions {
		if !a.newCollision(c) {
			continue
		}
		if c.published == "" {
			a.o.Logger.Warn("two servers list the same address; the first has it", "kind", v.kind.member(), "first", c.first, "other", c.server)
			continue
		}
		a.o.Logger.Warn("two servers list the same name; the first has it, the other is listed under another", "kind", v.kind.member(),
			"name", c.name, "first", c.first, "other", c.server, "listed_as", c.published)
	}
}

// maxTold bounds what is remembered of what was told.
const maxTold = 10_000

func (a *Aggregate) newCollision(c collision) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.collided[c] || len(a.collided) == maxTold {
		return false
	}
	a.collided[c] = true
	return true
}
