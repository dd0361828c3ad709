package stdio

import (
	"context"
	"io"
	"sync"
)

// The most that waits for a slow reader of one stream. Beyond it notifications are dropped; an answer never is.
const (
	maxWaiting      = 1024
	maxWaitingBytes = 16 << 20
)

// mailbox is what came for one stream and wasn't read yet. It is safe for concurrent use by any number of writers and one
// reader.
type mailbox struct {
	mu       sync.Mutex
	messages [][]byte
	bytes    int
	ended    bool          // nothing more comes
	last     bool          // the last message is the answer
	wake     chan struct{} // holds one token when there may be news
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put adds a message; false when it is full or has ended.
func (b *mailbox) put(message []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || len(b.messages) >= maxWaiting || b.bytes+len(message) > maxWaitingBytes {
		return false
	}
	b.add(message)
	return true
}

// finish adds the answer and ends the box; nothing happens when it has ended.
func (b *mailbox) finish(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.add(answer)
	b.ended, b.last = true, true
}

// end ends the box without an answer.
func (b *mailbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.ring()
}

func (b *mailbox) add(message []byte) {
	b.messages = append(b.messages, message)
	b.bytes += len(message)
	b.ring()
}

func (b *mailbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take waits for the next message. answer says that it is the last one and the answer. The error is io.EOF when the box
// has ended, or ctx's.
func (b *mailbox) take(ctx context.Context) (message []byte, answer bool, err error) {
	for {
		if message, answer, err, ok := b.look(); ok {
			return message, answer, err
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

func (b *mailbox) look() (message []byte, answer bool, err error, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 {
		return nil, false, io.EOF, b.ended
	}
	message = b.messages[0]
	b.messages = b.messages[1:]
	b.bytes -= len(message)
	return message, b.last && len(b.messages) == 0, nil, true
}
