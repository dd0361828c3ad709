package extproc

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"mcp-toolsearch/sidecar"
)

// hold looks at an answer's body that may need an edit, in the way that Envoy sends it.
type hold struct {
	sidecar.Hold
	mode bodyMode // how the body comes
}

// newHold decides by the answer's headers how its body is looked at: JSON of known size at once; JSON of unknown size
// in pieces up to the limit, because asking for all of a body that turns out larger fails a call that succeeded; an
// SSE stream up to its first event; anything else, or a body that can't be had, not at all (nil).
func newHold(st *stream, h http.Header) *hold {
	k := &hold{Hold: sidecar.Hold{Editor: st.server.o.Engine, Decision: &st.decision, Limit: st.server.o.EditBytes}}
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	wanted := streamed
	switch mediaType {
	case "text/event-stream":
		k.SSE = true
	case "application/json":
		if length := h.Get("Content-Length"); length != "" {
			n, err := strconv.Atoi(length)
			if err == nil && n > k.Limit {
				k.TooLarge()
			}
			if err != nil || n < 0 || n > k.Limit {
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
func (k *hold) holds() bool { return k != nil && k.Kept() > 0 }

// add takes a piece of the body and returns what goes on now. over says that the rest needs no look.
func (k *hold) add(ctx context.Context, piece []byte, end bool) (out []byte, over bool) {
	return k.Add(ctx, piece, end || k.mode == buffered)
}
