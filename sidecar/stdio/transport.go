package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// Options configure a [Transport]. Zero values mean the defaults named beside each field.
type Options struct {
	Server servers.Server // with a Command
	// Environ is the program's own environment (KEY=value); the command gets a small safe part of it, and the server's Env.
	Environ []string
	// MaxProcesses is how many processes run at once, for sessions and shared; 16. When there are more sessions, the one
	// unused for longest ends.
	MaxProcesses int
	IdleTimeout  time.Duration // unused for so long, a process ends; 30 min
	Grace        time.Duration // time to end when asked to, twice: at the end of input, and after SIGTERM; 2 s
	BodyBytes    int           // largest message of a client; 4 MiB
	LineBytes    int           // largest message of the server; 16 MiB
	ProbeTimeout time.Duration // how long server/discover is awaited before the server counts as legacy; the server's OpenTimeout, 90 s
	Logger       *slog.Logger  // none
	// LogStderr writes what the server prints on stderr to the log, at debug level, and its last lines when it ends by
	// itself. They may hold secrets: without it lines are only counted.
	LogStderr bool
}

// ErrClosed is the error of a request to a [Transport] that was closed.
var ErrClosed = errors.New("the MCP server's processes have been ended: this program is stopping")

// Transport presents a local command as an MCP server over streamable HTTP, at any URL. It is an [http.RoundTripper] that
// connects to nothing, safe for concurrent use. Close must be called.
type Transport struct {
	o       Options
	environ []string
	log     *slog.Logger

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	busy sync.WaitGroup // goroutines

	mu       sync.Mutex
	sessions map[string]*talk
	shared   *talk // of the modern era; nil until it is needed
	spare    *talk // runs, but has no session yet
	probed   *talk // runs, and is asked what it speaks
	era      era
	opening  *opening // of the shared process, under way
	starts   starts
	closed   bool
}

// New returns a transport for o.Server, which is started when it is first needed.
func New(o Options) *Transport {
	o = o.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	return &Transport{o: o, environ: environment(o.Environ, o.Server.Env), log: o.Logger.With("server", o.Server.Name), ctx: ctx, stop: stop,
		sessions: map[string]*talk{}}
}

func (o Options) withDefaults() Options {
	if o.MaxProcesses <= 0 {
		o.MaxProcesses = 16
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 30 * time.Minute
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.BodyBytes <= 0 {
		o.BodyBytes = 4 << 20
	}
	if o.LineBytes <= 0 {
		o.LineBytes = 16 << 20
	}
	if o.ProbeTimeout <= 0 {
		o.ProbeTimeout = o.Server.OpenTimeout // who is downloaded at the first start must not be ended before it could answer
	}
	if o.ProbeTimeout <= 0 {
		o.ProbeTimeout = servers.DefaultStartTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// RoundTrip implements [http.RoundTripper]. Whatever goes wrong is an answer with a JSON-RPC error; its own errors are
// those of the request's context, of reading the request's body, and ErrClosed.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, int64(t.o.BodyBytes)+1)); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if t.ctx.Err() != nil {
		return nil, ErrClosed
	}
	era, version, fault := wire.EraOf(r.Header)
	if fault != nil {
		return refused(r, fault), nil
	}
	switch {
	case r.Method == http.MethodPost:
	case era == wire.Legacy && r.Method == http.MethodGet:
		return t.listen(r), nil
	case era == wire.Legacy && r.Method == http.MethodDelete:
		return t.delete(r), nil
	default:
		return refused(r, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusMethodNotAllowed, Reason: "command_method",
			Message: "this method means nothing here: send JSON-RPC messages by POST"}), nil
	}
	m, fault := wire.Scan(body, wire.Limits{Bytes: t.o.BodyBytes})
	switch {
	case fault != nil:
		return refused(r, fault), nil
	case m.Kind == wire.Batch:
		return refused(r, &wire.Fault{Code: wire.CodeInvalidRequest, Reason: "command_batch", Message: "a local server takes no batches: send one message a request"}), nil
	case era == wire.Modern:
		return t.modern(r, m, version)
	}
	return t.legacy(r, m)
}

// Close ends every process with all that it started, and returns when nothing of them is left. Requests under way end
// with an error.
func (t *Transport) Close() {
	t.mu.Lock()
	t.closed = true
	t.stop()
	for _, k := range t.talks() {
		k.quit()
	}
	t.mu.Unlock()
	t.busy.Wait()
}

// talks are all that run; t.mu is held.
func (t *Transport) talks() []*talk {
	var all []*talk
	for _, k := range t.sessions {
		all = append(all, k)
	}
	for _, k := range []*talk{t.shared, t.spare, t.probed} {
		if k != nil {
			all = append(all, k)
		}
	}
	return all
}

// ask sends a request to a process and returns its answer, or answers that it can't.
func (t *Transport) ask(r *http.Request, k *talk, m *wire.Message, e wire.Era) (*http.Response, error) {
	c, fault, err := t.send(r.Context(), k, m, e)
	switch {
	case fault != nil:
		return refused(r, fault), nil
	case err != nil:
		return nil, err
	}
	return c.reply(r, e, func() { k.drop(c) })
}

// send begins a call. The fault is an answer; the error is ctx's.
func (t *Transport) send(ctx context.Context, k *talk, m *wire.Message, e wire.Era) (*call, *wire.Fault, error) {
	c, line, err := k.begin(m, e)
	var fault *wire.Fault
	switch {
	case errors.As(err, &fault):
		return nil, fault, nil
	case err != nil:
		return nil, noSession(m.ID), nil
	}
	k.watch(ctx, c)
	if err := k.process.send(ctx, outgoing{line: line, sent: &c.sent}); err != nil && ctx.Err() != nil {
		k.drop(c)
		return nil, nil, ctx.Err()
	}
	return c, nil, nil // when the process has ended, the talk answers
}

// tell sends what has no answer.
func (t *Transport) tell(r *http.Request, k *talk, m *wire.Message) (*http.Response, error) {
	if m.Method == "notifications/cancelled" {
		k.cancelled(find(m.Body, "params", "requestId").In(m.Body))
	}
	switch err := k.process.send(r.Context(), outgoing{line: wire.OneLine(m.Body)}); {
	case err == nil:
		return empty(r, http.StatusAccepted), nil
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	}
	return refused(r, noSession(nil)), nil
}

// refused is an answer with a fault.
func refused(r *http.Request, f *wire.Fault) *http.Response {
	status := f.Status
	if status == 0 {
		status = f.StatusFor(wire.Modern)
	}
	return document(r, status, f.Body())
}

// noSession says that the session is not there, or not any more (spec 2025-11-25 basic/transports, "Session Management").
func noSession(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusNotFound, Reason: "session_ended", ID: bytes.Clone(id),
		Message: "this session is not there, or has ended: send initialize again without a session id"}
}

// unavailable is an answer of a server that doesn't run.
func unavailable(r *http.Request, id []byte, d *denial) *http.Response {
	status := http.StatusServiceUnavailable
	if d.busy {
		status = http.StatusTooManyRequests
	}
	resp := refused(r, &wire.Fault{Code: wire.CodeInternal, Status: status, Reason: d.Reason, ID: id, Message: d.text})
	if d.after > 0 {
		resp.Header.Set("Retry-After", strconv.Itoa(int(d.after.Seconds())+1))
	}
	return resp
}
