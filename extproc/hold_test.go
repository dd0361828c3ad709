package extproc

import (
	"bytes"
	"context"
	"testing"

	"mcp-toolsearch/sidecar"
)

// rewriting is an engine that edits one message, or none.
type rewriting struct {
	Engine
	from, to string
}

func (r rewriting) EditAnswer(_ context.Context, _ *sidecar.Decision, message []byte) ([]byte, bool) {
	return []byte(r.to), string(message) == r.from
}

func (r rewriting) TooLarge(*sidecar.Decision) {}

func (r rewriting) IsAnswer(message []byte) bool { return bytes.Contains(message, []byte(`"id"`)) }

func holding(editor sidecar.Editor, d *sidecar.Decision, sse bool, limit int) *hold {
	return &hold{Hold: sidecar.Hold{Editor: editor, Decision: d, SSE: sse, Limit: limit}, mode: streamed}
}

// passThrough cuts the body into pieces and returns what the client gets.
func passThrough(t *testing.T, k *hold, body, cuts []byte) []byte {
	t.Helper()
	var got []byte
	for over, i := false, 0; !over; i++ {
		n := len(body)
		if i < len(cuts) {
			n = min(int(cuts[i]), n)
		}
		var out []byte
		end := n == len(body)
		out, over = k.add(t.Context(), bytes.Clone(body[:n]), end)
		got, body = append(got, out...), body[n:]
		if end && k.holds() {
			t.Fatalf("%d bytes are still held at the end", k.Kept())
		}
		over = over || end
	}
	return append(got, body...) // the stream was left: the rest goes past the door
}

// FuzzNoByteIsLost holds that an answer without edits comes out as it went in, however it is cut and wherever the limit
// falls, and that an SSE stream is edited the same however it is cut.
func FuzzNoByteIsLost(f *testing.F) {
	f.Add([]byte("event: message\ndata: {\"id\":1}\n\ndata: 2\n\n"), []byte{3, 200, 1}, true, uint16(10))
	f.Add([]byte(": comment\r\n\r\ndata: {\"id\":1}\r\n\r\n"), []byte{12, 1, 1, 1}, false, uint16(1000))
	f.Add([]byte("data: {\"method\":\"a\"}\r\rdata: {\"id\":1}\n\n"), []byte{21, 1}, true, uint16(1000))
	f.Add([]byte(`{"id":1}`+"\n"), []byte{2, 2, 2}, true, uint16(4))
	f.Add([]byte(`{"id":`), []byte{2, 2, 2}, true, uint16(40))
	f.Fuzz(func(t *testing.T, body, cuts []byte, merge bool, limit uint16) {
		d := &sidecar.Decision{Kind: sidecar.Forward}
		if merge {
			d.Kind = sidecar.Merge
		}
		for _, sse := range []bool{true, false} {
			k := holding(rewriting{}, d, sse, int(limit))
			if got := passThrough(t, k, body, cuts); !bytes.Equal(got, body) {
				t.Errorf("in %q, out %q", body, got)
			}
		}
		edits := rewriting{from: `{"id":1}`, to: `{"id":1,"edited":true}`}
		inOne := passThrough(t, holding(edits, d, true, 1<<20), body, nil)
		inPieces := passThrough(t, holding(edits, d, true, 1<<20), body, cuts)
		if !bytes.Equal(inOne, inPieces) {
			t.Errorf("in one piece %q, in several %q", inOne, inPieces)
		}
	})
}
