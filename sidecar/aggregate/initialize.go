package aggregate

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// legacyVersion is what a client gets that asks for a version nobody knows.
const legacyVersion = "2025-11-25"

// legacyVersions are those that initialize agrees to.
func legacyVersions() []string {
	return []string{legacyVersion, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// allVersions are those that are spoken here, the newest first.
func allVersions() []string { return append([]string{wire.ModernVersion}, legacyVersions()...) }

// met is what was found out about one server when a client arrived.
type met struct {
	description *member.Description
	session     string
	err         error
}

// initialize answers a legacy client in the name of all servers. Those over
// HTTP are opened at once; who is slower than the request's patience, or down,
// or a command, is opened when it is used.
func (x *exchange) initialize() {
	params := x.msg.Params.In(x.msg.Body)
	t := &ticket{Key: newTicketKey(), Version: legacyVersion, Capabilities: field(params, "capabilities"), Info: field(params, "clientInfo")}
	asked, _ := wire.String(field(params, "protocolVersion"))
	for _, version := range legacyVersions() {
		if version == asked {
			t.Version = asked
		}
	}
	if !wire.IsObject(t.Capabilities) {
		t.Capabilities = nil
	}
	if !wire.IsObject(t.Info) {
		t.Info = nil
	}
	x.client = x.clientOf(t)
	found := x.meet(true)
	if refused := x.refusedAll(found); refused != nil {
		x.challenge(refused)
		return
	}
	for i, e := range x.roster.entries {
		if found[i].session != "" {
			t.Sessions = append(t.Sessions, opened{Server: e.place(), ID: found[i].session})
		}
	}
	x.w.Header().Set(sessionHeader, x.a.seal.seal(*t))
	out := append([]byte(`{"protocolVersion":`), wire.Quote(t.Version)...)
	out = append(out, `,`...)
	x.result(append(append(out, x.introduction(found)...), '}'))
}

// discover answers a modern client in the name of all servers.
func (x *exchange) discover() {
	found := x.meet(false)
	if refused := x.refusedAll(found); refused != nil {
		x.challenge(refused)
		return
	}
	out := append([]byte(`{"supportedVersions":`), texts(allVersions())...)
	out = append(append(out, ','), x.introduction(found)...)
	out = append(out, `,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":`...)
	x.result(append(append(out, x.a.serverInfo()...), "}}"...))
}

// meet asks all servers for what they say of themselves, at once, as long as
// the request's patience; with sessions those over HTTP are opened too.
func (x *exchange) meet(sessions bool) []met {
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	found := make([]met, len(x.roster.entries))
	var work sync.WaitGroup
	listed := x.a.shelf(x.who, tools)
	for i, e := range x.roster.entries {
		if listed.hopeless(e) || !e.use() {
			continue
		}
		work.Go(func() {
			defer e.release()
			found[i] = x.meetOne(ctx, e, sessions && !e.local())
		})
	}
	work.Wait()
	return found
}

func (x *exchange) meetOne(ctx context.Context, e *entry, session bool) (m met) {
	if session {
		s, err := e.member.Session(ctx, x.client, "")
		if err != nil {
			return met{err: err}
		}
		m.description, m.err = e.member.Describe(ctx, x.client)
		m.session = s.ID()
		return m
	}
	m.description, m.err = e.member.Describe(ctx, x.describedTo(e))
	return m
}

// refusedAll is the challenge that the client must answer: it brought no
// credential and a server wants one, or none of the servers takes it.
func (x *exchange) refusedAll(found []met) *member.AuthError {
	var first *member.AuthError
	others := 0
	for i, e := range x.roster.entries {
		var refused *member.AuthError
		switch {
		case errors.As(found[i].err, &refused) && e.forCallers():
			if first == nil || first.Status != http.StatusUnauthorized {
				first = refused
			}
		case found[i].err == nil:
			others++
		}
	}
	if first == nil || others == 0 || x.who.anonymous && first.Status == http.StatusUnauthorized {
		return first
	}
	return nil
}

// introduction is what initialize and server/discover have in common.
func (x *exchange) introduction(found []met) []byte {
	out := append([]byte(`"capabilities":`), x.capabilities(found)...)
	if x.era == wire.Legacy {
		out = append(append(out, `,"serverInfo":`...), x.a.serverInfo()...)
	}
	if text := x.instructions(found); text != "" {
		out = append(append(out, `,"instructions":`...), wire.Quote(text)...)
	}
	return out
}

func (a *Aggregate) serverInfo() []byte {
	out := append([]byte(`{"name":"mcp-toolsearch","version":`), wire.Quote(a.o.Version)...)
	return append(out, '}')
}

// texts is a JSON array of strings.
func texts(words []string) []byte {
	out := []byte("[")
	for i, word := range words {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, wire.Quote(word)...)
	}
	return append(out, ']')
}
