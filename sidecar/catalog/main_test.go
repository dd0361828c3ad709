package catalog

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var target = upstream.Target{URL: "http://gateway.test/mcp/all"}

// identities makes callers; one per test, because keys differ between
// identifiers.
func identities(t *testing.T) func(token string) Request {
	t.Helper()
	id, err := caller.NewIdentifier(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(token string) Request {
		return Request{Who: id.Identify(http.Header{"Authorization": {token}}), Target: target}
	}
}

func raw(definitions ...string) [][]byte {
	all := make([][]byte, len(definitions))
	for i, d := range definitions {
		all[i] = []byte(d)
	}
	return all
}

func named(names ...string) [][]byte {
	all := make([][]byte, len(names))
	for i, n := range names {
		all[i] = fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, n)
	}
	return all
}

// lister is a scripted Lister that counts.
type lister struct {
	mu    sync.Mutex
	calls int
	ended int // calls that ended with their context
	next  func(ctx context.Context, call int, who caller.Caller) (*upstream.Listing, error)
}

func (l *lister) List(ctx context.Context, _ upstream.Target, who caller.Caller, _ upstream.ListOptions) (*upstream.Listing, error) {
	l.mu.Lock()
	l.calls++
	call, next := l.calls, l.next
	l.mu.Unlock()
	listing, err := next(ctx, call, who)
	if ctx.Err() != nil {
		l.mu.Lock()
		l.ended++
		l.mu.Unlock()
	}
	return listing, err
}

func (l *lister) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

func (l *lister) set(next func(ctx context.Context, call int, who caller.Caller) (*upstream.Listing, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = next
}

// gives always lists the same.
func gives(tools [][]byte) func(context.Context, int, caller.Caller) (*upstream.Listing, error) {
	return func(context.Context, int, caller.Caller) (*upstream.Listing, error) {
		return &upstream.Listing{Tools: tools}, nil
	}
}

// fails always fails.
func fails(err error) func(context.Context, int, caller.Caller) (*upstream.Listing, error) {
	return func(context.Context, int, caller.Caller) (*upstream.Listing, error) { return nil, err }
}

// slowly lists after a time, unless its context ends before.
func slowly(d time.Duration, tools [][]byte) func(context.Context, int, caller.Caller) (*upstream.Listing, error) {
	return func(ctx context.Context, _ int, _ caller.Caller) (*upstream.Listing, error) {
		select {
		case <-time.After(d):
			return &upstream.Listing{Tools: tools}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// recorder is an Observer that writes down.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, text)
}

func (r *recorder) Listed(outcome string, tools int, _ int64, _ time.Duration, _ string) {
	r.note(fmt.Sprintf("listed %s %d", outcome, tools))
}
func (r *recorder) Evicted()            { r.note("evicted") }
func (r *recorder) SchemaUncompilable() { r.note("uncompilable") }
func (r *recorder) Dropped(d Dropped)   { r.note(fmt.Sprintf("dropped %v", d)) }

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.seen, "; ")
}

func newStore(t *testing.T, l Lister, change func(*Options)) *Store {
	t.Helper()
	o := Options{Lister: l}
	if change != nil {
		change(&o)
	}
	s := NewStore(o)
	t.Cleanup(s.Close)
	return s
}

func names(c *Catalog) string {
	var all []string
	for _, t := range c.Tools() {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

func mustGet(t *testing.T, s *Store, r Request) *Catalog {
	t.Helper()
	c, err := s.Get(t.Context(), r)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return c
}
