package caller

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked is a token that can't occur in any output by chance, also not as hex
// or as a list of decimal bytes.
const marked = "MARKED-5f1c-token-value"

func identifier(t *testing.T, names ...string) *Identifier {
	t.Helper()
	i, err := NewIdentifier(names)
	if err != nil {
		t.Fatalf("NewIdentifier(%q): %v", names, err)
	}
	return i
}

// leaks reports whether text holds the marked token in a form that fmt can
// give it.
func leaks(text string) bool {
	for _, form := range []string{"%s", "%x", "%X", "% x", "%#x", "% X"} {
		if strings.Contains(text, fmt.Sprintf(form, marked)) {
			return true
		}
	}
	decimal := fmt.Sprint([]byte(marked))
	return strings.Contains(text, strings.Trim(decimal, "[]"))
}

type embedded struct{ Caller }
type hidden struct{ c Caller }
type deeper struct{ h *hidden }
type listed struct{ all []Caller }
type mapped struct{ byName map[string]Caller }

func TestATokenIsNeverPrinted(t *testing.T) {
	c := identifier(t, "Authorization", "X-Api-Key").Identify(http.Header{
		"Authorization": {"Bearer " + marked, "Basic " + marked}, "X-Api-Key": {marked},
	})
	values := map[string]any{
		"the caller":                           c,
		"a pointer to the caller":              &c,
		"the key":                              c.Key(),
		"an embedded caller":                   embedded{c},
		"a caller in an unexported field":      hidden{c},
		"a caller behind an unexported field":  deeper{&hidden{c}},
		"a pointer to a struct with a caller":  &hidden{c},
		"callers in a list":                    listed{[]Caller{c}},
		"a caller in a map":                    mapped{map[string]Caller{"a": c}},
		"an identifier":                        identifier(t),
		"a caller in an interface in a struct": struct{ v any }{c},
	}
	for name, v := range values {
		t.Run(name, func(t *testing.T) {
			for _, verb := range "vTtbcdoOqxXUeEfFgGspw" {
				for _, flags := range []string{"", "+", "#", "-", " ", "0", "8", ".3", "+#"} {
					format := "%" + flags + string(verb)
					if got := fmt.Sprintf(format, v); leaks(got) {
						t.Errorf("fmt.Sprintf(%q) shows the token: %s", format, got)
					}
				}
			}
		})
	}
}

func TestAllVerbsPrintOnlyTheWord(t *testing.T) {
	c := identifier(t).Identify(http.Header{"Authorization": {marked}})
	for _, v := range []any{c, &c, c.Key()} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%g", "%c", "%U", "%10.2v"} {
			if got := fmt.Sprintf(format, v); got != "caller" {
				t.Errorf("fmt.Sprintf(%q, %T) = %q, want %q", format, v, got, "caller")
			}
		}
	}
	if c.String() != "caller" || c.GoString() != "caller" || c.Key().String() != "caller" || c.Key().GoString() != "caller" {
		t.Error("String or GoString print more than the word")
	}
	if err := fmt.Errorf("listing for %v: %w", c, http.ErrBodyNotAllowed); leaks(err.Error()) {
		t.Errorf("an error shows the token: %v", err)
	}
}

func TestATokenIsNeverLogged(t *testing.T) {
	c := identifier(t).Identify(http.Header{"Authorization": {marked}})
	var out bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		log := slog.New(h)
		log.Info("x", "who", c, "key", c.Key(), "in", hidden{c}, "deep", &deeper{&hidden{c}}, slog.Group("g", "who", &c))
		log.With("who", c).Info("y")
	}
	if leaks(out.String()) {
		t.Errorf("a log record shows the token:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "who=caller") || !strings.Contains(out.String(), `"who":"caller"`) {
		t.Errorf("a log record doesn't say caller:\n%s", out.String())
	}
}

func TestATokenIsNeverEncoded(t *testing.T) {
	c := identifier(t).Identify(http.Header{"Authorization": {marked}})
	type page struct {
		Who Caller
		Key Key
		Ptr *Caller
	}
	got, err := json.Marshal(page{c, c.Key(), &c})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Who":"caller","Key":"caller","Ptr":"caller"}`; string(got) != want {
		t.Errorf("json: %s, want %s", got, want)
	}
	inMap, err := json.Marshal(map[Key]int{c.Key(): 1})
	if err != nil || string(inMap) != `{"caller":1}` {
		t.Errorf("json of a map by key: %s, %v", inMap, err)
	}
	asXML, err := xml.Marshal(page{c, c.Key(), &c})
	if err != nil || leaks(string(asXML)) {
		t.Errorf("xml: %s, %v", asXML, err)
	}
	if text, err := c.MarshalText(); err != nil || string(text) != "caller" {
		t.Errorf("text: %s, %v", text, err)
	}
}

func TestApply(t *testing.T) {
	tests := map[string]struct {
		names           []string
		from, to, after http.Header
	}{
		"all values of the header are set in their order": {
			from:  http.Header{"Authorization": {"b", "a"}},
			to:    http.Header{"Accept": {"text/plain"}},
			after: http.Header{"Authorization": {"b", "a"}, "Accept": {"text/plain"}},
		},
		"an identity header of somebody else is replaced in whatever case": {
			from:  http.Header{"Authorization": {"mine"}},
			to:    http.Header{"authorization": {"yours"}, "AUTHORIZATION": {"yours"}},
			after: http.Header{"Authorization": {"mine"}},
		},
		"an identity header that the caller didn't send is removed": {
			names: []string{"authorization", "x-team"},
			from:  http.Header{"X-Team": {"blue"}},
			to:    http.Header{"Authorization": {"yours"}},
			after: http.Header{"X-Team": {"blue"}},
		},
		"other headers of the caller are not passed on": {
			from:  http.Header{"Authorization": {"mine"}, "Cookie": {"c"}, "X-Team": {"blue"}},
			to:    http.Header{},
			after: http.Header{"Authorization": {"mine"}},
		},
		"an anonymous caller sets nothing": {
			from: http.Header{"Cookie": {"c"}}, to: http.Header{}, after: http.Header{},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			identifier(t, tt.names...).Identify(tt.from).Apply(tt.to)
			if diff := cmp.Diff(tt.after, tt.to); diff != "" {
				t.Errorf("headers after Apply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACallerDoesNotChangeWithTheHeadersItCameFrom(t *testing.T) {
	from := http.Header{"Authorization": {"before"}}
	c := identifier(t).Identify(from)
	from["Authorization"][0] = "after"
	first := http.Header{}
	c.Apply(first)
	first["Authorization"][0] = "changed by the receiver"
	second := http.Header{}
	c.Apply(second)
	if got := second.Get("Authorization"); got != "before" {
		t.Errorf("Apply set %q, want %q", got, "before")
	}
}

func TestTheZeroCallerIsAnonymous(t *testing.T) {
	var c Caller
	h := http.Header{"Authorization": {"kept"}}
	c.Apply(h)
	if !c.Anonymous() || c.Key() != (Key{}) || h.Get("Authorization") != "kept" {
		t.Errorf("anonymous %t, zero key %t, header %q", c.Anonymous(), c.Key() == Key{}, h.Get("Authorization"))
	}
}
