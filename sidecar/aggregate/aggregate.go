package aggregate

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
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
	// VisitorBytes bounds the listings that are kept for callers (default 512 MiB).
	VisitorBytes int
	// Changed is called after the shared listing of operator mode has changed,
	// so that who keeps one made of it can renew it; nil calls nobody.
	Changed func()
	// Moved is called with the headers of a call that was not run because the
	// tool that a door judged is another one by now, so that who keeps this
	// caller's listing can drop it; nil calls nobody.
	Moved func(http.Header)
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
	o       Options
	hop     string // this aggregate's name in Via
	seal    sealer
	roster  atomic.Pointer[roster]
	library *library
	claims  claims
	clients *clientTable
	tasks   *taskTable
	keeper  *keeper // nil: nothing is kept on disk

	ctx    context.Context // of everything that runs by itself
	cancel context.CancelFunc

	replacing sync.Mutex // one configuration after the other

	mu      sync.Mutex // guards what follows; never held while anything is sent
	closed  bool
	work    sync.WaitGroup
	left    []*entry          // that were in an earlier configuration and may still be in use
	watches map[*entry]func() // ends them
	shared  []byte            // the list of operator mode that was told last
	// announces says that a change of it is about to be told.
	announces bool
	collided  map[collision]bool // that have been told
}

// New returns the merged server. It connects to nothing before the first
// request, Refresh, or, in operator mode, its own streams that wait for changes.
func New(o Options) (*Aggregate, error) {
	if o.Open == nil || o.Logger == nil {
		return nil, errors.New("the aggregate needs Open and Logger")
	}
	if o.Identifier == nil && !o.OperatorMode {
		return nil, errors.New("the aggregate needs to know callers: set an Identifier, or OperatorMode")
	}
	o = o.withDefaults()
	seal, err := newSealer(o.SessionKey)
	if err != nil {
		return nil, err
	}
	a := &Aggregate{o: o, hop: newHop(), seal: seal, library: newLibrary(maxVisitors, o.VisitorBytes), clients: newClientTable(maxClients), tasks: newTaskTable(maxTasks),
		watches: map[*entry]func(){}, collided: map[collision]bool{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	now, _ := newRoster(nil).next(a.admitted(o.Servers), o.Open)
	a.roster.Store(now)
	if o.OperatorMode && o.ManifestPath != "" {
		a.keeper = &keeper{path: o.ManifestPath, log: o.Logger}
		a.recall()
	}
	a.watch(now)
	return a, nil
}

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.BodyBytes <= 0 {
		o.BodyBytes = wire.DefaultLimits().Bytes
	}
	if o.VisitorBytes <= 0 {
		o.VisitorBytes = maxVisitorBytes
	}
	if o.TTL == 0 {
		o.TTL = 10 * time.Minute
		if o.OperatorMode {
			o.TTL = 30 * time.Minute
		}
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	return o
}

// Replace changes the servers. Running calls of those that leave go on to
// their end; those that stay as they are keep their sessions. In operator mode
// the new ones are listed before it returns, or ctx ends.
func (a *Aggregate) Replace(ctx context.Context, list []servers.Server) {
	a.replace(list)
	if a.o.OperatorMode {
		s := a.shelf(a.visitor(nil), tools)
		_, _ = s.get(ctx, recent) // who can't be listed is told by the log
		a.announce(s)             // also when only servers left, and nothing was listed
	}
}

// admitted leaves out what operator mode can't serve: with what all callers
// share nobody's own credentials may be used.
func (a *Aggregate) admitted(list []servers.Server) []servers.Server {
	if !a.o.OperatorMode {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(s servers.Server) bool {
		if s.Auth == servers.Caller {
			a.o.Logger.Error("a server with auth: caller is left out, because the tools of this run are shared by all callers: restart to take it in", "server", s.Name)
		}
		return s.Auth == servers.Caller
	})
}

func (a *Aggregate) replace(list []servers.Server) {
	a.replacing.Lock()
	defer a.replacing.Unlock()
	if a.ctx.Err() != nil {
		return // too late: nobody would close what is opened now
	}
	now, gone := a.roster.Load().next(a.admitted(list), a.o.Open)
	a.roster.Store(now)
	for _, s := range a.library.all() {
		s.replace(now)
	}
	a.mu.Lock()
	a.left = slices.DeleteFunc(append(a.left, gone...), (*entry).closed)
	var ends []func()
	for _, e := range gone {
		if end := a.watches[e]; end != nil {
			ends = append(ends, end)
			delete(a.watches, e)
		}
	}
	a.mu.Unlock()
	for _, end := range ends {
		end()
	}
	for _, e := range gone {
		e.leave()
		if now.byName[e.server.Name] == nil {
			a.o.Observer.ServerGone(e.server.Name)
		}
	}
	a.watch(now)
}

// Refresh lists all servers anew and waits for them (operator mode; a caller's
// listing is renewed by its own requests). It is an error when none could be
// listed; what was known stays then.
func (a *Aggregate) Refresh(ctx context.Context) (Report, error) {
	if !a.o.OperatorMode {
		return Report{}, errors.New("there is no shared list to refresh: every caller has its own; use search_tools with refresh")
	}
	v, err := a.shelf(a.visitor(nil), tools).get(ctx, full)
	if err != nil {
		return Report{}, err
	}
	for k := prompts; k < kinds; k++ {
		s := a.shelf(a.visitor(nil), k)
		for _, e := range v.roster.entries {
			s.note(e.server.Name)
		}
	}
	report := v.report()
	if len(v.sources) > 0 && len(v.missing()) == len(v.sources) {
		return report, errors.New("no server could be listed: the last known tools stay; see the log for each server's failure")
	}
	return report, nil
}

// spawn runs f in a goroutine that Close ends and waits for; false when it is
// too late.
func (a *Aggregate) spawn(f func(context.Context)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.work.Go(func() { f(a.ctx) })
	return true
}

// Close ends everything, running calls too, and waits for it.
func (a *Aggregate) Close() {
	a.replacing.Lock()
	a.cancel()
	a.replacing.Unlock()
	a.mu.Lock()
	a.closed = true
	entries := append(slices.Clone(a.left), a.roster.Load().entries...)
	a.mu.Unlock()
	a.work.Wait()
	for _, e := range entries {
		e.leave()
	}
	for _, e := range entries {
		<-e.done
	}
}
