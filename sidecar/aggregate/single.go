package aggregate

import (
	"bytes"
	"io"
	"maps"
	"mime"
	"net/http"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// relay passes a request to the only server as it is, and the answer back.
func (x *exchange) relay(e *entry) {
	if !e.use() {
		x.refuse(allDown())
		return
	}
	defer e.release()
	body, fault := x.read()
	if fault != nil {
		x.refuse(fault)
		return
	}
	if x.modernRequest(body) && x.eraOf(e, wire.Modern, wire.ModernVersion) == wire.Legacy {
		x.merged()
		return
	}
	if x.judgedElsewhere(e, body) {
		return
	}
	x.client.Header = x.a.withHop(x.r.Header)
	answer, err := e.member.Relay(x.ctx, x.client, x.r.Method, body, x.r.Header)
	if err != nil {
		x.relayFailed(e, body, err)
		return
	}
	defer answer.Body.Close()
	if answer.Status >= http.StatusBadRequest && x.greets(body) && x.eraOf(e, wire.Legacy, legacyVersion) == wire.Modern {
		x.merged()
		return
	}
	maps.Copy(x.w.Header(), answer.Header)
	x.relayBody(answer)
}

// translated says that a client of the only server has a session of ours: it
// speaks a legacy era and the server doesn't.
func (x *exchange) translated() bool {
	_, ok := x.a.seal.open(x.r.Header.Get(sessionHeader))
	return ok
}

// greets tells the initialize of a legacy client.
func (x *exchange) greets(body []byte) bool {
	if !bytes.Contains(body, []byte(`"initialize"`)) {
		return false
	}
	msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes})
	return fault == nil && msg.Method == "initialize"
}

// modernRequest tells a request of the modern era. server/discover is none: it
// is how a client of both eras finds out which the server speaks, and in a
// session of the server's own era nothing needs translating.
func (x *exchange) modernRequest(body []byte) bool {
	if era, _, fault := wire.EraOf(x.r.Header); era != wire.Modern || fault != nil || x.r.Method != http.MethodPost {
		return false
	}
	msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes})
	return fault == nil && msg.Kind == wire.Request && msg.Method != "server/discover"
}

// eraOf is the era that the only server is spoken to in for a client of an
// era; the client's own when the server can't be asked.
func (x *exchange) eraOf(e *entry, era wire.Era, version string) wire.Era {
	client := x.a.visitor(x.r.Header).clientFor(e)
	client.Era, client.Version = era, version
	s, err := e.member.Session(x.ctx, client, "")
	if err != nil {
		return era
	}
	return s.Era()
}

func (x *exchange) relayBody(answer *member.Answer) {
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == streamKind {
		x.w.Header().Set("X-Accel-Buffering", "no")
	}
	x.w.WriteHeader(answer.Status)
	x.flush()
	if _, err := io.Copy(flushing{x}, answer.Body); err != nil && x.r.Context().Err() == nil {
		panic(http.ErrAbortHandler)
	}
}

// relayFailed answers for the only server. Its tools are listed from memory, so
// that they can be found while it starts.
func (x *exchange) relayFailed(e *entry, body []byte, err error) {
	x.era, _, _ = wire.EraOf(x.r.Header) // a faulty header is the server's to refuse
	msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes})
	if fault == nil {
		x.msg = msg
	}
	if x.msg != nil && x.msg.Kind == wire.Request && x.msg.Method == tools.method() && !x.msg.HasCursor {
		x.who = x.a.visitor(x.r.Header)
		if v := x.a.shelf(x.who, tools).view(); v.count > 0 {
			x.result(x.listResult(v))
			return
		}
	}
	x.failed(e, err, true)
}
