package aggregate

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// maxVisitors and maxVisitorBytes bound the callers whose listings are kept.
const (
	maxVisitors     = 10_000
	maxVisitorBytes = 512 << 20
)

// visitor is in whose name servers are listed: a caller, or in operator mode
// everybody.
type visitor struct {
	key       string
	client    member.Client
	anonymous bool
}

// visitor is who sent a request with these headers.
func (a *Aggregate) visitor(h http.Header) *visitor {
	v := &visitor{anonymous: true, client: member.Client{Era: wire.Modern, Version: wire.ModernVersion}}
	if a.o.OperatorMode {
		v.client.Header = a.withHop(nil)
		return v
	}
	who := a.o.Identifier.Identify(h)
	header := http.Header{}
	who.Apply(header)
	key := who.Key()
	v.anonymous = who.Anonymous()
	v.key = string(key[:])
	if names := a.roster.Load().forwarded; len(names) > 0 {
		v.key += forwardedKey(names, h, header)
	}
	v.client.Key = v.key
	v.client.Header = a.withHop(header)
	return v
}

// forwardedKey copies the headers that some server gets beside those that
// identify the caller; what they say parts listings too.
func forwardedKey(names []string, from, to http.Header) string {
	sum := sha256.New()
	for _, name := range names {
		values := from.Values(name)
		to[name] = slices.Clone(values)
		for _, value := range append([]string{name}, values...) {
			_, _ = sum.Write([]byte(value)) // a hash takes everything
			_, _ = sum.Write([]byte{0})     // which no header value holds
		}
		_, _ = sum.Write([]byte{1})
	}
	return string(sum.Sum(nil))
}

// library keeps the visitors' shelves; the one used least recently goes first.
type library struct {
	mu    sync.Mutex
	books bounded[*book]
	bytes int
	most  int // bytes
}

// book is one visitor's shelves.
type book struct {
	shelves [kinds]*shelf
	weights [kinds]int
}

func newLibrary(visitors, bytes int) *library {
	l := &library{books: newBounded[*book](visitors), most: bytes}
	l.books.dropped = func(b *book) {
		for _, w := range b.weights {
			l.bytes -= w
		}
	}
	return l
}

// shelf is where a visitor's listing of a kind is kept.
func (a *Aggregate) shelf(v *visitor, k kind) *shelf {
	l := a.library
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.books.get(v.key)
	if !ok {
		b = &book{}
		for kind := range kinds {
			b.shelves[kind] = &shelf{a: a, who: v, kind: kind, known: map[string]*known{}}
		}
		l.books.set(v.key, b)
	}
	return b.shelves[k]
}

// weigh notes how much a shelf holds; beyond the bound others are forgotten.
func (l *library) weigh(s *shelf, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.books.get(s.who.key)
	if !ok || b.shelves[s.kind] != s {
		return // forgotten meanwhile; who still has it keeps it
	}
	l.bytes += weight - b.weights[s.kind]
	b.weights[s.kind] = weight
	for l.bytes > l.most && l.books.len() > 1 {
		l.books.dropOldest()
	}
}

// all are all shelves that are kept.
func (l *library) all() []*shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*shelf
	for b := range l.books.values() {
		all = append(all, b.shelves[:]...)
	}
	return all
}
