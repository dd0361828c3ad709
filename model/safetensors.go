package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// tensor is one array of a safetensors file, in place.
type tensor struct {
	Type  string `json:"dtype"`
	Shape []int  `json:"shape"`
	At    [2]int `json:"data_offsets"`
	data  string
}

const maxTensorHeader = 100 << 20 // as in the reference

// parseSafetensors reads the header of a safetensors file: uint64 length, JSON from name to type, shape and place; then
// the arrays.
func parseSafetensors(data string) (map[string]tensor, error) {
	if len(data) < 8 {
		return nil, errors.New("it is too short for a safetensors file")
	}
	size := le64(data)
	if size > maxTensorHeader || size > uint64(len(data)-8) {
		return nil, errors.New("its header is longer than the file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(data[8:8+size]), &raw); err != nil {
		return nil, fmt.Errorf("its header can't be read: %w", err)
	}
	body := data[8+size:]
	tensors := make(map[string]tensor, len(raw))
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		var t tensor
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("its tensor %q can't be read: %w", name, err)
		}
		if t.At[0] < 0 || t.At[0] > t.At[1] || t.At[1] > len(body) {
			return nil, fmt.Errorf("its tensor %q ends after the file does", name)
		}
		t.data = body[t.At[0]:t.At[1]]
		tensors[name] = t
	}
	return tensors, nil
}

// width is the size in bytes of an element of one of the types, which are named as in the file; 0 for another.
func (t tensor) width(types string) int {
	if !strings.Contains(" "+types+" ", " "+t.Type+" ") {
		return 0
	}
	switch t.Type {
	case "F64", "I64":
		return 8
	case "F32", "I32":
		return 4
	case "F16":
		return 2
	}
	return 1
}

// check finds what is wrong with a tensor that must have dims dimensions and one of the types.
func (t tensor) check(name string, dims int, types string) error {
	width := t.width(types)
	if width == 0 {
		return fmt.Errorf("its tensor %q is of type %s, but %s can be read", name, t.Type, strings.ReplaceAll(types, " ", ", "))
	}
	if len(t.Shape) != dims {
		return fmt.Errorf("its tensor %q has %d dimensions, not %d", name, len(t.Shape), dims)
	}
	need := width
	for _, n := range t.Shape {
		if n < 1 || n > len(t.data)/need {
			return fmt.Errorf("its tensor %q has %d bytes, which doesn't fit its shape %v", name, len(t.data), t.Shape)
		}
		need *= n
	}
	if need != len(t.data) {
		return fmt.Errorf("its tensor %q has %d bytes, not the %d of its shape %v", name, len(t.data), need, t.Shape)
	}
	return nil
}
