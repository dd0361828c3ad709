package stdio

import (
	"bufio"
	"bytes"
	"io"
)

// keptEnds is how many bytes are kept of each end of a line that is too long, to find the id that it answers.
const keptEnds = 512

// reader cuts a stream into lines (spec 2026-07-28 basic/transports/stdio: messages are delimited by newlines).
type reader struct {
	in    *bufio.Reader
	limit int
}

func newReader(in io.Reader, limit int) *reader {
	return &reader{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// cut is one line: whole, or the two ends of one that is longer than the limit.
type cut struct {
	line       []byte // without its ending; nil when the line is too long
	head, tail []byte // of a line that is too long
}

// next returns the next line that isn't blank. What stands behind the last newline when the stream ends is a line too.
// The slices are the caller's. The error is the stream's own; it stays.
func (r *reader) next() (cut, error) {
	for {
		c, err := r.one()
		if c.head != nil || len(c.line) > 0 {
			return c, nil
		}
		if err != nil {
			return cut{}, err
		}
	}
}

// one reads one line, also a blank one.
func (r *reader) one() (cut, error) {
	var line []byte
	for {
		piece, err := r.in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(bytes.TrimRight(line, "\r\n")) > r.limit:
			return r.skip(line, err)
		case err == bufio.ErrBufferFull:
		default:
			return cut{line: bytes.TrimSpace(line)}, err
		}
	}
}

// skip reads a line that is too long to its end, given what was read of it and with what error.
func (r *reader) skip(line []byte, err error) (cut, error) {
	head := bytes.Clone(line[:min(len(line), keptEnds)])
	tail := bytes.Clone(line[max(0, len(line)-keptEnds):])
	for err == bufio.ErrBufferFull {
		var piece []byte
		piece, err = r.in.ReadSlice('\n')
		tail = append(tail, piece...)
		tail = bytes.Clone(tail[max(0, len(tail)-keptEnds):])
	}
	return cut{head: head, tail: tail}, err
}

// oneLine is a message with nothing in it that ends a line. Inside JSON strings there is none; between tokens a space
// means the same.
func oneLine(message []byte) []byte {
	out := make([]byte, len(message), len(message)+1)
	for i, b := range message {
		if b == '\n' || b == '\r' {
			b = ' '
		}
		out[i] = b
	}
	return append(out, '\n')
}

// answeredID is the id that a line answers of which only the ends are known: the first member that is called id in its
// head, when no value with members comes before it, or the last member of the line. It is nil when neither is there. The
// line's own content can make it wrong, but not the id of another server's call.
func answeredID(head, tail []byte) []byte {
	if id := leadingID(head); id != nil {
		return id
	}
	return trailingID(tail)
}

// leadingID walks the members whose values are scalars.
func leadingID(head []byte) []byte {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(head), []byte("{"))
	for ok {
		var key, value []byte
		if key, rest, ok = takeString(rest); !ok {
			return nil
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(":")); !ok {
			return nil
		}
		value, rest, ok = takeScalar(rest)
		switch {
		case !ok || string(key) == `"method"`:
			return nil
		case string(key) == `"id"`:
			return value
		}
		rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(","))
	}
	return nil
}

// trailingID looks at the line's last member.
func trailingID(tail []byte) []byte {
	tail = bytes.TrimSpace(tail)
	at := bytes.LastIndex(tail, []byte(`"id"`))
	if at < 0 {
		return nil
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(tail[at+len(`"id"`):], " \t"), []byte(":"))
	if !ok {
		return nil
	}
	id, rest, ok := takeScalar(rest)
	if !ok || string(bytes.TrimSpace(rest)) != "}" {
		return nil
	}
	return id
}

// takeScalar takes a string, or a token up to what ends one, off the front. It isn't ok for anything else, and when the
// token may go on behind the end.
func takeScalar(text []byte) (value, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " \t")
	if bytes.HasPrefix(text, []byte(`"`)) {
		return takeString(text)
	}
	n := bytes.IndexAny(text, " \t,}[{")
	if n <= 0 {
		return nil, nil, false
	}
	return text[:n], text[n:], true
}

func takeString(text []byte) (token, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " \t")
	if !bytes.HasPrefix(text, []byte(`"`)) {
		return nil, nil, false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1], text[i+1:], true
		}
	}
	return nil, nil, false
}
