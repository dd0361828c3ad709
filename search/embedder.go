package search

import "math"

// Embedder turns a text into a vector whose direction stands for its meaning.
// It is safe for concurrent use, and equal texts get equal vectors.
type Embedder interface {
	// Dim is the number of values of a vector.
	Dim() int
	// Embed writes the vector of text into dst, which has Dim values: all zeros
	// when it knows nothing of the text.
	Embed(dst []float32, text string)
	// Name tells embedders apart.
	Name() string
}

// Vectors are compared in whole numbers: sums come out the same in any order
// and on any machine, and a document's vector takes little memory.
const (
	docScale   = 127    // one value of a document
	queryScale = 16_000 // one value of a query: 1,024 products fit 32 bits
	maxDim     = 1024
)

// vector is a document's direction, each value from -127 to 127, and what its
// products are to be multiplied with to be cosines.
type vector struct {
	values []int8
	unit   float32
}

// quantise makes a vector of v. No vector for all zeros.
func quantise(v []float32) vector {
	values, unit := steps[int8](v, docScale)
	return vector{values, unit}
}

// steps rounds v to whole numbers whose greatest is scale, and gives what makes
// them a direction of length 1 again.
func steps[T int8 | int16](v []float32, scale float64) ([]T, float32) {
	most, _ := extent(v)
	if most == 0 {
		return nil, 0
	}
	values := make([]T, len(v))
	var square int64
	for i, x := range v {
		n := int64(math.RoundToEven(float64(x) / most * scale))
		values[i] = T(n)
		square += n * n
	}
	return values, float32(1 / math.Sqrt(float64(square)))
}

// question is a query's direction in finer steps than a document's.
type question struct {
	values []int16
	unit   float32
}

func quantiseQuestion(v []float32) question {
	values, unit := steps[int16](v, queryScale)
	return question{values, unit}
}

// extent is the greatest absolute value of v, and the length of v.
func extent(v []float32) (most, length float64) {
	var square float64
	for _, x := range v {
		a := math.Abs(float64(x))
		most = max(most, a)
		square += float64(a * a)
	}
	return most, math.Sqrt(square)
}

// dot is the product of a document's and a query's values.
func dot(doc []int8, query []int16) int32 {
	sum := int32(0)
	for i, x := range doc {
		sum += int32(x) * int32(query[i])
	}
	return sum
}
