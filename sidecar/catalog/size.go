package catalog

import "reflect"

// mapped is how many times its content a map takes.
const mapped = 2

func size[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }

// held is what a slice takes, without what its elements point at.
func held[T any](s []T) int64 { return int64(cap(s)) * size[T]() }

// size estimates the memory of a body, index included, in bytes. What it shares with the one before it counts in both:
// that may leave first.
func (b *body) size() int64 {
	n := b.index.Bytes() + held(b.tools) + mapped*int64(len(b.byName))*(16+8) + held(b.raw) + held(b.digests) + held(b.definitions)
	n += int64(len(b.tools)) * size[Tool]()
	for i, raw := range b.raw {
		n += int64(cap(raw))
		if d := b.definitions[i]; d != nil {
			n += d.size()
		}
	}
	return n
}

// size is what a definition takes beside the raw tool object.
func (d *definition) size() int64 {
	t := &d.tool
	n := size[definition]() + size[lazySchema]() + int64(len(t.Name)+len(t.Title)+len(t.Description)+len(t.Source)+len(d.own))
	n += held(t.Required) + held(t.ParamHeaders) + held(d.params)
	for _, name := range t.Required {
		n += int64(len(name))
	}
	for i := range d.params {
		p := &d.params[i]
		n += int64(len(p.Name)+len(p.Description)) + held(p.Enum)
		for _, value := range p.Enum {
			n += int64(len(value))
		}
	}
	for i := range t.ParamHeaders {
		h := &t.ParamHeaders[i]
		n += int64(len(h.Name)) + held(h.Path)
	}
	return n
}
