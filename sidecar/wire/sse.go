package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Event is one event of a server-sent event stream, or one block of comments
// (WHATWG HTML, section 9.2).
type Event struct {
	Raw   []byte // every byte through the blank line that ends it
	Type  string // the last event field, or ""
	ID    string // the last id field
	HasID bool   // there is an id field, maybe an empty one
	Data  []byte // the data fields joined by LF; empty when there are none
}

// FirstEvent takes the first complete event off a growing buffer. ok is false
// while its blank line hasn't come, also while the buffer ends in the CR that
// may be half of that line's CRLF. A byte order mark before it is skipped, so
// buf should start where the stream does. Events without data and blocks of
// comments are events too. The slices alias buf, but for data of several lines.
func FirstEvent(buf []byte) (ev Event, rest []byte, ok bool) {
	end, _, ok := eventEnd(buf, lineStart{})
	if !ok {
		return Event{}, buf, false
	}
	return parseEvent(buf[:end:end]), buf[end:], true
}

// lineStart is where a search for an event's end goes on: at a line, of which
// the bytes before clean hold no line break. Without clean, an event of one
// long line would be read from its start with every piece that comes.
type lineStart struct{ line, clean int }

// eventEnd looks for the end of an event from the start of one of its lines.
// Without one it returns where to go on.
func eventEnd(buf []byte, at lineStart) (end int, on lineStart, ok bool) {
	for {
		skip := max(at.clean-at.line, 0)
		n, eol := lineLength(buf[at.line+skip:])
		if eol == 0 {
			return 0, lineStart{at.line, at.line + skip + n}, false
		}
		if n+skip == 0 {
			return at.line + eol, at, true
		}
		at = lineStart{line: at.line + skip + n + eol}
	}
}

// lineLength returns the length of the first line and of its ending (LF, CR or
// CRLF). An ending of 0 means that the line isn't complete for sure.
func lineLength(buf []byte) (n, eol int) {
	n = bytes.IndexAny(buf, "\r\n")
	switch {
	case n < 0:
		return len(buf), 0
	case buf[n] == '\n':
		return n, 1
	case n+1 == len(buf):
		return n, 0
	case buf[n+1] == '\n':
		return n, 2
	}
	return n, 1
}

const byteOrderMark = "\xef\xbb\xbf"

// eachLine calls visit with every line of an event and where it stands,
// including its ending.
func eachLine(raw []byte, visit func(line []byte, at Span)) {
	pos := len(raw) - len(bytes.TrimPrefix(raw, []byte(byteOrderMark)))
	for pos < len(raw) {
		n, eol := lineLength(raw[pos:])
		if eol == 0 && n < len(raw)-pos {
			// The stream ended in this CR.
			eol = 1
		}
		visit(raw[pos:pos+n], Span{pos, pos + n + eol})
		pos += n + eol
	}
}

// field splits a line at its colon; one space behind the colon is no part of
// the value.
func field(line []byte) (name, value []byte) {
	name, value, _ = bytes.Cut(line, []byte{':'})
	return name, bytes.TrimPrefix(value, []byte{' '})
}

func parseEvent(raw []byte) Event {
	ev := Event{Raw: raw}
	lines := 0
	eachLine(raw, func(line []byte, _ Span) {
		name, value := field(line)
		switch string(name) {
		case "event":
			ev.Type = string(value)
		case "id":
			// An id with a NUL is ignored by the standard.
			if bytes.IndexByte(value, 0) < 0 {
				ev.ID, ev.HasID = string(value), true
			}
		case "data":
			lines++
			ev.Data = joinLine(ev.Data, value, lines)
		}
	})
	return ev
}

func joinLine(data, line []byte, lines int) []byte {
	if lines == 1 {
		return line[:len(line):len(line)]
	}
	return append(append(data, '\n'), line...)
}

// WithData returns Raw with its data lines replaced by those of data, at the
// place and with the line ending of the first of them; ids, types, retries and
// comments stay as they are. An event without data lines gets them before its
// blank line.
func (e Event) WithData(data []byte) []byte {
	out := make([]byte, 0, len(e.Raw)+len(data)+len("data: \n"))
	out = append(out, e.Raw[:len(e.Raw)-len(bytes.TrimPrefix(e.Raw, []byte(byteOrderMark)))]...)
	done := false
	eachLine(e.Raw, func(line []byte, at Span) {
		name, _ := field(line)
		isData := string(name) == "data"
		if !done && (isData || len(line) == 0) {
			done = true
			out = appendData(out, data, e.Raw[at.Start+len(line):at.End])
		}
		if !isData {
			out = append(out, e.Raw[at.Start:at.End]...)
		}
	})
	if !done {
		// The stream ended before the blank line, maybe inside a line.
		if n := len(out); n > 0 && out[n-1] != '\n' && out[n-1] != '\r' {
			out = append(out, '\n')
		}
		out = appendData(out, data, nil)
	}
	return out
}

// appendData writes data as data fields; every kind of line break in it starts
// another one.
func appendData(dst, data, eol []byte) []byte {
	if len(eol) == 0 {
		eol = []byte{'\n'}
	}
	for {
		n := bytes.IndexAny(data, "\r\n")
		line, rest := data, []byte(nil)
		if n >= 0 {
			line, rest = data[:n], data[n+1:]
			if data[n] == '\r' {
				rest = bytes.TrimPrefix(rest, []byte{'\n'})
			}
		}
		dst = append(append(append(dst, "data: "...), line...), eol...)
		if n < 0 {
			return dst
		}
		data = rest
	}
}

// ErrEventTooLarge is wrapped by the error of EventReader.Next for an event
// over the limit.
var ErrEventTooLarge = errors.New("server-sent event too large")

// EventReader reads events one by one. It is not safe for concurrent use.
type EventReader struct {
	r        io.Reader
	maxEvent int
	buf      []byte    // unread bytes; the current event starts at 0
	at       lineStart // where to go on looking for its end
	err      error
}

// NewEventReader reads r; an event may hold maxEvent bytes.
func NewEventReader(r io.Reader, maxEvent int) *EventReader {
	return &EventReader{r: r, maxEvent: maxEvent}
}

// Next returns the next event. What stands behind the last blank line when the
// stream ends is returned as an event too: some servers end without one. The
// error is io.EOF at the end, the reader's own, or one that wraps
// ErrEventTooLarge; it stays. The event's slices stay valid.
func (r *EventReader) Next() (Event, error) {
	for {
		end, at, ok := eventEnd(r.buf, r.at)
		if ok && end <= r.maxEvent {
			return r.take(end), nil
		}
		if ok || len(r.buf) > r.maxEvent {
			r.err = fmt.Errorf("%w: it holds more than %d bytes: raise the limit or have the upstream send less", ErrEventTooLarge, r.maxEvent)
			return Event{}, r.err
		}
		r.at = at
		if r.err != nil {
			return r.last()
		}
		r.fill()
	}
}

// last is what is left when the stream has ended.
func (r *EventReader) last() (Event, error) {
	if !errors.Is(r.err, io.EOF) || len(r.buf) == 0 {
		return Event{}, r.err
	}
	return r.take(len(r.buf)), nil
}

func (r *EventReader) take(end int) Event {
	ev := parseEvent(bytes.Clone(r.buf[:end]))
	r.buf = r.buf[end:]
	r.at = lineStart{}
	return ev
}

// fill reads what comes next into spare room, which grows with the event.
func (r *EventReader) fill() {
	const least = 4096
	for range 100 {
		r.buf = slices.Grow(r.buf, least)
		n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
