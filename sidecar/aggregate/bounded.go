package aggregate

import (
	"container/list"
	"iter"
)

// bounded is a table of at most limit values; the one used least recently goes
// first.
type bounded[V any] struct {
	limit   int
	at      map[string]*list.Element // of pair[V]
	used    *list.List               // front: used last
	dropped func(V)                  // is told what goes; nil is nobody
}

type pair[V any] struct {
	key   string
	value V
}

func newBounded[V any](limit int) bounded[V] {
	return bounded[V]{limit: limit, at: map[string]*list.Element{}, used: list.New()}
}

func (b *bounded[V]) len() int { return b.used.Len() }

func (b *bounded[V]) get(key string) (value V, ok bool) {
	at, ok := b.at[key]
	if !ok {
		return value, false
	}
	b.used.MoveToFront(at)
	return at.Value.(pair[V]).value, true
}

func (b *bounded[V]) set(key string, value V) {
	if at, ok := b.at[key]; ok {
		at.Value = pair[V]{key, value}
		b.used.MoveToFront(at)
		return
	}
	b.at[key] = b.used.PushFront(pair[V]{key, value})
	for b.used.Len() > b.limit {
		b.dropOldest()
	}
}

func (b *bounded[V]) dropOldest() { b.drop(b.used.Back()) }

func (b *bounded[V]) remove(key string) {
	if at, ok := b.at[key]; ok {
		b.drop(at)
	}
}

func (b *bounded[V]) drop(at *list.Element) {
	gone := b.used.Remove(at).(pair[V])
	delete(b.at, gone.key)
	if b.dropped != nil {
		b.dropped(gone.value)
	}
}

// values are all values, the one used last first.
func (b *bounded[V]) values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for at := b.used.Front(); at != nil; at = at.Next() {
			if !yield(at.Value.(pair[V]).value) {
				return
			}
		}
	}
}
