package aggregate

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/servers"
)

// kept is a shelf with these tools of one server, and what is written of it.
func keptShelf(items ...string) (*shelf, *view) {
	a := &Aggregate{library: newLibrary(10, maxBytes)}
	a.o = Options{OperatorMode: true, Observer: nobody{}, Logger: slog.New(slog.DiscardHandler)}
	a.roster.Store(newRoster([]*entry{{server: servers.Server{Name: "one"}}}))
	s := a.shelf(a.visitor(nil), tools)
	k := &known{listed: time.Now()}
	for _, item := range items {
		k.items = append(k.items, []byte(item))
	}
	s.known["one"] = k
	return s, s.view()
}

func FuzzManifest(f *testing.F) {
	s, v := keptShelf(`{"name":"a","x":1.0}`, `{"name":"b<>&\u2028"}`)
	f.Add(encodeManifest(s, v))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"fingerprint":"0:e3b0c44298fc1c14","count":0,"tools":[],"routing":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseManifest(raw)
		if err != nil {
			return
		}
		n := 0
		for _, items := range m.items() {
			for _, raw := range items {
				if _, ok := readItem(tools, raw); !ok {
					t.Errorf("a tool that can't be read is taken: %s", raw)
				}
				n++
			}
		}
		if n != m.Count {
			t.Errorf("%d tools of %d", n, m.Count)
		}
	})
}

func FuzzManifestKeepsTheBytes(f *testing.F) {
	f.Add(`{"name":"a","x":1.0,"big":9007199254740993}`, `{"name":"<b>\u2028\ud83d\ude00"}`)
	f.Add(`{ "name" : "a" }`, `{"name":"a"}`)
	f.Fuzz(func(t *testing.T, one, two string) {
		s, v := keptShelf(one, two)
		raw := encodeManifest(s, v)
		m, err := parseManifest(raw)
		if err != nil {
			if v.count > 0 && json.Valid(raw) {
				t.Fatalf("%v: %s", err, raw)
			}
			return
		}
		for _, item := range m.items()["one"] {
			if got := string(item); got != strings.TrimSpace(one) && got != strings.TrimSpace(two) {
				t.Errorf("%q comes back as %q", []string{one, two}, got)
			}
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add("note://{day}", "monday", "/deep")
	f.Add("{+path}", "a", "")
	f.Add("x{", "}", "{")
	f.Fuzz(func(t *testing.T, template, value, rest string) {
		p := newPattern("s", template)
		if !p.matches(strings.Join(p.parts, value)) {
			t.Errorf("%q doesn't match itself with %q in it", template, value)
		}
		_ = p.matches(value + rest)
	})
}
