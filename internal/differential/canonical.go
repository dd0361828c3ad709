package differential

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// longest is the length up to which a canonical form stays readable; the digest of a longer one stands for it.
const longest = 400

// Canonical is a JSON value in the form that readers in all languages write: keys sorted, strings in hex, numbers as the
// float64 nearest to them, which is all that JavaScript has. Of a name that is there twice the last counts. Absent and
// null are "".
func Canonical(raw []byte) (string, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "", nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("data after the value")
	}
	if v == nil {
		return "", nil
	}
	var b strings.Builder
	if err := write(&b, v); err != nil {
		return "", err
	}
	return short(b.String()), nil
}

func short(canonical string) string {
	if len(canonical) <= longest {
		return canonical
	}
	sum := sha256.Sum256([]byte(canonical))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func write(b *strings.Builder, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		return number(b, v.String())
	case string:
		b.WriteString("s" + hex.EncodeToString([]byte(v)))
	case []any:
		return array(b, v)
	case map[string]any:
		return object(b, v)
	}
	return nil
}

// number writes the bits of the float64; out of its range it is an infinity, and there is only one zero.
func number(b *strings.Builder, digits string) error {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	if f == 0 {
		f = 0
	}
	b.WriteString("n" + strconv.FormatUint(math.Float64bits(math.Abs(f)), 16))
	if f < 0 {
		b.WriteString("-")
	}
	return nil
}

func array(b *strings.Builder, v []any) error {
	b.WriteByte('[')
	for _, e := range v {
		if err := write(b, e); err != nil {
			return err
		}
		b.WriteByte(',')
	}
	b.WriteByte(']')
	return nil
}

func object(b *strings.Builder, v map[string]any) error {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b.WriteByte('{')
	for _, k := range keys {
		b.WriteString(hex.EncodeToString([]byte(k)) + ":")
		if err := write(b, v[k]); err != nil {
			return err
		}
		b.WriteByte(',')
	}
	b.WriteByte('}')
	return nil
}
