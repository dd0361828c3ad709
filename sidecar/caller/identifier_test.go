package caller

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestNewIdentifierRefusesNamesThatSayNothingAboutTheCaller(t *testing.T) {
	refused := []string{
		"", " ", ":authority", "two words", "naïve", "a:b",
		"connection", "Keep-Alive", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Proxy-Authorization", "proxy-connection",
		"Host", "content-length", "Content-Type", "accept", "traceparent",
		"Mcp-Session-Id", "mcp-protocol-version", "MCP-Method", "Mcp-Param-Team",
	}
	for _, name := range refused {
		t.Run(name, func(t *testing.T) {
			if _, err := NewIdentifier([]string{"Authorization", name}); err == nil {
				t.Errorf("NewIdentifier took %q", name)
			} else if !strings.Contains(err.Error(), "Authorization") {
				t.Errorf("the error doesn't say what to do: %v", err)
			}
		})
	}
	_, err := NewIdentifier([]string{"Host", "X-Ok", "Upgrade"})
	if err == nil || !strings.Contains(err.Error(), "Host") || !strings.Contains(err.Error(), "Upgrade") {
		t.Errorf("the error doesn't list every refused name: %v", err)
	}
}

func TestIdentify(t *testing.T) {
	tests := map[string]struct {
		names []string
		a, b  http.Header
		same  bool
	}{
		"the same token is the same caller": {
			a: http.Header{"Authorization": {"t"}}, b: http.Header{"Authorization": {"t"}}, same: true,
		},
		"another token is another caller": {
			a: http.Header{"Authorization": {"t"}}, b: http.Header{"Authorization": {"u"}},
		},
		"headers that are not identity headers don't count": {
			a: http.Header{"Authorization": {"t"}, "Cookie": {"1"}}, b: http.Header{"Authorization": {"t"}, "X-Team": {"2"}}, same: true,
		},
		"the case of a header name doesn't count": {
			a: http.Header{"Authorization": {"t"}}, b: http.Header{"authorization": {"t"}}, same: true,
		},
		"the case of a configured name doesn't count": {
			names: []string{"aUTHORIZATION", "authorization "},
			a:     http.Header{"Authorization": {"t"}}, b: http.Header{"authorization": {"t"}}, same: true,
		},
		"the order of two values counts": {
			a: http.Header{"Authorization": {"t", "u"}}, b: http.Header{"Authorization": {"u", "t"}},
		},
		"one value more is another caller": {
			a: http.Header{"Authorization": {"t"}}, b: http.Header{"Authorization": {"t", "t"}},
		},
		"an empty value is not an absent one": {
			a: http.Header{"Authorization": {""}}, b: http.Header{},
		},
		"no value is an absent header": {
			a: http.Header{"Authorization": {}}, b: http.Header{}, same: true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			i := identifier(t, tt.names...)
			if same := i.Identify(tt.a).Key() == i.Identify(tt.b).Key(); same != tt.same {
				t.Errorf("same caller: %t, want %t", same, tt.same)
			}
		})
	}
}

func TestHeadersThatRunTogetherHaveDifferentKeys(t *testing.T) {
	i := identifier(t, "X-A", "X-Ab")
	sets := []http.Header{
		{"X-A": {"bc"}},
		{"X-A": {"b", "c"}},
		{"X-A": {"b\x00c"}},
		{"X-A": {"", "bc"}},
		{"X-Ab": {"c"}},
		{"X-Ab": {"bc"}},
		{"X-A": {"X-Ab", "c"}},
		{"X-A": {"b"}, "X-Ab": {"c"}},
		{"X-A": {"c"}, "X-Ab": {"b"}},
		{},
	}
	for n, a := range sets {
		for m, b := range sets[:n] {
			if i.Identify(a).Key() == i.Identify(b).Key() {
				t.Errorf("sets %d and %d share a key", n, m)
			}
		}
	}
}

func TestTheOrderOfConfiguredNamesDoesNotCount(t *testing.T) {
	i := identifier(t, "X-B", "X-A", "x-b")
	if !slices.Equal(i.names, []string{"X-A", "X-B"}) {
		t.Errorf("names %q", i.names)
	}
}

func TestKeysOfTwoIdentifiersDiffer(t *testing.T) {
	h := http.Header{"Authorization": {"t"}}
	one, other := identifier(t), identifier(t)
	if one.Identify(h).Key() == other.Identify(h).Key() {
		t.Error("two identifiers gave one token the same key")
	}
}

func TestAnonymous(t *testing.T) {
	tests := map[string]struct {
		h    http.Header
		want bool
	}{
		"no identity header at all":        {http.Header{"Cookie": {"c"}}, true},
		"an identity header":               {http.Header{"Authorization": {"t"}}, false},
		"an identity header without text":  {http.Header{"Authorization": {""}}, false},
		"an identity header without value": {http.Header{"Authorization": nil}, true},
		"nil headers":                      {nil, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := identifier(t).Identify(tt.h).Anonymous(); got != tt.want {
				t.Errorf("anonymous: %t, want %t", got, tt.want)
			}
		})
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("a", "b", "a", "b")
	f.Add("ab", "", "a", "b")
	f.Add("", "ab", "a", "b")
	f.Add("a\x00", "b", "a", "\x00b")
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 string) {
		i := identifier(t, "X-One", "X-Two")
		a := i.Identify(http.Header{"X-One": {a1}, "X-Two": {a2}})
		b := i.Identify(http.Header{"X-One": {b1}, "X-Two": {b2}})
		if same := a1 == b1 && a2 == b2; same != (a.Key() == b.Key()) {
			t.Errorf("equal headers: %t, equal keys: %t", same, a.Key() == b.Key())
		}
	})
}

func TestNobodyIsAlwaysTheSame(t *testing.T) {
	id := Nobody()
	a, b := id.Identify(http.Header{"Authorization": {"Bearer a"}}), id.Identify(http.Header{"X-Team": {"blue"}})
	if a.Key() != b.Key() || !a.Anonymous() || a.Key() == (Key{}) {
		t.Errorf("keys equal %t, anonymous %t, zero %t", a.Key() == b.Key(), a.Anonymous(), a.Key() == Key{})
	}
	h := http.Header{"Accept": {"x"}}
	a.Apply(h)
	if len(h) != 1 {
		t.Errorf("nobody's headers: %v", h)
	}
}
