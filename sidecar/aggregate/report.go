package aggregate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Report says what a refresh found.
type Report struct {
	// Fingerprint is the number of tools and 16 hex digits of their names'
	// SHA-256: the same when no tool came or went.
	Fingerprint string `json:"fingerprint"`
	// Tools is the number of tools; Characters is the length of their
	// definitions, and Tokens a quarter of that.
	Tools      int `json:"tools"`
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
	// Sources are the servers in their order.
	Sources []SourceReport `json:"sources"`
}

// SourceReport is one server's part of a [Report].
type SourceReport struct {
	// Name is the server's.
	Name string `json:"name"`
	// Tools is how many of its tools are listed.
	Tools int `json:"tools"`
	// State is up, old (down, and its last known tools are listed), down, or
	// waiting for its first answer.
	State string `json:"state"`
	// Failure is the kind of the last failure, "" when up.
	Failure string `json:"failure,omitempty"`
}

// String is the line of the log: numbers of tools, by server, and the
// fingerprint.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools {", r.Tools)
	for i, s := range r.Sources {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %d", s.Name, s.Tools)
		if s.State != stateUp {
			b.WriteString(" (" + s.State + ")")
		}
	}
	fmt.Fprintf(&b, "}, %dch (~%dtok), fp=%s", r.Characters, r.Tokens, r.Fingerprint)
	return b.String()
}

// report sums a listing of tools up.
func (v *view) report() Report {
	characters := utf8.RuneCount(v.body)
	return Report{Fingerprint: fingerprint(v.order), Tools: v.count, Characters: characters, Tokens: characters / 4, Sources: slices.Clone(v.sources)}
}

// fingerprint is the number of names and the first 16 hex digits of the
// SHA-256 over the sorted names, joined by newlines.
func fingerprint(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	sum := sha256.Sum256([]byte(strings.Join(sorted, "\n")))
	return fmt.Sprintf("%d:%s", len(names), hex.EncodeToString(sum[:8]))
}
