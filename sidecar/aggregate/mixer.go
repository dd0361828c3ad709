package aggregate

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// Pauses before a stream that ended is opened again.
const (
	reopenFirst = time.Second
	reopenMost  = time.Minute
)

// mixer makes one stream of several servers' that have no end of their own. Its
// goroutines end with ctx; stop waits for them.
type mixer struct {
	ctx    context.Context
	cancel context.CancelFunc
	open   func(ctx context.Context, e *entry, lastEventID string) (*member.Answer, error)
	events chan mixed
	opened chan bool // one verdict for each server: it has such a stream
	work   sync.WaitGroup
}

// mixed is an event of one of the servers.
type mixed struct {
	entry *entry
	event wire.Event
}

func newMixer(ctx context.Context, room int, open func(context.Context, *entry, string) (*member.Answer, error)) *mixer {
	m := &mixer{open: open, events: make(chan mixed), opened: make(chan bool, room)}
	m.ctx, m.cancel = context.WithCancel(ctx)
	return m
}

func (m *mixer) stop() {
	m.cancel()
	m.work.Wait()
}

// add listens to a server until it leaves the configuration or says that it
// has nothing to tell.
func (m *mixer) add(e *entry, lastEventID string) {
	m.work.Go(func() {
		ctx, cancel := context.WithCancel(m.ctx)
		defer cancel()
		said := false
		verdict := func(ok bool) {
			if !said {
				said = true
				select {
				case m.opened <- ok:
				case <-ctx.Done():
				}
			}
		}
		defer verdict(false)
		if !e.use() {
			return
		}
		defer e.release()
		m.work.Go(func() {
			select {
			case <-e.leaving:
				cancel()
			case <-ctx.Done():
			}
		})
		m.listen(ctx, e, lastEventID, verdict)
	})
}

func (m *mixer) listen(ctx context.Context, e *entry, last string, verdict func(bool)) {
	for pause := reopenFirst; ctx.Err() == nil; pause = min(2*pause, reopenMost) {
		answer, err := m.open(ctx, e, last)
		switch {
		case err != nil:
		case answer.Status == http.StatusConflict: // the client's last stream isn't over yet there
			answer.Body.Close()
			verdict(true)
		case answer.Status != http.StatusOK:
			answer.Body.Close()
			return
		default:
			verdict(true)
			var some bool
			if last, some = m.read(ctx, e, answer, last); some {
				pause = reopenFirst
			}
		}
		sleep(ctx, pause)
	}
}

// read passes a stream's events on until it ends, and gives the id of the last.
func (m *mixer) read(ctx context.Context, e *entry, answer *member.Answer, last string) (lastID string, some bool) {
	defer answer.Body.Close()
	events := wire.NewEventReader(answer.Body, maxEvent)
	for {
		ev, err := events.Next()
		if err != nil {
			return last, some
		}
		if ev.HasID {
			last = ev.ID
		}
		some = true
		select {
		case m.events <- mixed{e, ev}:
		case <-ctx.Done():
			return last, some
		}
	}
}

// settled waits until n servers have said whether they have such a stream, or
// for the request's patience, and says whether all of them have none.
func (m *mixer) settled(n int) (none bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for range n {
		select {
		case ok := <-m.opened:
			if ok {
				return false
			}
		case <-timer.C:
			return false
		case <-m.ctx.Done():
			return false
		}
	}
	return true
}

// sleep waits, at most until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
