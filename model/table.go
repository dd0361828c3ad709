package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// table is the rows of a Model2Vec model, in place, with what chooses and weighs them. Its arithmetic is the reference's,
// in the same order and precision: numpy's sums over rows in float32 (in float64 for int8 rows, and where a weight is
// float64), its rounding of float16 results, and its pairwise sum of squares.
type table struct {
	rows      tensor
	dim       int
	mapping   []int32   // by token; nil: the token's id is the row
	weights   []float64 // by token; nil: all one
	wide      bool      // sums are in float64
	half      bool      // results are rounded to float16
	normalise bool
}

// newTable checks that the arrays fit each other and a vocabulary.
func newTable(tensors map[string]tensor, v *vocabulary, normalise bool) (*table, error) {
	rows, found := tensors["embeddings"]
	if !found {
		return nil, errors.New(`it has no tensor "embeddings"`)
	}
	if err := rows.check("embeddings", 2, "F32 F16 I8 F64"); err != nil {
		return nil, err
	}
	t := &table{rows: rows, dim: rows.Shape[1], normalise: normalise, half: rows.Type == "F16"}
	if t.dim > maxDim {
		return nil, fmt.Errorf("its rows have %d values, at most %d can be read", t.dim, maxDim)
	}
	weights, err := t.readWeights(tensors, v)
	if err != nil {
		return nil, err
	}
	if err := t.readMapping(tensors, v); err != nil {
		return nil, err
	}
	t.wide = weights == "F64" || rows.Type == "F64" || rows.Type == "I8" && weights == ""
	return t, t.checkFinite()
}

func (t *table) readWeights(tensors map[string]tensor, v *vocabulary) (kind string, err error) {
	w, found := tensors["weights"]
	if !found {
		return "", nil
	}
	if err := w.check("weights", 1, "F64 F32"); err != nil {
		return "", err
	}
	if int(v.highest) >= w.Shape[0] {
		return "", fmt.Errorf("it has %d weights, but the tokenizer has ids up to %d", w.Shape[0], v.highest)
	}
	t.weights = make([]float64, w.Shape[0])
	for i := range t.weights {
		if t.weights[i] = w.float(i); !finite(t.weights[i]) {
			return "", fmt.Errorf("its weight %d is not a number", i)
		}
	}
	return w.Type, nil
}

func (t *table) readMapping(tensors map[string]tensor, v *vocabulary) error {
	rows := t.rows.Shape[0]
	m, found := tensors["mapping"]
	if !found {
		if rows != v.tokens || int(v.highest) >= rows {
			return fmt.Errorf("it has %d rows, but the tokenizer has %d tokens with ids up to %d, and there is no mapping", rows, v.tokens, v.highest)
		}
		return nil
	}
	if err := m.check("mapping", 1, "I64 I32"); err != nil {
		return err
	}
	if int(v.highest) >= m.Shape[0] {
		return fmt.Errorf("its mapping has %d entries, but the tokenizer has ids up to %d", m.Shape[0], v.highest)
	}
	t.mapping = make([]int32, m.Shape[0])
	for i := range t.mapping {
		row := int64(int32(le32(m.data[4*i:])))
		if m.Type == "I64" {
			row = int64(le64(m.data[8*i:]))
		}
		if row < 0 || row >= int64(rows) {
			return fmt.Errorf("its mapping sends token %d to row %d of %d", i, row, rows)
		}
		t.mapping[i] = int32(row)
	}
	return nil
}

// checkFinite finds rows that hold no numbers.
func (t *table) checkFinite() error {
	bad := false
	switch t.rows.Type {
	case "F64":
		for at := 0; at < len(t.rows.data); at += 8 {
			bad = bad || le64(t.rows.data[at:])>>52&0x7FF == 0x7FF
		}
	case "F32":
		for at := 0; at < len(t.rows.data); at += 4 {
			bad = bad || le32(t.rows.data[at:])>>23&0xFF == 0xFF
		}
	case "F16":
		for at := 0; at < len(t.rows.data); at += 2 {
			bad = bad || le16(t.rows.data[at:])>>10&0x1F == 0x1F
		}
	}
	if bad {
		return errors.New("a value of its embeddings is not a number")
	}
	return nil
}

// float is an element of a tensor as a number.
func (t tensor) float(i int) float64 {
	switch t.Type {
	case "F64":
		return math.Float64frombits(le64(t.data[8*i:]))
	case "F32":
		return float64(math.Float32frombits(le32(t.data[4*i:])))
	case "F16":
		return float64(float16(le16(t.data[2*i:])))
	}
	return float64(int8(t.data[i]))
}

func (t *table) mean(dst []float32, ids []int32, s *scratch) {
	if t.wide {
		s.wide = slices.Grow(s.wide[:0], t.dim)[:t.dim]
		clear(s.wide)
		sum(t, s.wide, ids)
		for i, x := range s.wide {
			dst[i] = t.round(x / float64(len(ids)))
		}
	} else {
		sum(t, dst, ids)
		for i, x := range dst {
			dst[i] = t.round(float64(x / float32(len(ids))))
		}
	}
	if t.normalise {
		t.unit(dst)
	}
}

// round brings a result to the precision of the table.
func (t *table) round(x float64) float32 {
	if t.half {
		x = roundToHalf(x)
	}
	return float32(x)
}

// sum adds the tokens' rows, each times its weight.
func sum[T float32 | float64](t *table, out []T, ids []int32) {
	for _, id := range ids {
		row := int(id)
		if t.mapping != nil {
			row = int(t.mapping[id])
		}
		if t.rows.Type == "F32" && t.weights == nil {
			data := t.rows.data[row*t.dim*4:][:4*len(out)]
			for i := range out {
				out[i] += T(math.Float32frombits(le32(data[4*i:])))
			}
			continue
		}
		weight := T(1)
		if t.weights != nil {
			weight = T(t.weights[id])
		}
		for i := range out {
			out[i] += T(T(t.rows.float(row*t.dim+i)) * weight)
		}
	}
}

// unit divides by the length.
func (t *table) unit(v []float32) {
	length := float32(math.Sqrt(float64(squares(v)))) + 1e-32
	for i, x := range v {
		v[i] = t.round(float64(x / length))
	}
}

// squares is numpy's sum of squares: pairwise over stretches of at most 128, those in eight sums.
func squares(v []float32) float32 {
	const unrolled, most = 8, 128
	if len(v) < unrolled {
		var sum float32
		for _, x := range v {
			sum += float32(x * x)
		}
		return sum
	}
	if len(v) > most {
		half := len(v) / 2
		half -= half % unrolled
		return squares(v[:half]) + squares(v[half:])
	}
	var r [unrolled]float32
	whole := len(v) - len(v)%unrolled
	for i := 0; i < whole; i += unrolled {
		for j := range r {
			r[j] += float32(v[i+j] * v[i+j])
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for _, x := range v[whole:] {
		sum += float32(x * x)
	}
	return sum
}
