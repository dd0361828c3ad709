package aggregate

import (
	"fmt"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

// BenchmarkMerge merges ten servers of 100 tools of 1.3 kB each.
func BenchmarkMerge(b *testing.B) {
	var inputs []input
	for s := range 10 {
		in := input{server: servers.Server{Name: fmt.Sprint("server", s)}}
		for i := range 100 {
			in.items = append(in.items, fmt.Appendf(nil, `{"name":"tool_%d","description":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}}`,
				i+s*90, strings.Repeat("what it does ", 90)))
		}
		inputs = append(inputs, in)
	}
	for b.Loop() {
		if m := merge(tools, inputs, nil); m.count != 1000 {
			b.Fatal(m.count)
		}
	}
}

// BenchmarkSession opens a sealed session id.
func BenchmarkSession(b *testing.B) {
	s := sealed(b, "0123456789abcdef")
	t := ticket{Key: newTicketKey(), Version: "2025-11-25"}
	for i := range 10 {
		t.Sessions = append(t.Sessions, opened{fmt.Sprint("server", i), strings.Repeat("i", 32)})
	}
	id := s.seal(t)
	for b.Loop() {
		if _, ok := s.open(id); !ok {
			b.Fatal("not opened")
		}
	}
}
