package aggregate

import (
	"crypto/sha256"
	"encoding/base64"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
)

// listSlots is how many listings of one server run at once.
const listSlots = 16

// entry is one server of the aggregate while it is configured. It closes when
// it has left and nobody uses it any more.
type entry struct {
	server  servers.Server
	member  *member.Member
	slots   chan struct{}          // taken by listings
	leaving chan struct{}          // closed when the configuration no longer has it
	said    atomic.Pointer[[]byte] // the capabilities it announced last

	mu    sync.Mutex
	users int
	left  bool
	close func()
	done  chan struct{} // closed when close has returned
}

func newEntry(s servers.Server, o Opened) *entry {
	e := &entry{server: s, member: o.Member, slots: make(chan struct{}, listSlots), leaving: make(chan struct{}), done: make(chan struct{})}
	e.close = func() {
		defer close(e.done)
		o.Member.Close()
		if o.Close != nil {
			o.Close()
		}
	}
	return e
}

// local tells a server that is a command of this machine.
func (e *entry) local() bool { return e.server.Command != "" }

// place is the server's name and a short hash of where it is: what is known of
// a name, its list and its clients' sessions, is nothing to another address.
func (e *entry) place() string {
	s := e.server
	sum := sha256.Sum256([]byte(strings.Join(append([]string{s.URL, s.Command, s.Cwd}, s.Args...), "\x00")))
	return s.Name + "@" + base64.RawURLEncoding.EncodeToString(sum[:6])
}

// use keeps the server open until release; false when it has left.
func (e *entry) use() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left {
		return false
	}
	e.users++
	return true
}

func (e *entry) release() {
	e.mu.Lock()
	e.users--
	last := e.left && e.users == 0
	e.mu.Unlock()
	if last {
		go e.close() // an answer must not wait for it; Aggregate.Close does
	}
}

// leave takes the server out of the configuration: nobody new may use it, and
// the last who does closes it.
func (e *entry) leave() {
	e.mu.Lock()
	idle := e.users == 0 && !e.left
	if !e.left {
		e.left = true
		close(e.leaving)
	}
	e.mu.Unlock()
	if idle {
		go e.close()
	}
}

// closed says that leave has done its work.
func (e *entry) closed() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// listTimeout bounds a listing; the member has a limit of its own when none is set.
func (e *entry) listTimeout() time.Duration {
	if e.server.ListTimeout > 0 {
		return e.server.ListTimeout
	}
	return servers.DefaultListTimeout
}

// roster is the servers of one configuration, in their order. It is immutable.
type roster struct {
	entries   []*entry
	byName    map[string]*entry
	forwarded []string // headers that some server gets, sorted
}

func newRoster(entries []*entry) *roster {
	r := &roster{entries: entries, byName: make(map[string]*entry, len(entries))}
	for _, e := range entries {
		r.byName[e.server.Name] = e
		r.forwarded = append(r.forwarded, e.server.ForwardHeaders...)
	}
	slices.Sort(r.forwarded)
	r.forwarded = slices.Compact(r.forwarded)
	return r
}

// single is the only server, when nothing has to be changed about it: then
// everything is relayed as it is.
func (r *roster) single() *entry {
	if len(r.entries) != 1 {
		return nil
	}
	s := r.entries[0].server
	if s.Prefix != "" || len(s.ReadTools) > 0 || len(s.WriteTools) > 0 {
		return nil
	}
	return r.entries[0]
}

// next is the roster of another configuration: servers that are the same stay
// as they are, the others are opened. gone are those that nobody needs now.
func (r *roster) next(list []servers.Server, open func(servers.Server) Opened) (now *roster, gone []*entry) {
	kept := map[*entry]bool{}
	entries := make([]*entry, 0, len(list))
	for _, s := range list {
		e := r.byName[s.Name]
		if e == nil || !reflect.DeepEqual(e.server, s) {
			e = newEntry(s, open(s))
		}
		kept[e] = true
		entries = append(entries, e)
	}
	for _, e := range r.entries {
		if !kept[e] {
			gone = append(gone, e)
		}
	}
	return newRoster(entries), gone
}
