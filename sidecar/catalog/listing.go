package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"mcp-toolsearch/sidecar/wire"
)

// digest names the content of one tool object.
type digest [16]byte

func digestOf(raw []byte) digest {
	sum := sha256.Sum256(raw)
	return digest(sum[:16])
}

// listing is what an upstream listed, compared with what is known from before:
// a tool object that was there is neither hashed nor parsed again.
type listing struct {
	raw     [][]byte
	digests []digest
	before  *body   // nil: nothing is known
	from    []int32 // tool -> its place in before; -1: it is new
}

// compared reads a listing beside an earlier one, which may be nil.
func compared(raw [][]byte, before *body) *listing {
	l := &listing{raw: make([][]byte, len(raw)), digests: make([]digest, len(raw)), before: before, from: make([]int32, len(raw))}
	next := 0 // where before most likely has the next one
	missed := false
	var places map[digest]int32
	for i, r := range raw {
		if before != nil && next < len(before.raw) && bytes.Equal(before.raw[next], r) {
			l.take(i, next)
			next, missed = next+1, false
			continue
		}
		l.raw[i], l.digests[i], l.from[i] = r, digestOf(r), -1
		if before != nil && places == nil && missed { // more than one tool that was changed
			places = before.places()
		}
		at, ok := places[l.digests[i]]
		if ok {
			l.take(i, int(at))
			next = int(at)
		}
		next, missed = next+1, !ok
	}
	return l
}

func (l *listing) take(i, at int) {
	l.raw[i], l.digests[i], l.from[i] = l.before.raw[at], l.before.digests[at], int32(at)
}

// places finds tool objects by content.
func (b *body) places() map[digest]int32 {
	m := make(map[digest]int32, len(b.digests))
	for i, d := range b.digests {
		m[d] = int32(i)
	}
	return m
}

// fingerprint names a listing under the rules.
func (l *listing) fingerprint(r rules) string {
	h := sha256.New()
	for i := range l.digests {
		h.Write(l.digests[i][:])
	}
	own := hex.EncodeToString(h.Sum(nil)[:16])
	if d := r.overlay.Digest(); d != "" {
		return own + "-" + d
	}
	return own
}

// definitions are the parsed tool objects; nil for a malformed one.
func (l *listing) definitions(s *schemas) []*definition {
	all := make([]*definition, len(l.raw))
	for i, from := range l.from {
		if from >= 0 {
			all[i] = l.before.definitions[from]
			continue
		}
		d, ok := parseTool(l.raw[i])
		if !ok {
			continue
		}
		headers, err := wire.ParamHeaders(d.tool.InputSchema)
		d.tool.ParamHeaders, d.badHeaders = headers, err != nil
		d.tool.schema = &lazySchema{kept: s}
		all[i] = d
	}
	return all
}
