package extproc

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strconv"

	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// hold keeps the part of an answer that may need an edit, and never more than the edit limit: beyond it the bytes go
// on as they came.
type hold struct {
	engine   Engine
	decision *sidecar.Decision
	mode     filterv3.ProcessingMode_BodySendMode // how the body has to be asked for; NONE: nothing can be edited
	sse      bool
	limit    int
	kept     []byte
	edited   bool
}

// newHold decides by the answer's headers how its body is looked at: JSON of known size at once; JSON of unknown size
// in pieces up to the limit, because asking for all of a body that turns out larger fails a call that succeeded; an
// SSE stream up to its first event; anything else not at all.
func newHold(st *stream, h http.Header) *hold {
	k := &hold{engine: st.server.o.Engine, decision: &st.decision, limit: st.server.o.EditBytes, mode: filterv3.ProcessingMode_NONE}
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	switch mediaType {
	case "text/event-stream":
		k.sse, k.mode = true, filterv3.ProcessingMode_STREAMED
	case "application/json":
		k.mode = filterv3.ProcessingMode_STREAMED
		if length := h.Get("Content-Length"); length != "" {
			n, err := strconv.Atoi(length)
			if err != nil || n > k.limit {
				return nil
			}
			k.mode = filterv3.ProcessingMode_BUFFERED
		}
	default:
		return nil
	}
	return k
}

// add takes a piece of the body and returns what goes on now. over says that the rest needs no look.
func (k *hold) add(ctx context.Context, piece []byte, end bool) (out []byte, over bool) {
	k.kept = append(k.kept, piece...)
	if k.sse {
		return k.events(ctx, end)
	}
	if end || k.mode == filterv3.ProcessingMode_BUFFERED {
		return k.flush(ctx), true
	}
	if len(k.kept) > k.limit {
		return k.release(), true
	}
	return nil, false
}

// flush ends a JSON body: the edited message, or what was kept.
func (k *hold) flush(ctx context.Context) []byte {
	if k.sse || len(k.kept) > k.limit {
		return k.release()
	}
	if out, ok := k.engine.EditAnswer(ctx, k.decision, k.kept); ok {
		k.edited, k.kept = true, nil
		return out
	}
	return k.release()
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
				return append(out, k.release()...), true
			}
			return out, false
		}
		if len(ev.Data) == 0 {
			out, k.kept = append(out, ev.Raw...), rest
			continue
		}
		if edited, ok := k.engine.EditAnswer(ctx, k.decision, ev.Data); ok {
			k.edited, k.kept = true, nil
			return append(append(out, ev.WithData(edited)...), rest...), true
		}
		if k.decision.Kind != sidecar.Merge || k.engine.IsAnswer(ev.Data) {
			return append(out, k.release()...), true
		}
		out, k.kept = append(out, ev.Raw...), rest
	}
}

func same(a, b []byte) bool { return bytes.Equal(a, b) }
