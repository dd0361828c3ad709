package search

import (
	"math"

	"mcp-toolsearch/search/text"
)

// embed makes a document's vector: the name by itself, so that long
// descriptions don't drown it, the name with the description, and the
// parameters.
func (r *reader) embed(d *Document) vector {
	if r.embedder == nil {
		return vector{}
	}
	clear(r.sum)
	name := d.Name
	r.prose = text.AppendSpaced(r.prose[:0], name)
	if d.Title != "" {
		r.prose = append(append(r.prose, ' '), d.Title...)
	}
	for _, alias := range d.Aliases {
		r.prose = append(append(r.prose, ' '), alias...)
	}
	length := len(r.prose)
	r.addVector(r.tune.DenseName)
	r.prose = append(r.prose, ". "...)
	r.prose = append(r.prose, cut(d.Description, r.tune.DenseBytes)...)
	r.addVector(1)
	r.prose = r.prose[:length]
	for i := range d.Parameters {
		p := &d.Parameters[i]
		r.prose = text.AppendSpaced(append(r.prose, ' '), p.Name)
		r.prose = append(append(r.prose, ' '), cut(p.Description, r.tune.DenseParamBytes)...)
		if len(r.prose) > maxDenseParams {
			break
		}
	}
	if len(d.Parameters) > 0 {
		r.addVector(r.tune.DenseParams)
	}
	return quantise(r.sum)
}

// maxDenseParams bounds the text of parameters that is embedded, in bytes.
const maxDenseParams = 600

func (r *reader) addVector(weight float64) {
	if weight == 0 {
		return
	}
	r.embedder.Embed(r.one, string(r.prose))
	for i, x := range r.one {
		r.sum[i] += float32(float32(weight) * x)
	}
}

// matrix are the vectors of all documents. Two documents share a row: the value
// of the one in the low half of a number and that of the other in the high half,
// so that one multiplication serves both.
type matrix struct {
	embedder Embedder
	dim      int
	pairs    []int64   // row after row
	unit     []float32 // 0: the document has no vector
}

func newMatrix(read []*reading, e Embedder) matrix {
	m := matrix{embedder: e}
	if e == nil || e.Dim() > maxDim {
		return matrix{}
	}
	m.dim = e.Dim()
	m.pairs = make([]int64, m.dim*((len(read)+1)/2))
	m.unit = make([]float32, len(read))
	for d, r := range read {
		row, shift := m.row(d/2), 32*(d%2)
		for i, x := range r.vector.values {
			row[i] += int64(x) << shift
		}
		m.unit[d] = r.vector.unit
	}
	return m
}

func (m *matrix) row(pair int) []int64 { return m.pairs[pair*m.dim : (pair+1)*m.dim] }

// dotPair are the products of a row's two documents with a query. Either half of
// the sum fits 32 bits (embedder.go), so that the halves can be told apart.
func dotPair(row, query []int64) (low, high int32) {
	var a, b, c, d int64
	for len(row) >= 8 && len(query) >= 8 {
		x, y := (*[8]int64)(row), (*[8]int64)(query)
		a += x[0]*y[0] + x[4]*y[4]
		b += x[1]*y[1] + x[5]*y[5]
		c += x[2]*y[2] + x[6]*y[6]
		d += x[3]*y[3] + x[7]*y[7]
		row, query = row[8:], query[8:]
	}
	for i, x := range row {
		a += x * query[i]
	}
	sum := a + b + c + d
	low = int32(sum)
	return low, int32((sum - int64(low)) >> 32)
}

// likeness is how near a query is to every document.
type likeness struct {
	cosine    []float32
	mean, std float64
}

// compare fills cosines, and reports false when the query has no vector. Its
// vector is that of the query and, for share of it, that of its gloss, which may
// be empty.
func (m *matrix) compare(query, gloss string, share float64, cosines []float32) (likeness, bool) {
	if m.embedder == nil || len(m.unit) == 0 {
		return likeness{}, false
	}
	v := make([]float32, m.dim)
	m.embedder.Embed(v, query)
	if gloss != "" {
		g := make([]float32, m.dim)
		m.embedder.Embed(g, gloss)
		for i, x := range g {
			v[i] += float32(float32(share) * x)
		}
	}
	q := quantiseQuestion(v)
	if q.values == nil {
		return likeness{}, false
	}
	l := likeness{cosine: cosines}
	wide := make([]int64, m.dim)
	for i, x := range q.values {
		wide[i] = int64(x)
	}
	for d := 0; d < len(m.unit); d += 2 {
		low, high := dotPair(m.row(d/2), wide)
		cosines[d] = float32(low) * q.unit * m.unit[d]
		if d+1 < len(m.unit) {
			cosines[d+1] = float32(high) * q.unit * m.unit[d+1]
		}
	}
	var sum, square float64
	for _, c := range cosines[:len(m.unit)] {
		sum += float64(c)
		square += float64(float64(c) * float64(c))
	}
	n := float64(len(m.unit))
	l.mean = (sum + priorDocs*priorMean) / (n + priorDocs)
	second := (square + priorDocs*(priorMean*priorMean+priorStd*priorStd)) / (n + priorDocs)
	l.std = math.Sqrt(max(second-l.mean*l.mean, 1e-6))
	return l, true
}

// A small catalog says little about how near an unrelated tool is: so many
// imagined ones of usual nearness are counted with it.
const (
	priorDocs = 50
	priorMean = .1
	priorStd  = .12
)
