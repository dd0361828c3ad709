package stdio

import (
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// edit replaces a part of a message.
type edit struct {
	at   wire.Span
	with []byte
}

// spliced is body with edits made; every other byte is the same. Edits must not overlap; absent ones are left out.
func spliced(body []byte, edits ...edit) []byte {
	out := make([]byte, 0, len(body)+64)
	done := 0
	for {
		next := -1
		for i, e := range edits {
			if !e.at.Absent() && e.at.Start >= done && (next < 0 || e.at.Start < edits[next].at.Start) {
				next = i
			}
		}
		if next < 0 {
			return append(out, body[done:]...)
		}
		out = append(append(out, body[done:edits[next].at.Start]...), edits[next].with...)
		done = edits[next].at.End
	}
}

// find is where the value at the end of a path of member names stands in an object; absent when it doesn't.
func find(object []byte, path ...string) wire.Span {
	at := wire.Span{Start: 0, End: len(object)}
	for _, name := range path {
		inner := wire.TopSpan(at.In(object), name)
		if inner.Absent() {
			return wire.Span{}
		}
		at = wire.Span{Start: at.Start + inner.Start, End: at.Start + inner.End}
	}
	return at
}

// keyOf makes one key of all spellings of an id or a progress token: 1 and "1" differ, "a" and "\u0061" don't.
func keyOf(raw []byte) string {
	if text, ok := wire.String(raw); ok {
		return "s" + text
	}
	return "n" + strings.TrimSpace(string(raw))
}
