package relay

import (
	"bytes"
	"context"
	"io"

	"mcp-toolsearch/sidecar"
)

// looked is an answer's body that is looked at as it passes.
type looked struct {
	io.ReadCloser
	ctx   context.Context
	hold  *sidecar.Hold
	ready []byte
	over  bool  // the rest needs no look
	end   error // of the upstream's body
}

// pieceBytes is how much of a body is read at once while it is looked at.
const pieceBytes = 8 << 10

func (l *looked) Read(p []byte) (int, error) {
	for len(l.ready) == 0 && !l.over && l.end == nil {
		piece := make([]byte, pieceBytes)
		n, err := l.ReadCloser.Read(piece)
		l.end = err
		l.ready, l.over = l.hold.Add(l.ctx, bytes.Clone(piece[:n]), err != nil)
	}
	if len(l.ready) > 0 {
		n := copy(p, l.ready)
		l.ready = l.ready[n:]
		return n, nil
	}
	if l.end != nil {
		return 0, l.end
	}
	return l.ReadCloser.Read(p)
}

// endable is the body of a stream that lasts until somebody ends it: it ends well when the door stops.
type endable struct {
	io.ReadCloser
	leaving context.Context
}

func (b *endable) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.leaving.Err() != nil {
		err = io.EOF
	}
	return n, err
}
