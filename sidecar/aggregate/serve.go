package aggregate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"mcp-toolsearch/sidecar/crash"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

const sessionHeader = "Mcp-Session-Id"

// exchange is one request of a client.
type exchange struct {
	a      *Aggregate
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	fresh  bool // listings are made anew
	roster *roster

	body   []byte
	msg    *wire.Message
	era    wire.Era
	ticket *ticket // of the session; nil when there is none
	who    *visitor
	client member.Client
}

// ServeHTTP serves MCP over streamable HTTP in both eras, whatever the path. Like
// httputil.ReverseProxy it panics with http.ErrAbortHandler when an answer
// breaks off in the middle, so that nobody takes it for a whole one.
func (a *Aggregate) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.serve(w, r, false) }

// Own serves the program's own requests as ServeHTTP does, but lists anew
// instead of answering a listing from memory: who asks keeps one of its own.
func (a *Aggregate) Own() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, true) })
}

// told logs what a request ran into in the program itself.
func (a *Aggregate) told(r *crash.Report) {
	a.o.Logger.Error("a request made the merge panic; it was cut off", "panic", r.What, "stack", r.Stack)
}

func (a *Aggregate) serve(w http.ResponseWriter, r *http.Request, fresh bool) {
	defer crash.Cut(a.told)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	x := &exchange{a: a, w: w, r: r, ctx: ctx, fresh: fresh, roster: a.roster.Load()}
	if a.looped(r.Header) {
		f := wire.Fault{Code: wire.CodeInternal, Status: http.StatusLoopDetected, Reason: "merge_loop",
			Message: "this request has been here before: one of the configured servers leads back to this program; take it out, or give the address of the MCP server itself"}
		x.write(f.Status, f.Body())
		return
	}
	if a.ctx.Err() != nil {
		x.era, _, _ = wire.EraOf(r.Header) // only for the status
		x.refuse(stopping())
		return
	}
	if e := x.roster.single(); e != nil && !x.translated() {
		x.relay(e)
		return
	}
	x.merged()
}

// merged serves a request when there are several servers.
func (x *exchange) merged() {
	if fault := x.identify(); fault != nil {
		x.name()
		x.refuse(fault)
		return
	}
	switch x.r.Method {
	case http.MethodPost:
		x.post()
	case http.MethodGet:
		x.listen()
	case http.MethodDelete:
		x.end()
	default:
		x.notAllowed()
	}
}

// name reads the message of a request that is refused for its headers, so that
// the refusal has its id.
func (x *exchange) name() {
	if x.r.Method != http.MethodPost {
		return
	}
	body, fault := x.read()
	if fault != nil {
		return
	}
	if msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes}); fault == nil {
		x.msg = msg
	}
}

// identify reads what the headers say: the era, the session, who asks.
func (x *exchange) identify() *wire.Fault {
	era, version, fault := wire.EraOf(x.r.Header)
	if fault != nil {
		return fault
	}
	x.era = era
	if version != "" && !slices.Contains(allVersions(), version) {
		requested := slices.Concat([]byte(`{"supported":`), texts(allVersions()), []byte(`,"requested":`), wire.Quote(version), []byte("}"))
		return &wire.Fault{Code: wire.CodeUnsupportedVersion, Status: http.StatusBadRequest, Reason: "unsupported_version",
			Message: "this protocol version is not supported: use one of data.supported", Data: requested}
	}
	x.who = x.a.visitor(x.r.Header)
	x.client = member.Client{Era: era, Version: version, Key: x.who.key, Header: x.a.withHop(x.r.Header)}
	id := x.r.Header.Get(sessionHeader)
	if era == wire.Modern || id == "" {
		return nil
	}
	t, ok := x.a.seal.open(id)
	if !ok || x.a.clients.hasEnded(t.Key) {
		return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusNotFound, Reason: "session_unknown",
			Message: "this session is not known here, or has ended: initialize again"}
	}
	x.ticket = t
	x.client = x.clientOf(t)
	return nil
}

// clientOf is the client of a session. The session's key alone isn't enough:
// whoever else gets hold of its id brings a credential of their own.
func (x *exchange) clientOf(t *ticket) member.Client {
	return member.Client{Era: wire.Legacy, Version: t.Version, Capabilities: t.Capabilities, Info: t.Info,
		Key: t.Key + "\x00" + x.who.key, Header: x.a.withHop(x.r.Header), Shared: len(x.a.o.SessionKey) > 0}
}

// post serves a message.
func (x *exchange) post() {
	if fault := wire.CheckEncoding(x.r.Header); fault != nil {
		x.refuse(fault)
		return
	}
	body, fault := x.read()
	if fault != nil {
		x.refuse(fault)
		return
	}
	msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes})
	if fault != nil {
		x.refuse(fault)
		return
	}
	x.msg = msg
	if fault = wire.CheckEra(x.era, msg); fault == nil && x.era == wire.Modern {
		fault = wire.CheckHeaders(x.r.Header, msg)
	}
	if fault != nil {
		x.refuse(fault)
		return
	}
	if x.era == wire.Modern {
		x.client.Capabilities = msg.Meta.ClientCapabilities.In(body)
		x.client.Info = field(msg.Meta.Span.In(body), "io.modelcontextprotocol/clientInfo")
	}
	if msg.Kind == wire.Batch {
		x.batch()
		return
	}
	x.dispatch()
}

// read reads the body once, one byte over the limit at most: that is enough to
// refuse it.
func (x *exchange) read() ([]byte, *wire.Fault) {
	if x.body != nil {
		return x.body, nil
	}
	limit := int64(x.a.o.BodyBytes)
	body, err := io.ReadAll(io.LimitReader(x.r.Body, limit+1))
	switch {
	case err != nil:
		return nil, &wire.Fault{Code: wire.CodeParse, Status: http.StatusBadRequest, Reason: "truncated", Message: "the body broke off: send the whole message"}
	case int64(len(body)) > limit:
		return nil, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusRequestEntityTooLarge, Reason: "body_too_large",
			Message: "the request body is larger than " + strconv.FormatInt(limit, 10) + " bytes: send a smaller one"}
	}
	x.body = body
	return body, nil
}

// refuse answers with a fault.
func (x *exchange) refuse(f *wire.Fault) {
	if f.ID == nil && x.msg != nil && x.msg.Kind == wire.Request {
		f.ID = x.msg.ID
	}
	x.write(f.StatusFor(x.era), f.Body())
}

// result answers the message with a result.
func (x *exchange) result(raw []byte) {
	x.write(http.StatusOK, wire.ResultBody(x.msg.ID, x.era, raw))
}

func (x *exchange) write(status int, body []byte) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // a client that went away needs no answer
}

func (x *exchange) notAllowed() {
	x.w.Header().Set("Allow", "POST, GET, DELETE")
	x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusMethodNotAllowed, Reason: "http_method",
		Message: "this HTTP method is not served here: send messages with POST"})
}

// failed answers for a server that didn't.
func (x *exchange) failed(e *entry, err error, sent bool) {
	var refused *member.AuthError
	switch {
	case x.r.Context().Err() != nil: // nobody waits for it
	case x.ctx.Err() != nil:
		x.refuse(stopping())
	case errors.As(err, &refused):
		x.challenge(refused)
	case x.msg != nil && x.msg.Method == "tools/call":
		x.result(wire.TextResult(failureText(e, err, sent), true))
	default:
		x.refuse(&wire.Fault{Code: wire.CodeInternal, Reason: "server_failed", Message: failureText(e, err, sent)})
	}
}

func stopping() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusServiceUnavailable, Reason: "stopping",
		Message: "the program is stopping: try again in a moment"}
}

// failureText says what happened and whether anything can have been run.
func failureText(e *entry, err error, sent bool) string {
	text := "the servers could not be asked"
	var failed *member.Error
	var status *statusError
	switch {
	case errors.As(err, &status):
		text = status.Error()
	case errors.As(err, &failed):
		text = failed.Error()
		sent = sent && !failed.Waiting && !failed.Unsent
	case e != nil:
		text = "the server " + e.server.Name + " gave no answer"
	}
	if sent {
		return text + ". What was asked may have been done: look before you try again."
	}
	return text + ". Nothing was run."
}

// challenge passes a server's 401 or 403 on.
func (x *exchange) challenge(refused *member.AuthError) {
	for _, value := range refused.Challenge {
		x.w.Header().Add("WWW-Authenticate", value)
	}
	f := &wire.Fault{Code: wire.CodeInvalidRequest, Status: refused.Status, Reason: "authorization",
		Message: "the server " + refused.Server + " refused the credentials: log in again, or ask for access"}
	x.refuse(f)
}
