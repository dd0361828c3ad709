package aggregate

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// listen is the legacy client's stream of what servers say unasked: theirs,
// mixed. A Last-Event-ID goes to the server whose event it names.
func (x *exchange) listen() {
	if x.era == wire.Modern || x.ticket == nil {
		x.notAllowed()
		return
	}
	joined, leave := x.a.clients.join(x.ticket.Key, len(x.roster.entries))
	defer leave()
	open := x.open()
	m := newMixer(x.ctx, len(x.roster.entries), x.openStream)
	defer m.stop()
	server, last, _ := inwardEventID(x.r.Header.Get("Last-Event-Id"))
	for _, e := range open {
		id := ""
		if e.server.Name == server {
			id = last
		}
		m.add(e, id)
	}
	if len(open) == len(x.roster.entries) && m.settled(len(open)) {
		x.notAllowed()
		return
	}
	x.startStream(http.StatusOK)
	x.mix(m, joined, open)
}

func (x *exchange) openStream(ctx context.Context, e *entry, last string) (*member.Answer, error) {
	s, err := e.member.Session(ctx, x.client, x.ticket.idAt(e.place()))
	if err != nil {
		return nil, err
	}
	return s.Stream(ctx, last)
}

// mix writes the events as they come; a server that the client begins to use
// meanwhile is listened to as well.
func (x *exchange) mix(m *mixer, joined <-chan string, open []*entry) {
	for {
		select {
		case got := <-m.events:
			if _, err := x.w.Write(x.outwardEvent(got.entry, got.event)); err != nil {
				return // nobody listens
			}
			x.flush()
		case name := <-joined:
			if e := x.a.roster.Load().byName[name]; e != nil && !slices.Contains(open, e) {
				open = append(open, e)
				m.add(e, "")
			}
		case <-m.opened: // of one that joined
		case <-x.ctx.Done():
			return
		}
	}
}

const (
	acknowledged    = "notifications/subscriptions/acknowledged"
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"
)

// subscribe is the modern client's subscriptions/listen: those of the servers,
// mixed under the id of the client's request, acknowledged once (spec
// 2026-07-28, patterns/subscriptions).
func (x *exchange) subscribe() {
	wanted := field(x.msg.Params.In(x.msg.Body), "notifications")
	owners := x.owners(field(wanted, "resourceSubscriptions"))
	m := newMixer(x.ctx, len(x.roster.entries), func(ctx context.Context, e *entry, _ string) (*member.Answer, error) {
		s, err := e.member.Session(ctx, x.client, "")
		if err != nil {
			return nil, err
		}
		return s.Post(ctx, x.listenBody(wanted, owners[e.server.Name]), x.client.Header)
	})
	defer m.stop()
	for _, e := range x.roster.entries {
		m.add(e, "")
	}
	x.startStream(http.StatusOK)
	x.event(x.acknowledgement(x.acknowledged(m, len(x.roster.entries), wanted)))
	for {
		select {
		case got := <-m.events:
			if x.ends(got.event) {
				continue
			}
			if _, err := x.w.Write(x.outwardEvent(got.entry, got.event)); err != nil {
				return // nobody listens
			}
			x.flush()
		case <-m.opened:
		case <-x.ctx.Done():
			x.event(wire.ResultBody(x.msg.ID, x.era, slices.Concat([]byte(`{"_meta":{"`+subscriptionKey+`":`), x.msg.ID, []byte("}}"))))
			return
		}
	}
}

// ends tells an event that only one server's stream is about: its beginning, its end.
func (x *exchange) ends(ev wire.Event) bool {
	a, err := wire.ScanAnswer(ev.Data)
	return err == nil && (a.Method == "" || a.Method == acknowledged)
}

// owners are the addresses to watch, by the servers that have them.
func (x *exchange) owners(addresses []byte) map[string][]string {
	owned := map[string][]string{}
	_ = wire.EachElement(addresses, func(raw []byte) bool { // what is no list has no elements
		if uri, ok := wire.Text(raw); ok {
			if server, found, err := x.owner(uri); found && err == nil {
				owned[server] = append(owned[server], uri)
			}
		}
		return len(owned) < maxItems
	})
	return owned
}

// listenBody is the client's request as one server gets it: of the addresses
// only its own.
func (x *exchange) listenBody(wanted []byte, own []string) []byte {
	if field(wanted, "resourceSubscriptions") == nil {
		return x.msg.Body
	}
	wanted, err := wire.SetField(wanted, "resourceSubscriptions", texts(own))
	if err != nil {
		return x.msg.Body
	}
	params, err := wire.SetField(x.msg.Params.In(x.msg.Body), "notifications", wanted)
	if err != nil {
		return x.msg.Body
	}
	body, err := wire.SetField(x.msg.Body, "params", params)
	if err != nil {
		return x.msg.Body
	}
	return body
}

// acknowledged gathers what the servers agree to tell, as long as the
// request's patience.
func (x *exchange) acknowledged(m *mixer, n int, wanted []byte) (agreed []byte) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	agreed = []byte("{}")
	var addresses [][]byte
	for waiting := n; waiting > 0; {
		select {
		case ok := <-m.opened:
			if !ok {
				waiting--
			}
		case got := <-m.events:
			a, err := wire.ScanAnswer(got.event.Data)
			if err != nil || a.Method != acknowledged {
				continue
			}
			waiting--
			theirs := field(field(got.event.Data, "params"), "notifications")
			_ = wire.EachElement(field(theirs, "resourceSubscriptions"), func(raw []byte) bool { addresses = append(addresses, raw); return true })
			agreed = joined(agreed, withoutAddresses(theirs), unionDepth)
		case <-timer.C:
			waiting = 0
		case <-m.ctx.Done():
			waiting = 0
		}
	}
	if field(wanted, "resourceSubscriptions") == nil {
		return agreed
	}
	list := append(append([]byte("["), bytes.Join(addresses, []byte(","))...), ']')
	if out, err := wire.SetField(agreed, "resourceSubscriptions", list); err == nil {
		return out
	}
	return agreed
}

func withoutAddresses(notifications []byte) []byte {
	fields, err := wire.Fields(notifications)
	if err != nil {
		return nil
	}
	out := []byte("{")
	for _, f := range fields {
		if f.Key == "resourceSubscriptions" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, wire.Quote(f.Key)...), ':'), f.Value...)
	}
	return append(out, '}')
}

func (x *exchange) acknowledgement(agreed []byte) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","method":"`+acknowledged+`","params":{"_meta":{"`+subscriptionKey+`":`), x.msg.ID...)
	return append(append(append(out, `},"notifications":`...), agreed...), "}}"...)
}
