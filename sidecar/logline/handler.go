package logline

import (
	"context"
	"log/slog"
	"regexp"
)

// Withheld stands where a value is not written.
const Withheld = "withheld"

// handler lets through what is defined.
type handler struct {
	next slog.Handler
	keys map[string]*regexp.Regexp // nil: any value
}

// Handler writes to next what the definitions allow: of an attribute whose key isn't defined nothing but the key
// "undefined" is left, of a value that doesn't match its key's pattern the word withheld.
func Handler(next slog.Handler) slog.Handler {
	h := handler{next: next, keys: map[string]*regexp.Regexp{}}
	for _, k := range Keys() {
		h.keys[k.Name] = nil
		if k.Pattern != "" {
			h.keys[k.Name] = regexp.MustCompile(`^(?:` + k.Pattern + `)$`)
		}
	}
	return h
}

// Enabled implements [slog.Handler].
func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.allowed(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	allowed := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		allowed[i] = h.allowed(a)
	}
	h.next = h.next.WithAttrs(allowed)
	return h
}

// WithGroup implements [slog.Handler]. There are no groups: keys stand for themselves.
func (h handler) WithGroup(string) slog.Handler { return h }

func (h handler) allowed(a slog.Attr) slog.Attr {
	pattern, defined := h.keys[a.Key]
	v := a.Value.Resolve()
	switch {
	case !defined || v.Kind() == slog.KindGroup:
		return slog.String("undefined", Withheld)
	case pattern != nil && !pattern.MatchString(v.String()):
		return slog.String(a.Key, Withheld)
	}
	return slog.Attr{Key: a.Key, Value: v}
}
