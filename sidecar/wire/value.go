package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Field is one member of a JSON object.
type Field struct {
	Key   string // unescaped
	Value []byte // raw JSON, aliasing the object
}

var errNotObject = errors.New("not a JSON object: pass one whole object")

// Fields returns the members of a raw JSON object in order. It is an error when
// object isn't one valid object or has a name twice at any depth. Lone
// surrogates and invalid UTF-8 are accepted (upstreams send them); keys then
// hold U+FFFD.
func Fields(object []byte) ([]Field, error) {
	var fields []Field
	err := eachField(object, func(f Field, _ Span) { fields = append(fields, f) })
	if err != nil {
		return nil, err
	}
	return fields, nil
}

// eachField walks the members of a raw object with unique names; at is where
// the value stands.
func eachField(object []byte, visit func(f Field, at Span)) error {
	return walkObject(lenient(object), object, visit)
}

// walkObject reads exactly one object from dec, which decodes object.
func walkObject(dec *jsontext.Decoder, object []byte, visit func(f Field, at Span)) error {
	if dec.PeekKind() != '{' {
		return errNotObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return unreadable(err)
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return unreadable(err)
		}
		end := int(dec.InputOffset())
		at := Span{end - len(value), end}
		visit(Field{Key: name, Value: at.In(object)}, at)
	}
	if _, err := dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errNotObject
	}
	return nil
}

// lenient decodes what upstreams send: names must be unique, text need not be
// well-formed UTF-8.
func lenient(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	opts = append(opts, jsontext.AllowInvalidUTF8(true))
	return jsontext.NewDecoder(bytes.NewBuffer(raw[:len(raw):len(raw)]), opts...)
}

// unreadable hides the decoder's text, which quotes the input.
func unreadable(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errors.New("a JSON object has two members of the same name: send each name once")
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Errorf("invalid JSON near byte %d: correct it", syntactic.ByteOffset)
	}
	return errors.New("truncated JSON: send the whole value")
}

// SetField returns a new object in which member key has the raw JSON value:
// replaced where it stands, else appended at the end. All other bytes are the
// same. The error is the one of Fields.
func SetField(object []byte, key string, value []byte) ([]byte, error) {
	var old Span
	members := 0
	err := eachField(object, func(f Field, at Span) {
		members++
		if f.Key == key {
			old = at
		}
	})
	if err != nil {
		return nil, err
	}
	if !old.Absent() {
		return splice(object, old, value), nil
	}
	member := append(Quote(key), ':')
	member = append(member, value...)
	if members > 0 {
		member = append([]byte{','}, member...)
	}
	end := bytes.LastIndexByte(object, '}')
	return splice(object, Span{end, end}, member), nil
}

func splice(body []byte, at Span, with []byte) []byte {
	out := make([]byte, 0, len(body)-(at.End-at.Start)+len(with))
	out = append(out, body[:at.Start]...)
	out = append(out, with...)
	return append(out, body[at.End:]...)
}

// Quote returns s as a JSON string token. Invalid UTF-8 becomes U+FFFD; HTML
// characters are not escaped.
func Quote(s string) []byte {
	// The error only reports the U+FFFD.
	token, _ := jsontext.AppendQuote(nil, s)
	return token
}

// String decodes a raw JSON string token; false when raw isn't one. Lone
// surrogates and invalid UTF-8 become U+FFFD.
func String(raw []byte) (string, bool) {
	dec := lenient(raw)
	if dec.PeekKind() != '"' {
		return "", false
	}
	token, err := dec.ReadToken()
	if err != nil {
		return "", false
	}
	text := token.String()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return "", false
	}
	return text, true
}

// Text is String for text that must come back as it was: false also for lone
// surrogates and invalid UTF-8.
func Text(raw []byte) (string, bool) {
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(raw))
	if err != nil {
		return "", false
	}
	return string(text), true
}

// IsObject reports whether the first byte of raw that isn't white space opens
// an object. IsArray, IsString and IsNull do the same for their types.
func IsObject(raw []byte) bool { return first(raw) == '{' }

// IsArray reports whether raw starts like an array.
func IsArray(raw []byte) bool { return first(raw) == '[' }

// IsString reports whether raw starts like a string.
func IsString(raw []byte) bool { return first(raw) == '"' }

// IsNull reports whether raw starts like null.
func IsNull(raw []byte) bool { return first(raw) == 'n' }

func first(raw []byte) byte {
	for _, b := range raw {
		switch b {
		case ' ', '\t', '\n', '\r':
			continue
		}
		return b
	}
	return 0
}

// Compact returns raw without insignificant white space; key order, the digits
// of numbers and the spelling of strings stay. Input that isn't one JSON value
// is returned as it is.
func Compact(raw []byte) []byte {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return raw
	}
	return v
}

// RemoveFields returns a new object without the members of the given names; the
// values of the others are the same bytes. The object itself is returned when it has
// none of them. The error is the one of Fields.
func RemoveFields(object []byte, keys ...string) ([]byte, error) {
	out, found := []byte{'{'}, false
	err := eachField(object, func(f Field, _ Span) {
		if slices.Contains(keys, f.Key) {
			found = true
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, Quote(f.Key)...), ':'), f.Value...)
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return object, nil
	}
	return append(out, '}'), nil
}
