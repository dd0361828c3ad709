package member

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/tlsfiles"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// partingTimeout bounds what is sent after the work is done or given up:
// ending a session, cancelling a call, answering a server's request.
const partingTimeout = 2 * time.Second

// maxMessage bounds one message of a server that we must read whole.
const maxMessage = 64 << 20

// errSilent ends a request whose server said nothing for too long.
var errSilent = errors.New("the server is silent")

// patience cancels a context when the server says nothing for a time.
type patience struct {
	timer  *time.Timer
	limit  time.Duration
	cancel context.CancelCauseFunc
	ended  atomic.Bool
	rests  atomic.Bool
}

// withPatience makes a context that ends after limit of silence; limit 0 never
// ends it.
func withPatience(ctx context.Context, limit time.Duration) (context.Context, *patience) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &patience{limit: limit, cancel: cancel}
	if limit > 0 {
		p.timer = time.AfterFunc(limit, func() { cancel(errSilent) })
	}
	return ctx, p
}

// heard starts the time anew.
func (p *patience) heard() {
	if p.timer != nil && !p.ended.Load() && !p.rests.Load() {
		p.timer.Reset(p.limit)
	}
}

// rest stops the time while nobody waits for the server; what it says meanwhile
// doesn't start it. wake does.
func (p *patience) rest() {
	p.rests.Store(true)
	if p.timer != nil {
		p.timer.Stop()
	}
}

// wake starts the time anew after a rest.
func (p *patience) wake() {
	p.rests.Store(false)
	p.heard()
}

// end lets go of the context; whatever still uses it is cancelled.
func (p *patience) end() {
	p.ended.Store(true)
	if p.timer != nil {
		p.timer.Stop()
	}
	p.cancel(context.Canceled)
}

// do sends one request. Every answer is one, whatever its status, but for
// redirects; what is no answer is an *Error or the context's error.
func (m *Member) do(ctx context.Context, method string, h http.Header, body []byte) (*http.Response, error) {
	if err := m.health.admit(); err != nil {
		return nil, err
	}
	resp, err := m.send(ctx, method, h, body)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSilent) {
			m.health.abandoned()
		}
		return nil, err
	}
	if !gatewayFailed(resp.StatusCode) {
		m.health.up()
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		upstream.Drain(resp)
		return nil, m.failure(&upstream.Error{Kind: upstream.BadStatus, Status: resp.StatusCode,
			Detail: "a redirect, which is not followed because it would carry credentials"})
	}
	return resp, nil
}

// send is do without its judgement, for last words.
func (m *Member) send(ctx context.Context, method string, h http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Server: m.Name(), Kind: upstream.Unreachable, Detail: "its address is not a URL"}
	}
	req.Header = h
	if host := h.Get("Host"); host != "" { // net/http takes it from nowhere else
		req.Host = host
		h.Del("Host")
	}
	wire.Once(req)
	resp, err := m.http.Do(req)
	if err == nil {
		return resp, nil
	}
	failed := m.failure(upstream.TransportFailure(ctx, err))
	if errors.Is(context.Cause(ctx), errSilent) {
		failed = m.silent()
	}
	var e *Error
	if errors.As(failed, &e) && neverArrived(err) {
		m.eras.forget()
		m.health.failed(e.Kind)
		e.noted, e.Unsent = true, true
	}
	return nil, failed
}

func (m *Member) silent() error {
	return &Error{Server: m.Name(), Kind: upstream.TimedOut, Detail: "no sign of life in time"}
}

// neverArrived says that a request can't have reached the server.
func neverArrived(err error) bool {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &certificate) || tlsfiles.OursRefused(err) || errors.As(err, &op) && op.Op == "dial"
}

// failure turns an error of package upstream into one that names the server.
func (m *Member) failure(err error) error {
	var e *upstream.Error
	var auth *upstream.AuthError
	switch {
	case errors.As(err, &auth):
		return &AuthError{Server: m.Name(), Status: auth.Status, Challenge: auth.Challenge}
	case errors.As(err, &e):
		return &Error{Server: m.Name(), Kind: e.Kind, Status: e.Status, Detail: e.Detail, advice: e.Advice()}
	}
	return err
}

// ask sends a request of our own and reads its answer. budget bounds the bytes
// read; nil means maxMessage.
func (m *Member) ask(ctx context.Context, who identity, p hop, params []byte, budget *int64) (*upstream.Reply, error) {
	id := m.newID()
	resp, err := m.do(ctx, http.MethodPost, m.headers(who, p), request(id, p.method, params))
	if err != nil {
		return nil, err
	}
	if err := m.notRunning(resp); err != nil {
		return nil, err
	}
	limit := int64(maxMessage)
	if budget != nil {
		limit = *budget
	}
	rep, err := upstream.ReadReply(ctx, resp, upstream.Reading{ID: id, Budget: budget, MaxEvent: limit,
		Asked: func(ctx context.Context, a *wire.Answer) { m.decline(ctx, who, p, a) }})
	if err != nil {
		return nil, m.failure(err)
	}
	return rep, nil
}

// notRunning is why a local command doesn't run, in the words of the transport
// that starts it: they are ours, and say what to do. A server's own words are
// never taken over.
func (m *Member) notRunning(resp *http.Response) error {
	if m.o.Server.URL != "" || resp.StatusCode != http.StatusServiceUnavailable && resp.StatusCode != http.StatusTooManyRequests {
		return nil
	}
	defer resp.Body.Close()
	e := &Error{Server: m.Name(), Kind: upstream.Unreachable, Status: resp.StatusCode, Detail: "its command does not run"}
	if resp.StatusCode == http.StatusTooManyRequests {
		e.Kind = upstream.BadStatus
	}
	if held, ok := hold(resp); ok {
		if a, err := wire.ScanAnswer(held); err == nil && a.ErrorMessage != "" {
			e.Detail, e.whole = a.ErrorMessage, true
		}
	}
	return e
}

// decline answers a request that a server makes while it answers one of ours, so
// that neither waits for the other.
func (m *Member) decline(ctx context.Context, who identity, p hop, a *wire.Answer) {
	if p.era != wire.Legacy {
		return
	}
	m.respond(ctx, who, p, ownAnswer(a))
}

// ownAnswer answers a request of a server's without its client: pings, and a no
// to the rest.
func ownAnswer(a *wire.Answer) []byte {
	if a.Method == "ping" {
		return wire.ResultBody(a.ID, wire.Legacy, []byte("{}"))
	}
	return wire.ErrorBody(a.ID, wire.CodeMethodNotFound, "nobody is here to answer this", nil)
}

// respond posts a response to a request of a legacy server's.
func (m *Member) respond(ctx context.Context, who identity, p hop, body []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTimeout)
	defer cancel()
	p.method = ""
	if resp, err := m.send(ctx, http.MethodPost, m.headers(who, p), body); err == nil {
		upstream.Drain(resp)
	}
}

// notify posts a notification of our own and gives the status.
func (m *Member) notify(ctx context.Context, who identity, p hop, params []byte) (status int, err error) {
	resp, err := m.do(ctx, http.MethodPost, m.headers(who, p), notification(p.method, params))
	if err != nil {
		return 0, err
	}
	defer upstream.Drain(resp)
	return resp.StatusCode, m.failure(upstream.StatusFailure(resp))
}

// cancelCall tells a legacy server that nobody waits for a request any more.
func (m *Member) cancelCall(ctx context.Context, who identity, p hop, id []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTimeout)
	defer cancel()
	p.method = "notifications/cancelled"
	params := append(append([]byte(`{"requestId":`), id...), `,"reason":"the client left"}`...)
	if resp, err := m.send(ctx, http.MethodPost, m.headers(who, p), notification(p.method, params)); err == nil {
		upstream.Drain(resp)
	}
}

func request(id []byte, method string, params []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"method":"`+method+`","params":`...)
	return append(append(b, params...), '}')
}

func notification(method string, params []byte) []byte {
	b := []byte(`{"jsonrpc":"2.0","method":"` + method + `"`)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}
