package search

import (
	"math"
	"slices"

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

// matrix are the vectors of all documents, each in a slot. Two neighbouring slots
// share a row: the value of the one in the low half of a number and that of the
// other in the high half, so that one multiplication serves both. The rows of
// some slots are a page, which indexes share while none of them changes.
type matrix struct {
	embedder Embedder
	dim      int
	pages    [][]int64 // row after row
	unit     []float32 // by slot; 0: no vector
	docAt    []int32   // slot -> document; -1: free
	slotOf   []int32   // document -> slot
}

// pageSlots is how many slots a page has: an even number.
const pageSlots = 32

// next is the matrix of changed documents, of which the new ones are read.
func (m *matrix) next(c changes, read []*reading, e Embedder) matrix {
	if e == nil || e.Dim() > maxDim {
		return matrix{}
	}
	out := matrix{embedder: e, dim: e.Dim(), pages: slices.Clone(m.pages), unit: slices.Clone(m.unit),
		docAt: slices.Clone(m.docAt), slotOf: make([]int32, len(c.from))}
	var free []int32
	for slot, doc := range m.docAt {
		if doc >= 0 {
			doc = c.to[doc]
			out.docAt[slot] = doc
		}
		if doc < 0 {
			free = append(free, int32(slot))
			continue
		}
		out.slotOf[doc] = int32(slot)
	}
	free = out.grow(free, len(c.added))
	owned := make([]bool, len(out.pages))
	for i, doc := range c.added {
		slot := free[i]
		if page := slot / pageSlots; int(page) < len(m.pages) && !owned[page] {
			owned[page] = true
			out.pages[page] = slices.Clone(out.pages[page])
		}
		out.docAt[slot], out.slotOf[doc], out.unit[slot] = doc, slot, read[i].vector.unit
		out.set(int(slot), read[i].vector.values)
	}
	return out
}

// grow adds slots, and pages of them, until need are free.
func (m *matrix) grow(free []int32, need int) []int32 {
	for len(free) < need {
		free = append(free, int32(len(m.unit)))
		m.unit, m.docAt = append(m.unit, 0), append(m.docAt, -1)
	}
	size := pageSlots / 2 * m.dim
	more := (len(m.unit)+pageSlots-1)/pageSlots - len(m.pages)
	rows := make([]int64, more*size)
	for i := range more {
		m.pages = append(m.pages, rows[i*size:(i+1)*size])
	}
	return free
}

// set writes the values of a slot, no value being all zeros.
func (m *matrix) set(slot int, values []int8) {
	row := m.row(slot)
	for i, both := range row {
		low := int64(int32(both))
		high := both - low
		x := int64(0)
		if values != nil {
			x = int64(values[i])
		}
		if slot%2 == 0 {
			row[i] = high + x
		} else {
			row[i] = low + x<<32
		}
	}
}

// row is that of a slot and its neighbour.
func (m *matrix) row(slot int) []int64 {
	from := slot % pageSlots / 2 * m.dim
	return m.pages[slot/pageSlots][from : from+m.dim]
}

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
	docs := len(m.slotOf)
	if m.embedder == nil || docs == 0 {
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
	for slot := 0; slot < len(m.unit); slot += 2 {
		low, high := dotPair(m.row(slot), wide)
		if d := m.docAt[slot]; d >= 0 {
			cosines[d] = float32(low) * q.unit * m.unit[slot]
		}
		if slot+1 == len(m.unit) {
			break
		}
		if d := m.docAt[slot+1]; d >= 0 {
			cosines[d] = float32(high) * q.unit * m.unit[slot+1]
		}
	}
	var sum, square float64
	for _, c := range cosines[:docs] {
		sum += float64(c)
		square += float64(float64(c) * float64(c))
	}
	n := float64(docs)
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
