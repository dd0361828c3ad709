package upstream

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestTTL(t *testing.T) {
	for name, tc := range map[string]struct {
		era   wire.Era
		pages []string
		want  time.Duration
	}{
		"a positive ttlMs counts":                  {wire.Modern, []string{`90000`}, 90 * time.Second},
		"zero means not said":                      {wire.Modern, []string{`0`}, 0},
		"negative means not said":                  {wire.Modern, []string{`-5`}, 0},
		"text means not said":                      {wire.Modern, []string{`"90000"`}, 0},
		"null means not said":                      {wire.Modern, []string{`null`}, 0},
		"a number beyond all bounds is a year":     {wire.Modern, []string{`9e300`}, maxTTL},
		"a number that is infinite means not said": {wire.Modern, []string{`9e999`}, 0},
		"the shortest of several pages counts":     {wire.Modern, []string{`90000`, `60000`, `80000`}, time.Minute},
		"a page that says nothing doesn't count":   {wire.Modern, []string{`90000`, `0`}, 90 * time.Second},
		"a fraction is taken as it is":             {wire.Modern, []string{`1500.5`}, 1500*time.Millisecond + 500*time.Microsecond},
		"in the legacy eras it means nothing":      {wire.Legacy, []string{`90000`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPages(Options{}.withDefaults(), tc.era, "tools/list")
			for _, ttl := range tc.pages {
				if _, err := p.Add([]byte(`{"ttlMs":` + ttl + `,"tools":[]}`)); err != nil {
					t.Fatal(err)
				}
			}
			if p.listing.TTL != tc.want {
				t.Errorf("TTL = %v, want %v", p.listing.TTL, tc.want)
			}
		})
	}
}

func TestTheEndOfPaging(t *testing.T) {
	for name, tc := range map[string]struct{ cursor, want string }{
		"no cursor ends":                      {``, ``},
		"null ends":                           {`,"nextCursor":null`, ``},
		"an empty cursor ends":                {`,"nextCursor":""`, ``},
		"a cursor goes on, as the same bytes": {`,"nextCursor":"\u0061\/b"`, `"\u0061\/b"`},
	} {
		t.Run(name, func(t *testing.T) {
			next, err := NewPages(Options{}.withDefaults(), wire.Modern, "tools/list").Add([]byte(`{"tools":[]` + tc.cursor + `}`))
			if err != nil || string(next) != tc.want {
				t.Errorf("next = %s, %v, want %s", next, err, tc.want)
			}
		})
	}
}

func TestAnAggregateSaysWhichSourcesAreMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		meta     string
		want     []string
		starting []string
	}{
		"none":                  {`{}`, nil, nil},
		"two":                   {`{"mcp-toolsearch/down":["a","b"],"other":1}`, []string{"a", "b"}, nil},
		"one only starts":       {`{"mcp-toolsearch/down":["a","b"],"mcp-toolsearch/starting":["b"]}`, []string{"a", "b"}, []string{"b"}},
		"what is no name":       {`{"mcp-toolsearch/down":[1,"b",null]}`, []string{"b"}, nil},
		"no list":               {`{"mcp-toolsearch/down":true}`, nil, nil},
		"no object":             {`[]`, nil, nil},
		"more than are kept of": {`{"mcp-toolsearch/down":[` + strings.Repeat(`"x",`, 200) + `"y"]}`, slices.Repeat([]string{"x"}, maxMissing), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPages(Options{}.withDefaults(), wire.Legacy, "tools/list")
			if _, err := p.Add([]byte(`{"tools":[],"_meta":` + tc.meta + `}`)); err != nil || !slices.Equal(p.Listing().Missing, tc.want) || !slices.Equal(p.Listing().Starting, tc.starting) {
				t.Errorf("missing %q, starting %q, %v, want %q and %q", p.Listing().Missing, p.Listing().Starting, err, tc.want, tc.starting)
			}
		})
	}
}

// TestOneBadToolDoesNotSpoilTheOthers: what is wrong inside a tool is for the catalog to judge, what is wrong around
// the tools makes the listing unusable.
func TestOneBadToolDoesNotSpoilTheOthers(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 20_000) + strings.Repeat(`]}`, 20_000)
	for name, bad := range map[string]string{
		"a repeated member":       `{"name":"a","name":"b"}`,
		"a repeated member deep":  `{"name":"a","inputSchema":{"properties":{"x":{},"x":{}}}}`,
		"nested without end":      deep,
		"a name that is no text":  `{"name":"\ud800"}`,
		"bytes that are no UTF-8": "{\"name\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t)
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly })
			up.Fail("tools/list", status200(`{"resultType":"complete","tools":[`+tool("one")+`,`+bad+`,`+tool("two")+`]}`))
			l, err := list(t, newClient(t, nil), up)
			if err != nil {
				t.Fatal(err)
			}
			if want := tool("one") + "\n" + bad + "\n" + tool("two") + "\n"; joined(l) != want {
				t.Errorf("listed %.200s", joined(l))
			}
		})
	}
	for _, envelope := range []string{`{"tools":[],"tools":[]}`, `{"tools":[],"nextCursor":"a","nextCursor":"b"}`, `{"tools":[],"\u0074ools":[]}`} {
		if _, err := NewPages(Options{}.withDefaults(), wire.Modern, "tools/list").Add([]byte(envelope)); err == nil {
			t.Errorf("%s was taken", envelope)
		}
	}
}

// FuzzPages: whatever a result is, it gives an error of ours or tools that are
// the array's elements, byte for byte.
func FuzzPages(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","n":1.0}, 7 ,"x",[]],"nextCursor":"c","ttlMs":5}`))
	f.Add([]byte(`{"tools":[{"a":1,"a":2}]}`))
	f.Add([]byte(`{"tools":null}`))
	f.Add([]byte(`{"tools":[`))
	f.Add([]byte("{\"tools\":[\"\xff\"]}"))
	f.Add([]byte(`{"resultType":"task"}`))
	f.Fuzz(func(t *testing.T, result []byte) {
		p := NewPages(Options{}.withDefaults(), wire.Modern, "tools/list")
		_, err := p.Add(result)
		if err != nil {
			if _, ours := err.(*Error); !ours {
				t.Errorf("error of another type: %v", err)
			}
			return
		}
		if !jsontext.Value(result).IsValid() {
			return
		}
		fields, _ := wire.Fields(result)
		for _, f := range fields {
			if got := rejoined(p.listing.Tools); f.Key == "tools" && got != string(wire.Compact(f.Value)) {
				t.Errorf("tools = %s, want %s", got, f.Value)
			}
		}
	})
}

// rejoined is the compact array of the tools.
func rejoined(tools [][]byte) string {
	var compact [][]byte
	for _, tool := range tools {
		compact = append(compact, wire.Compact(tool))
	}
	return "[" + string(bytes.Join(compact, []byte(","))) + "]"
}
