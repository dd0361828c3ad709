package wire

import (
	"bufio"
	"bytes"
	"io"
)

// keptEnds is how many bytes are kept of each end of a line that is too long, to find the id that it answers.
const keptEnds = 512

// LineReader cuts a stream into lines (spec 2026-07-28 basic/transports/stdio: messages are delimited by newlines).
type LineReader struct {
	in    *bufio.Reader
	limit int
}

// NewLineReader reads r; a line may hold maxLine bytes.
func NewLineReader(r io.Reader, maxLine int) *LineReader {
	return &LineReader{in: bufio.NewReaderSize(r, 64<<10), limit: maxLine}
}

// Line is one line: whole, or the two ends of one that is longer than the limit.
type Line struct {
	Data       []byte // without its ending and the white space around it; nil when the line is too long
	head, tail []byte // of a line that is too long
}

// Next returns the next line that isn't blank. What stands behind the last newline when the stream ends is a line too.
// The slices are the caller's. The error is the stream's own; it stays.
func (r *LineReader) Next() (Line, error) {
	for {
		c, err := r.one()
		if c.head != nil || len(c.Data) > 0 {
			return c, nil
		}
		if err != nil {
			return Line{}, err
		}
	}
}

// one reads one line, also a blank one.
func (r *LineReader) one() (Line, error) {
	var line []byte
	for {
		piece, err := r.in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(bytes.TrimRight(line, "\r\n")) > r.limit:
			return r.skip(line, err)
		case err == bufio.ErrBufferFull:
		default:
			return Line{Data: bytes.TrimSpace(line)}, err
		}
	}
}

// skip reads a line that is too long to its end, given what was read of it and with what error.
func (r *LineReader) skip(line []byte, err error) (Line, error) {
	head := bytes.Clone(line[:min(len(line), keptEnds)])
	tail := bytes.Clone(line[max(0, len(line)-keptEnds):])
	for err == bufio.ErrBufferFull {
		var piece []byte
		piece, err = r.in.ReadSlice('\n')
		tail = append(tail, piece...)
		tail = bytes.Clone(tail[max(0, len(tail)-keptEnds):])
	}
	return Line{head: head, tail: tail}, err
}

// OneLine is a message with nothing in it that ends a line. Inside JSON strings there is none; between tokens a space
// means the same.
func OneLine(message []byte) []byte {
	out := make([]byte, len(message), len(message)+1)
	for i, b := range message {
		if b == '\n' || b == '\r' {
			b = ' '
		}
		out[i] = b
	}
	return append(out, '\n')
}

// Head is what is known of the start of a line that is too long.
func (l Line) Head() []byte { return l.head }

// ID is the id of a line that is too long, as far as its ends show it: a member of that name before any value with
// members in it, or the line's last one. request says that a method stands before the id. The id is nil when it isn't
// there. What stands in the line can make it wrong; it is good for nothing but to tell somebody that the line was dropped.
func (l Line) ID() (id []byte, request bool) {
	id, request = leadingID(l.head)
	if id == nil {
		id = trailingID(l.tail)
	}
	return id, request
}

// leadingID walks the members whose values are scalars.
func leadingID(head []byte) (id []byte, request bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(head), []byte("{"))
	for ok {
		var key, value []byte
		if key, rest, ok = takeString(rest); !ok {
			break
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(":")); !ok {
			break
		}
		value, rest, ok = takeScalar(rest)
		request = request || string(key) == `"method"`
		if ok && string(key) == `"id"` {
			return value, request
		}
		rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(","))
	}
	return nil, request
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
