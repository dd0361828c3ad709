package member

import (
	"container/list"
	"sync"
	"time"
)

// table holds the sticky sessions by their key: bounded, the least recently
// used one goes first.
type table struct {
	max  int
	idle time.Duration
	drop func(*sticky) // called without the lock

	mu    sync.Mutex
	order *list.List // of *sticky, the most recently used first
	byKey map[string]*list.Element
}

func newTable(limit int, idle time.Duration, drop func(*sticky)) *table {
	return &table{max: limit, idle: idle, drop: drop, order: list.New(), byKey: map[string]*list.Element{}}
}

// get gives the session of a key, a new one from make when there is none.
func (t *table) get(key string, make func() *sticky) *sticky {
	t.mu.Lock()
	if el, ok := t.byKey[key]; ok {
		t.order.MoveToFront(el)
		s := el.Value.(*sticky)
		s.touch()
		t.mu.Unlock()
		return s
	}
	s := make()
	s.touch()
	t.byKey[key] = t.order.PushFront(s)
	dropped := t.overflow()
	t.mu.Unlock()
	for _, old := range dropped {
		t.drop(old)
	}
	return s
}

// overflow takes out what is over the bound, busy sessions last.
func (t *table) overflow() []*sticky {
	var dropped []*sticky
	for el := t.order.Back(); el != nil && t.order.Len() > t.max; {
		before := el.Prev()
		if s := el.Value.(*sticky); !s.busy() && el != t.order.Front() {
			t.remove(el)
			dropped = append(dropped, s)
		}
		el = before
	}
	return dropped
}

func (t *table) remove(el *list.Element) {
	t.order.Remove(el)
	delete(t.byKey, el.Value.(*sticky).key)
}

// take removes the session of a key; nil when it is another one by now.
func (t *table) take(s *sticky) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	el, ok := t.byKey[s.key]
	if !ok || el.Value != s {
		return false
	}
	t.remove(el)
	return true
}

// sweep drops what was idle for too long.
func (t *table) sweep() {
	var dropped []*sticky
	t.mu.Lock()
	for el := t.order.Back(); el != nil; {
		before := el.Prev()
		s := el.Value.(*sticky)
		if s.idleFor() >= t.idle && !s.busy() {
			t.remove(el)
			dropped = append(dropped, s)
		}
		el = before
	}
	t.mu.Unlock()
	for _, s := range dropped {
		t.drop(s)
	}
}

// all takes everything out.
func (t *table) all() []*sticky {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*sticky
	for el := t.order.Front(); el != nil; el = el.Next() {
		all = append(all, el.Value.(*sticky))
	}
	t.order.Init()
	clear(t.byKey)
	return all
}

func (t *table) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.Len()
}
