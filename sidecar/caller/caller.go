package caller

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
)

// word is all that is ever printed of a caller or a key.
const word = "caller"

// Key is a caller's key in a table: the HMAC-SHA256 of the identity headers
// under a key of this process. It is comparable, and means nothing in another
// process or after a restart.
type Key [32]byte

// Caller is who asks. The zero value is an anonymous caller with no headers.
// Compare callers by Key.
type Caller struct {
	key       Key
	anonymous bool
	// identity gives the identity headers that were sent and the names of all
	// identity headers. It is a func because printers that walk a struct by
	// reflection show unexported fields without asking their methods: of a
	// func they can show only an address.
	identity func() (held http.Header, names []string)
}

// Key returns the caller's key.
func (c Caller) Key() Key { return c.key }

// Anonymous reports whether the request had no identity header at all.
func (c Caller) Anonymous() bool { return c.identity == nil || c.anonymous }

// Apply sets the caller's identity headers on a request of ours: all values,
// in order. An identity header the caller didn't send is removed, whatever
// case it was written in. All other headers stay.
func (c Caller) Apply(h http.Header) {
	if c.identity == nil {
		return
	}
	held, names := c.identity()
	for name := range h {
		if slices.Contains(names, http.CanonicalHeaderKey(name)) {
			delete(h, name)
		}
	}
	for name, values := range held {
		h[name] = slices.Clone(values)
	}
}

// String returns "caller".
func (Caller) String() string { return word }

// GoString returns "caller", for %#v.
func (Caller) GoString() string { return word }

// Format writes "caller" whatever the verb and flags.
func (Caller) Format(s fmt.State, _ rune) { io.WriteString(s, word) }

// LogValue returns "caller" (log/slog).
func (Caller) LogValue() slog.Value { return slog.StringValue(word) }

// MarshalJSON returns the JSON string "caller".
func (Caller) MarshalJSON() ([]byte, error) { return []byte(`"` + word + `"`), nil }

// MarshalText returns "caller".
func (Caller) MarshalText() ([]byte, error) { return []byte(word), nil }

// String returns "caller".
func (Key) String() string { return word }

// GoString returns "caller", for %#v.
func (Key) GoString() string { return word }

// Format writes "caller" whatever the verb and flags.
func (Key) Format(s fmt.State, _ rune) { io.WriteString(s, word) }

// LogValue returns "caller" (log/slog).
func (Key) LogValue() slog.Value { return slog.StringValue(word) }

// MarshalJSON returns the JSON string "caller".
func (Key) MarshalJSON() ([]byte, error) { return []byte(`"` + word + `"`), nil }

// MarshalText returns "caller".
func (Key) MarshalText() ([]byte, error) { return []byte(word), nil }
