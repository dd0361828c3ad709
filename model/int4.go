package model

import "errors"

// blockValues is the number of values that share one scale.
const blockValues = 32

// int4Table is a table read in place; its form is told at Packed.
type int4Table struct {
	dim     int
	scales  string // float16, little-endian
	nibbles string
}

// check finds scales that are no numbers.
func (t *int4Table) check() error {
	for at := 1; at < len(t.scales); at += 2 {
		if t.scales[at]&0x7C == 0x7C {
			return errors.New("a scale of the packed model is not a number: build it again")
		}
	}
	return nil
}

// mean leaves out the division by the number of tokens: the vector is made one long anyway.
func (t *int4Table) mean(dst []float32, ids []int32, _ *scratch) {
	for _, id := range ids {
		t.add(dst, int(id))
	}
	normalise(dst)
}

func (t *int4Table) add(sum []float32, id int) {
	const half = blockValues / 2
	blocks := t.dim / blockValues
	for b := range blocks {
		at := id*blocks + b
		scale := float16(le16(t.scales[2*at:]))
		var scaled [16]float32 // of each four bits
		for i := range scaled {
			scaled[i] = float32(i-8) * scale
		}
		packed := t.nibbles[at*half:][:half]
		out := (*[blockValues]float32)(sum[b*blockValues:])
		for i := range half {
			p := packed[i]
			out[2*i] += scaled[p&15]
			out[2*i+1] += scaled[p>>4]
		}
	}
}
