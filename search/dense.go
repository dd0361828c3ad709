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

// matrix are the vectors of all documents.
type matrix struct {
	embedder Embedder
	dim      int
	values   []int8    // document after document
	unit     []float32 // 0: the document has no vector
}

func newMatrix(read []*reading, e Embedder) matrix {
	m := matrix{embedder: e}
	if e == nil || e.Dim() > maxDim {
		return matrix{}
	}
	m.dim = e.Dim()
	m.values = make([]int8, m.dim*len(read))
	m.unit = make([]float32, len(read))
	for i, r := range read {
		copy(m.values[i*m.dim:], r.vector.values)
		m.unit[i] = r.vector.unit
	}
	return m
}

// likeness is how near a query is to every document.
type likeness struct {
	cosine    []float32
	mean, std float64
}

// compare fills cosines, and reports false when the query has no vector.
func (m *matrix) compare(query string, cosines []float32) (likeness, bool) {
	if m.embedder == nil || len(m.unit) == 0 {
		return likeness{}, false
	}
	v := make([]float32, m.dim)
	m.embedder.Embed(v, query)
	q := quantiseQuestion(v)
	if q.values == nil {
		return likeness{}, false
	}
	l := likeness{cosine: cosines}
	var sum, square float64
	for d, unit := range m.unit {
		c := float32(dot(m.values[d*m.dim:(d+1)*m.dim], q.values)) * q.unit * unit
		cosines[d] = c
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
