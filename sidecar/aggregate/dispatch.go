package aggregate

import (
	"net/http"
	"strconv"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// dispatch serves one scanned message.
func (x *exchange) dispatch() {
	switch x.msg.Kind {
	case wire.Response:
		x.respond()
		return
	case wire.Notification:
		x.notified()
		return
	}
	if k, ok := kindOf(x.msg.Method); ok {
		x.list(k)
		return
	}
	switch x.msg.Method {
	case "tools/call":
		x.named(tools)
	case "prompts/get":
		x.named(prompts)
	case "resources/read":
		x.addressed()
	case "completion/complete":
		x.complete()
	case "tasks/get", "tasks/update", "tasks/cancel", "tasks/result":
		x.task()
	case "server/discover", "subscriptions/listen":
		x.modernOnly()
	default:
		x.legacyOnly()
	}
}

func (x *exchange) modernOnly() {
	switch {
	case x.era != wire.Modern:
		x.unknownMethod()
	case x.msg.Method == "server/discover":
		x.discover()
	default:
		x.subscribe()
	}
}

func (x *exchange) legacyOnly() {
	if x.era != wire.Legacy {
		x.unknownMethod()
		return
	}
	switch x.msg.Method {
	case "initialize":
		x.initialize()
	case "ping":
		x.result([]byte("{}"))
	case "logging/setLevel":
		x.setLevel()
	case "resources/subscribe", "resources/unsubscribe":
		x.addressed()
	case "tasks/list":
		x.taskList()
	default:
		x.unknownMethod()
	}
}

func (x *exchange) unknownMethod() {
	x.refuse(&wire.Fault{Code: wire.CodeMethodNotFound, Reason: "unknown_method", Message: "this method is not known here: use one of the protocol's in this version"})
}

// list answers a listing: one page from all servers.
func (x *exchange) list(k kind) {
	if x.msg.HasCursor {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "merged_cursor", Message: "there is only one page: ask without a cursor"})
		return
	}
	want := recent
	if x.fresh {
		want = renewed
	}
	v, err := x.a.shelf(x.who, k).get(x.ctx, want)
	if err != nil {
		x.failed(nil, err, false)
		return
	}
	if refused := x.mustLogIn(v); refused != nil {
		x.challenge(refused)
		return
	}
	if v.count == 0 && len(v.sources) > 0 && len(v.missing()) == len(v.sources) && (k == tools || len(v.starting()) == 0) {
		x.refuse(allDown())
		return
	}
	x.result(x.listResult(v))
}

func allDown() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusServiceUnavailable, Reason: "servers_down",
		Message: "none of the configured servers could be listed: try again in a moment; if it stays, the program's log says what is wrong with each"}
}

// leastTTL is what a listing without some server's own is good for: it is
// asked for again soon.
const leastTTL = 30 * time.Second

// listResult is the result of a listing. What is missing is said in its _meta.
func (x *exchange) listResult(v *view) []byte {
	out := append([]byte(`{"`+v.kind.member()+`":`), v.body...)
	var meta []byte
	if x.era == wire.Modern {
		out = append(out, `,"ttlMs":`...)
		out = strconv.AppendInt(out, x.ttl(v).Milliseconds(), 10)
		out = append(out, `,"cacheScope":"private"`...)
		meta = append(meta, `"io.modelcontextprotocol/serverInfo":`...)
		meta = append(meta, x.a.serverInfo()...)
	}
	if missing := v.missing(); len(missing) > 0 {
		if len(meta) > 0 {
			meta = append(meta, ',')
		}
		meta = append(meta, `"mcp-toolsearch/down":`...)
		meta = append(meta, texts(missing)...)
	}
	if starting := v.starting(); len(starting) > 0 { // they are among the missing, so meta isn't empty
		meta = append(append(meta, `,"mcp-toolsearch/starting":`...), texts(starting)...)
	}
	if len(meta) > 0 {
		out = append(append(append(out, `,"_meta":{`...), meta...), '}')
	}
	return append(out, '}')
}

// ttl is how long a listing may be kept by the client.
func (x *exchange) ttl(v *view) time.Duration {
	if x.a.o.TTL <= 0 {
		return leastTTL
	}
	left := max(x.a.o.TTL-time.Since(v.listed), leastTTL)
	if !v.complete() {
		return min(left, leastTTL)
	}
	return left
}

// named sends a call of a tool or of a prompt to the server that has it.
func (x *exchange) named(k kind) {
	if !x.msg.HasName {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "name_missing", Message: "params.name is missing: " + x.msg.Method + " needs a name as a string"})
		return
	}
	t, ok, err := x.find(k, x.msg.Name)
	if err != nil {
		x.failed(nil, err, false)
		return
	}
	if !ok {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "unknown_name", Message: "no server has this name: use one that " + k.method() + " lists, exactly as it stands there"})
		return
	}
	if k == tools && !x.asJudged(t) {
		x.refuseMoved()
		return
	}
	x.forwardTo(t.entry, t.server, x.withName(t.name))
}

// withName is the message with the server's own name in it.
func (x *exchange) withName(name string) []byte {
	if name == x.msg.Name {
		return x.msg.Body
	}
	at := x.msg.NameAt
	out := append([]byte(nil), x.msg.Body[:at.Start]...)
	out = append(out, wire.Quote(name)...)
	return append(out, x.msg.Body[at.End:]...)
}

// relistPause is the least time between two listings for unknown names.
const relistPause = 10 * time.Second

// find looks a published name up; an unknown one is worth one new listing.
func (x *exchange) find(k kind, name string) (found, bool, error) {
	s := x.a.shelf(x.who, k)
	if f, ok := s.view().lookUp(name); ok {
		return f, true, nil // a call waits for no listing
	}
	for _, want := range []freshness{recent, renewed} {
		if want == renewed && !s.mayRelist() {
			break
		}
		v, err := s.get(x.ctx, want)
		if err != nil {
			return found{}, false, err
		}
		if f, ok := v.lookUp(name); ok {
			return f, true, nil
		}
	}
	return found{}, false, nil
}

// forward sends a message of the client's to a server and its answer back.
func (x *exchange) forward(server string, body []byte) {
	x.forwardTo(x.a.roster.Load().byName[server], server, body)
}

// forwardTo is forward to the server that a view was made of: another one may
// have its name by now.
func (x *exchange) forwardTo(e *entry, server string, body []byte) {
	if e == nil || !e.use() {
		x.refuse(&wire.Fault{Code: wire.CodeInternal, Reason: "server_failed", Message: "the server " + server + " was taken out of the configuration: list again"})
		return
	}
	defer e.release()
	s, err := x.session(e)
	if err != nil {
		x.failed(e, err, false)
		return
	}
	answer, err := s.Post(x.ctx, body, x.client.Header)
	if err != nil {
		x.failed(e, err, true)
		return
	}
	x.pass(e, answer)
}

// mustLogIn is the challenge of a listing that the client must answer: it
// brought no credential, or none of the servers takes it.
func (x *exchange) mustLogIn(v *view) *member.AuthError {
	for _, c := range v.challenges {
		e := v.roster.byName[c.Server]
		if e == nil || !e.forCallers() {
			continue
		}
		if x.who.anonymous && c.Status == http.StatusUnauthorized || len(v.challenges) == len(v.sources) {
			return c
		}
	}
	return nil
}
