package wire

import (
	"bytes"
	"errors"
)

// TopFields is Fields for what is judged piece by piece later: only the
// object's own names must be distinct. What stands inside its values must be
// JSON, but may repeat names and be nested to any depth.
func TopFields(object []byte) ([]Field, error) {
	var fields []Field
	seen := map[string]bool{}
	repeated := false
	err := eachMember(object, func(key string, raw []byte, _ Span) {
		repeated = repeated || seen[key]
		seen[key] = true
		fields = append(fields, Field{Key: key, Value: raw})
	})
	switch {
	case err != nil:
		return nil, err
	case repeated:
		return nil, errors.New("a JSON object has two members of the same name: send each name once")
	}
	return fields, nil
}

// TopSpan is where the value of one of an object's own members stands: the last
// of that name, as both SDKs read it. It is absent when there is none, and when
// object isn't one object. Of what stands inside the values it demands as little
// as TopFields.
func TopSpan(object []byte, name string) Span {
	var found Span
	err := eachMember(object, func(key string, _ []byte, at Span) {
		if key == name {
			found = at
		}
	})
	if err != nil {
		return Span{}
	}
	return found
}

// EachElement gives visit the elements of one raw array until it returns false.
// Of what stands inside them it demands as little as TopFields. The elements
// alias array.
func EachElement(array []byte, visit func(element []byte) bool) error {
	errNotArray := errors.New("not a JSON array: pass one whole array")
	at := space(array, 0)
	if byteAt(array, at) != '[' {
		return errNotArray
	}
	first := true
	for at = space(array, at+1); byteAt(array, at) != ']'; at = space(array, at) {
		if !first {
			if byteAt(array, at) != ',' {
				return errNotArray
			}
			at = space(array, at+1)
		}
		first = false
		end := skipValue(array, at)
		if end < 0 {
			return errNotArray
		}
		if !visit(array[at:end:end]) {
			return nil
		}
		at = end
	}
	if space(array, at+1) != len(array) {
		return errNotArray
	}
	return nil
}

// eachMember walks the members of exactly one object, at any depth inside and
// with names that may repeat, also its own.
func eachMember(object []byte, visit func(key string, raw []byte, at Span)) error {
	at := space(object, 0)
	if byteAt(object, at) != '{' {
		return errNotObject
	}
	first := true
	for at = space(object, at+1); byteAt(object, at) != '}'; at = space(object, at) {
		if !first {
			if byteAt(object, at) != ',' {
				return errNotObject
			}
			at = space(object, at+1)
		}
		first = false
		start := at
		if at = skipKey(object, start); at < 0 {
			return errNotObject
		}
		key, ok := String(object[start:skipString(object, start)])
		at = space(object, at)
		end := skipValue(object, at)
		if !ok || end < 0 {
			return errNotObject
		}
		visit(key, object[at:end:end], Span{at, end})
		at = end
	}
	if space(object, at+1) != len(object) {
		return errNotObject
	}
	return nil
}

// skipValue is the offset behind the JSON value at raw[at:], -1 when there is
// none. It keeps its own stack: an upstream chooses the depth.
func skipValue(raw []byte, at int) int {
	var open []byte
	for {
		at = space(raw, at)
		switch c := byteAt(raw, at); c {
		case '{', '[':
			at = space(raw, at+1)
			if byteAt(raw, at) == c+2 { // the closing one, in ASCII
				at++
				break
			}
			open = append(open, c)
			if c == '{' {
				if at = skipKey(raw, at); at < 0 {
					return -1
				}
			}
			continue
		case '"':
			at = skipString(raw, at)
		default:
			at = skipScalar(raw, at)
		}
		if at < 0 {
			return -1
		}
		if open, at = skipClosed(raw, at, open); at < 0 || len(open) == 0 {
			return at
		}
	}
}

// skipClosed goes on behind a value: through the ends of what it was in, and to
// the next value when there is one.
func skipClosed(raw []byte, at int, open []byte) (left []byte, next int) {
	for len(open) > 0 {
		at = space(raw, at)
		top := open[len(open)-1]
		switch byteAt(raw, at) {
		case top + 2:
			open = open[:len(open)-1]
			at++
		case ',':
			if top == '{' {
				return open, skipKey(raw, space(raw, at+1))
			}
			return open, at + 1
		default:
			return open, -1
		}
	}
	return open, at
}

// skipKey skips a name and its colon.
func skipKey(raw []byte, at int) int {
	if at = skipString(raw, at); at < 0 {
		return -1
	}
	if at = space(raw, at); byteAt(raw, at) != ':' {
		return -1
	}
	return at + 1
}

func skipString(raw []byte, at int) int {
	if byteAt(raw, at) != '"' {
		return -1
	}
	for at++; at < len(raw); at++ {
		switch c := raw[at]; {
		case c == '"':
			return at + 1
		case c < ' ':
			return -1
		case c == '\\':
			at++
			switch byteAt(raw, at) {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					at++
					if c := byteAt(raw, at); !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
						return -1
					}
				}
			default:
				return -1
			}
		}
	}
	return -1
}

func skipScalar(raw []byte, at int) int {
	for _, literal := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(raw[min(at, len(raw)):], []byte(literal)) {
			return at + len(literal)
		}
	}
	return skipNumber(raw, at)
}

func skipNumber(raw []byte, at int) int {
	if byteAt(raw, at) == '-' {
		at++
	}
	if byteAt(raw, at) == '0' {
		at++
	} else if at = skipDigits(raw, at); at < 0 {
		return -1
	}
	if byteAt(raw, at) == '.' {
		if at = skipDigits(raw, at+1); at < 0 {
			return -1
		}
	}
	if byteAt(raw, at)|0x20 != 'e' {
		return at
	}
	at++
	if c := byteAt(raw, at); c == '+' || c == '-' {
		at++
	}
	return skipDigits(raw, at)
}

func skipDigits(raw []byte, at int) int {
	if !isDigit(byteAt(raw, at)) {
		return -1
	}
	for isDigit(byteAt(raw, at)) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// byteAt is 0 behind the end, which no grammar takes.
func byteAt(raw []byte, at int) byte {
	if at < len(raw) {
		return raw[at]
	}
	return 0
}

func space(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r') {
		at++
	}
	return at
}
