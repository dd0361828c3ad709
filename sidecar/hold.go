package sidecar

import (
	"bytes"
	"context"
	"encoding/json"

	"mcp-toolsearch/sidecar/wire"
)

// Editor edits the messages of an upstream's answer. [Engine] is the implementation.
type Editor interface {
	EditAnswer(ctx context.Context, d *Decision, message []byte) ([]byte, bool)
	IsAnswer(message []byte) bool
	// TooLarge reports an answer that passes as it is because it is longer than may be held for an edit.
	TooLarge(d *Decision)
}

// Hold keeps the part of an answer's body that may need an edit, and never more than Limit bytes and the piece that
// passed it: then the bytes go on as they came. Every door looks at answers through it, so that all edit alike.
type Hold struct {
	Editor   Editor
	Decision *Decision
	SSE      bool // an event stream; else one JSON message
	Limit    int  // bytes
	kept     []byte
	edited   bool
}

// Kept is how many bytes are held back.
func (k *Hold) Kept() int { return len(k.kept) }

// Edited says whether the answer was changed.
func (k *Hold) Edited() bool { return k.edited }

// TooLarge reports that the answer is too long to be held. A door says so that knows it before the body comes.
func (k *Hold) TooLarge() { k.Editor.TooLarge(k.Decision) }

// Add takes a piece of the body and returns what goes on now. end says that it is the last one; over, that the rest
// needs no look.
func (k *Hold) Add(ctx context.Context, piece []byte, end bool) (out []byte, over bool) {
	k.kept = concat(k.kept, piece)
	if k.SSE {
		return k.events(ctx, end)
	}
	switch {
	case len(k.kept) > k.Limit:
		k.TooLarge()
		return k.release(), true
	case end || whole(k.kept):
		return k.message(ctx), true
	}
	return nil, false
}

// whole says that a JSON message is complete. Its end isn't waited for: with trailers, no piece is marked as the last.
func whole(message []byte) bool {
	trimmed := bytes.TrimRight(message, " \t\r\n")
	return bytes.HasSuffix(trimmed, []byte("}")) && json.Valid(trimmed)
}

// message is the JSON body, edited if it has to be.
func (k *Hold) message(ctx context.Context) []byte {
	out, ok := k.Editor.EditAnswer(ctx, k.Decision, k.kept)
	if !ok {
		return k.release()
	}
	k.edited, k.kept = true, nil
	return out
}

func (k *Hold) release() []byte {
	out := k.kept
	k.kept = nil
	return out
}

// events looks at the complete events kept so far. Events without data (a server's priming event, comments) go on at
// once and don't count as the first; the answer is edited; anything else ends the look, except before the answer of an
// initialize or server/discover, which must carry the instructions.
func (k *Hold) events(ctx context.Context, end bool) (out []byte, over bool) {
	for {
		ev, rest, ok := wire.FirstEvent(k.kept)
		if !ok {
			tooLarge := len(k.kept) > k.Limit
			if tooLarge {
				k.TooLarge()
			}
			if end || tooLarge {
				return concat(out, k.release()), true
			}
			return out, false
		}
		if len(ev.Data) == 0 {
			out, k.kept = append(out, ev.Raw...), rest
			continue
		}
		if edited, ok := k.Editor.EditAnswer(ctx, k.Decision, ev.Data); ok {
			k.edited, k.kept = true, nil
			return concat(append(out, ev.WithData(edited)...), rest), true
		}
		if k.Decision.Kind != Merge || k.Editor.IsAnswer(ev.Data) {
			return concat(out, k.release()), true
		}
		out, k.kept = append(out, ev.Raw...), rest
	}
}

// concat is a followed by b, without copying when one is empty.
func concat(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return append(a, b...)
}
