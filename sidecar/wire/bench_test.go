package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// BenchmarkScan shows that no shape of a body near the limit costs more than
// its size.
func BenchmarkScan(b *testing.B) {
	const size = 4<<20 - 200
	keys := func(format string) string {
		var s strings.Builder
		for i := 0; s.Len() < size-40; i++ {
			fmt.Fprintf(&s, format, i)
		}
		return s.String()
	}
	shapes := []struct{ name, body string }{
		{"a usual call", call(`{"name":"call_read_tool","arguments":{"name":"github__search","arguments":{"query":"is:open","page":1}},` + goodMeta + `}`)},
		{"one long string", call(`{"name":"a","arguments":{"x":"` + strings.Repeat("x", size) + `"}}`)},
		{"escapes only", call(`{"name":"a","arguments":{"x":"` + strings.Repeat(`\u00e9`, size/6) + `"}}`)},
		{"many keys in params", call(`{` + keys(`"k\u0131%d":1,`) + `"name":"a"}`)},
		{"many keys in the arguments", call(`{"name":"a","arguments":{` + keys(`"%d":1,`) + `"x":1}}`)},
		{"many small objects", call(`{"name":"a","arguments":[` + strings.Repeat("{},", size/3) + `1]}`)},
		{"nested again and again", call(`{"name":"a","arguments":[` + strings.Repeat(strings.Repeat("[", 190)+strings.Repeat("]", 190)+",", size/381) + `1]}`)},
		{"one long look-alike", call(`{"` + strings.Repeat("_", size) + `":1}`)},
	}
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.body)))
			for b.Loop() {
				if _, fault := wire.Scan([]byte(s.body), wire.DefaultLimits()); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}
