package argcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep arguments and schemas may nest.
const maxDepth = 200

var (
	errTooDeep  = errors.New("nested too deeply")
	errTrailing = errors.New("more than one JSON value")
)

// decode reads one strict JSON value (no repeated names, valid UTF-8, nothing
// after it) that nests at most depth levels. Objects become map[string]any,
// numbers json.Number.
func decode(raw []byte, depth int) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := decodeValue(d, depth)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return v, nil
}

func decodeValue(d *jsontext.Decoder, depth int) (any, error) {
	switch d.PeekKind() {
	case '{':
		return decodeObject(d, depth-1)
	case '[':
		return decodeArray(d, depth-1)
	}
	tok, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '"':
		return tok.String(), nil
	case '0':
		return number(tok.String()), nil
	case 't', 'f':
		return tok.Bool(), nil
	}
	return nil, nil
}

func decodeObject(d *jsontext.Decoder, depth int) (any, error) {
	if depth < 0 {
		return nil, errTooDeep
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := tok.String()
		if object[name], err = decodeValue(d, depth); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func decodeArray(d *jsontext.Decoder, depth int) (any, error) {
	if depth < 0 {
		return nil, errTooDeep
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	array := []any{}
	for d.PeekKind() != ']' {
		v, err := decodeValue(d, depth)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.ReadToken()
	return array, err
}

const (
	maxDigits   = 400
	maxExponent = 800
)

// number keeps a number as it was written, unless its digits or its exponent
// are so many that exact arithmetic on it would take seconds or give up. Such
// a number is replaced by one that is as good for every comparison a sane
// schema makes: at most 400 digits, magnitude at most 10^±800.
func number(text string) json.Number {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	e, err := 0, error(nil)
	if exponent != "" {
		e, err = strconv.Atoi(exponent)
	}
	if err == nil && len(text) <= maxDigits && e >= -maxDigits && e <= maxDigits {
		return json.Number(text)
	}
	if err != nil { // beyond the range of int
		e = 1 << 40
		if strings.HasPrefix(exponent, "-") {
			e = -e
		}
	}
	return shorten(mantissa, e)
}

func shorten(mantissa string, e int) json.Number {
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	// The value is 0.digits × 10^e from here on.
	e += len(whole) - (len(whole+fraction) - len(digits))
	digits = strings.TrimRight(digits[:min(len(digits), maxDigits)], "0")
	e = max(-maxExponent, min(maxExponent, e))
	return json.Number(sign + digits + "e" + strconv.Itoa(e-len(digits)))
}
