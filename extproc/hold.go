package extproc

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// hold keeps the part of an answer that may need an edit, and never more than the edit limit and the piece that passed
// it: then the bytes go on as they came.
type hold struct {
	engine   Engine
	decision *sidecar.Decision
	mode     bodyMode // how the body comes
	sse      bool
	limit    int
	kept     []byte
	edited   bool
}

// newHold decides by the answer's headers how its body is looked at: JSON of known size at once; JSON of unknown size
// in pieces up to the limit, because asking for all of a body that turns out larger fails a call that succeeded; an
// SSE stream up to its first event; anything else, or a body that can't be had, not at all (nil).
func newHold(st *stream, h http.Header) *hold {
	k := &hold{engine: st.server.o.Engine, decision: &st.decision, limit: st.server.o.EditBytes}
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	wanted := streamed
	switch mediaType {
	case "text/event-stream":
		k.sse = true
	case "application/json":
		if length := h.Get("Content-Length"); length != "" {
			n, err := strconv.Atoi(length)
			if err != nil || n < 0 || n > k.limit {
				return nil
			}
			wanted = buffered
		}
	default:
		return nil
	}
	if k.mode = st.answerMode(wanted); k.mode == none {
		return nil
	}
	return k
}

// holds says whether bytes are kept that would be lost with the stream.
func (k *hold) holds() bool { return k != nil && len(k.kept) > 0 }

// add takes a piece of the body and returns what goes on now. over says that the rest needs no look.
func (k *hold) add(ctx context.Context, piece []byte, end bool) (out []byte, over bool) {
	k.kept = concat(k.kept, piece)
	end = end || k.mode == buffered
	if k.sse {
		return k.events(ctx, end)
	}
	switch {
	case len(k.kept) > k.limit:
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
func (k *hold) message(ctx context.Context) []byte {
	out, ok := k.engine.EditAnswer(ctx, k.decision, k.kept)
	if !ok {
		return k.release()
	}
	k.edited, k.kept = true, nil
	return out
}

func (k *hold) release() []byte {
	out := k.kept
	k.kept = nil
	return out
}

// events looks at the complete events kept so far. Events without data (a server's priming event, comments) go on at
// once and don't count as the first; the answer is edited; anything else ends the look, except before the answer of an
// initialize or server/discover, which must carry the instructions.
func (k *hold) events(ctx context.Context, end bool) (out []byte, over bool) {
	for {
		ev, rest, ok := wire.FirstEvent(k.kept)
		if !ok {
			if end || len(k.kept) > k.limit {
				return concat(out, k.release()), true
			}
			return out, false
		}
		if len(ev.Data) == 0 {
			out, k.kept = append(out, ev.Raw...), rest
			continue
		}
		if edited, ok := k.engine.EditAnswer(ctx, k.decision, ev.Data); ok {
			k.edited, k.kept = true, nil
			return concat(append(out, ev.WithData(edited)...), rest), true
		}
		if k.decision.Kind != sidecar.Merge || k.engine.IsAnswer(ev.Data) {
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
