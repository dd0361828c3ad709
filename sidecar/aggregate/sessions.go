package aggregate

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// forCallers says that the server gets the callers' own credentials.
func (e *entry) forCallers() bool { return e.server.Auth == servers.Caller }

// session is the client's session at a server, opened when there is none.
func (x *exchange) session(e *entry) (*member.Session, error) {
	id := ""
	if x.ticket != nil {
		id = x.ticket.idAt(e.place())
	}
	s, err := e.member.Session(x.ctx, x.client, id)
	if err != nil || x.ticket == nil {
		return s, err
	}
	if level := x.a.clients.use(x.ticket.Key, e.server.Name); level != nil && id == "" {
		x.say(s, level)
	}
	return s, nil
}

// say posts a message whose answer doesn't matter.
func (x *exchange) say(s *member.Session, message []byte) bool {
	answer, err := s.Post(x.ctx, message, x.client.Header)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.Status < http.StatusBadRequest
}

// describe is what a server says of itself; nil when that isn't known within
// the request's patience.
func (x *exchange) describe(e *entry) *member.Description {
	if !e.use() {
		return nil
	}
	defer e.release()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	d, err := e.member.Describe(ctx, x.describedTo(e))
	if err != nil {
		return nil
	}
	return d
}

// describedTo is in whose name a server is asked about itself. A local command
// says the same to everybody: the process that lists says it.
func (x *exchange) describedTo(e *entry) member.Client {
	c := x.client
	if e.local() {
		c.Key, c.Shared = "", false
	}
	return c
}

// open are the servers with which the client has a session, in their order.
// HTTP servers are opened with every client's session, commands when they are
// used.
func (x *exchange) open() []*entry {
	used := map[string]bool{}
	if x.ticket != nil {
		for _, name := range x.a.clients.opened(x.ticket.Key) {
			used[name] = true
		}
	}
	var entries []*entry
	for _, e := range x.roster.entries {
		if !e.local() || used[e.server.Name] || x.ticket != nil && x.ticket.idAt(e.place()) != "" {
			entries = append(entries, e)
		}
	}
	return entries
}

// everywhere does something with every server that the client has a session
// with, at once, and counts where it went well. Servers that are down are left out.
func (x *exchange) everywhere(do func(e *entry, s *member.Session) bool) int {
	var mu sync.Mutex
	var work sync.WaitGroup
	done := 0
	for _, e := range x.open() {
		if !e.member.State().Up || !e.use() {
			continue
		}
		work.Go(func() {
			defer e.release()
			s, err := x.session(e)
			if err != nil || !do(e, s) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			done++
		})
	}
	work.Wait()
	return done
}

// within bounds what a request does at all servers.
func (x *exchange) within(d time.Duration) (restore func()) {
	whole := x.ctx
	ctx, cancel := context.WithTimeout(whole, d)
	x.ctx = ctx
	return func() {
		cancel()
		x.ctx = whole
	}
}

// allTimeout bounds what goes to all servers.
const allTimeout = 10 * time.Second

// setLevel passes logging/setLevel to all servers that log.
func (x *exchange) setLevel() {
	defer x.within(allTimeout)()
	if x.ticket != nil {
		x.a.clients.setLevel(x.ticket.Key, x.msg.Body)
	}
	x.everywhere(func(_ *entry, s *member.Session) bool { return x.say(s, x.msg.Body) })
	x.result([]byte("{}"))
}

// notified passes a notification on. In the modern era a call is cancelled by
// closing its stream, and there is nothing else to notify of.
func (x *exchange) notified() {
	switch {
	case x.era == wire.Modern:
	case x.msg.Method == "notifications/initialized": // sent when the sessions were opened
	case x.msg.Method == "notifications/progress":
		if server, body, ok := inwardProgress(x.msg); ok {
			x.tellServer(server, body)
		}
	default:
		defer x.within(allTimeout)()
		x.everywhere(func(_ *entry, s *member.Session) bool { return x.say(s, x.msg.Body) })
	}
	x.w.WriteHeader(http.StatusAccepted)
}

// respond passes a client's response to the server that asked.
func (x *exchange) respond() {
	server, body, ok := inwardResponse(x.msg)
	if !ok || x.era != wire.Legacy || !x.tellServer(server, body) {
		x.msg.ID = nil // a response gets none
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "unknown_response",
			Message: "no request of this id was sent to this client, or its server is gone: nothing waits for the response"})
		return
	}
	x.w.WriteHeader(http.StatusAccepted)
}

func (x *exchange) tellServer(server string, body []byte) bool {
	e := x.a.roster.Load().byName[server]
	if e == nil || !e.use() {
		return false
	}
	defer e.release()
	s, err := x.session(e)
	return err == nil && x.say(s, body)
}

// end ends the client's sessions everywhere.
func (x *exchange) end() {
	if x.era == wire.Modern {
		x.notAllowed()
		return
	}
	if x.ticket == nil {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "session_missing", Message: "there is no session to end: send its Mcp-Session-Id"})
		return
	}
	func() {
		defer x.within(allTimeout)()
		x.everywhere(func(_ *entry, s *member.Session) bool { s.End(x.ctx); return true })
	}()
	x.a.clients.end(x.ticket.Key)
	x.w.WriteHeader(http.StatusNoContent)
}
