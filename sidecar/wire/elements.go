package wire

import (
	"errors"
	"io"
)

// Elements returns the elements of a raw JSON array in order. It is an error
// when array isn't one valid array or an object in it has a name twice.
func Elements(array []byte) ([][]byte, error) {
	if !IsArray(array) {
		return nil, errors.New("not a JSON array: pass one whole array")
	}
	dec := lenient(array)
	if _, err := dec.ReadToken(); err != nil {
		return nil, unreadable(err)
	}
	var elements [][]byte
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return nil, unreadable(err)
		}
		elements = append(elements, append([]byte(nil), v...))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, unreadable(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the JSON array: pass one whole array")
	}
	return elements, nil
}
