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

// Caller is who asks. The zero value is an anonymous caller without headers.
// Callers are compared by Key.
type Caller struct {
	// reveal is a func because printers that walk a struct by reflection show
	// unexported fields without asking their methods: of a func they can show
	// only an address.
	reveal func() identity
}

// identity is what a Caller hides.
type identity struct {
	key   Key
	held  http.Header // the identity headers that were sent
	names []string    // all identity headers, canonical
}

// Key returns the caller's key.
func (c Caller) Key() Key { return c.identity().key }

// Anonymous reports whether the request had no identity header at all.
func (c Caller) Anonymous() bool { return len(c.identity().held) == 0 }

// Apply sets the caller's identity headers on a request of ours: all values,
// in order. An identity header that the caller didn't send is removed, in
// whatever case it is written. All other headers stay.
func (c Caller) Apply(h http.Header) {
	id := c.identity()
	for name := range h {
		if slices.Contains(id.names, http.CanonicalHeaderKey(name)) {
			delete(h, name)
		}
	}
	for name, values := range id.held {
		h[name] = slices.Clone(values)
	}
}

func (c Caller) identity() identity {
	if c.reveal == nil {
		return identity{}
	}
	return c.reveal()
}

// String returns "caller".
func (Caller) String() string { return word }

// GoString returns "caller", for %#v.
func (Caller) GoString() string { return word }

// Format writes "caller" whatever the verb and flags.
func (Caller) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, word) }

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
func (Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, word) }

// LogValue returns "caller" (log/slog).
func (Key) LogValue() slog.Value { return slog.StringValue(word) }

// MarshalJSON returns the JSON string "caller".
func (Key) MarshalJSON() ([]byte, error) { return []byte(`"` + word + `"`), nil }

// MarshalText returns "caller".
func (Key) MarshalText() ([]byte, error) { return []byte(word), nil }
