package aggregate

import (
	"slices"
	"sync"
)

// Bounds of what is remembered of clients and tasks.
const (
	maxClients = 10_000
	maxTasks   = 10_000
)

// clientTable remembers of the clients' sessions what their ids don't say,
// because it came later. Another replica does without.
type clientTable struct {
	mu      sync.Mutex
	clients bounded[*remembered]
	ended   bounded[bool]
}

// remembered is what is known of one client's session here.
type remembered struct {
	opened []string // servers that were used since initialize
	level  []byte   // its logging/setLevel as it came; nil: none
	joined map[chan string]bool
}

func newClientTable(limit int) *clientTable {
	return &clientTable{clients: newBounded[*remembered](limit), ended: newBounded[bool](limit)}
}

func (t *clientTable) of(key string) *remembered {
	c, ok := t.clients.get(key)
	if !ok {
		c = &remembered{joined: map[chan string]bool{}}
		t.clients.set(key, c)
	}
	return c
}

// use notes that a client uses a server. It is told to the client's stream,
// which then listens to it too; level is what a server used for the first time
// should be told.
func (t *clientTable) use(key, server string) (level []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.of(key)
	if slices.Contains(c.opened, server) {
		return nil
	}
	c.opened = append(c.opened, server)
	for stream := range c.joined {
		select {
		case stream <- server:
		default: // it has more to open than there are servers: it ends soon
		}
	}
	return c.level
}

// opened are the servers that a client has used.
func (t *clientTable) opened(key string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.clients.get(key)
	if !ok {
		return nil
	}
	return slices.Clone(c.opened)
}

func (t *clientTable) setLevel(key string, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(key).level = message
}

// join gives the servers that a client begins to use from now on.
func (t *clientTable) join(key string, room int) (servers <-chan string, leave func()) {
	stream := make(chan string, room)
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.of(key)
	c.joined[stream] = true
	return stream, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(c.joined, stream)
	}
}

// end forgets a session; it isn't served any more.
func (t *clientTable) end(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clients.remove(key)
	t.ended.set(key, true)
}

func (t *clientTable) hasEnded(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.ended.get(key)
	return ok
}

// taskTable remembers which server a task belongs to.
type taskTable struct {
	mu     sync.Mutex
	owners bounded[string]
}

func newTaskTable(limit int) *taskTable { return &taskTable{owners: newBounded[string](limit)} }

func (t *taskTable) note(caller, task, server string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owners.set(caller+"\x00"+task, server)
}

func (t *taskTable) owner(caller, task string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owners.get(caller + "\x00" + task)
}
