package differential

import (
	"net/url"
	"testing"

	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
)

// TestRawRequestsRunNothingElse writes bytes to the product's HTTP door, as no client's library would. Whatever reaches the
// server is the one call that was authorised, with one name and the length of its body.
func TestRawRequestsRunNothingElse(t *testing.T) {
	up := upstreamtest.New(t, catalogTexts()...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	door := testdoor.Serve(t, up, nil)
	where, err := url.Parse(door.URL)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Tally
	at := map[string]int{}
	for _, in := range RawInputs() {
		if _, ok := at[in.Class]; !ok {
			at[in.Class] = len(rows)
			rows = append(rows, Tally{Class: in.Class})
		}
		count := &rows[at[in.Class]]
		count.Tried++
		up.Reset()
		RawExchange(t, where.Host, in)
		calls := up.RequestsOf("tools/call")
		if len(calls) > 0 {
			count.SentOn++
		} else {
			count.Refused++
		}
		if wrong := RawWrong(calls, testdoor.AggregatePath); wrong != "" {
			count.Disagreements++
			t.Errorf("%s: %s: %q", in.Class, wrong, in.Text)
		}
	}
	page, err := InPage("requests", Table("requests to the HTTP door", rows))
	if err != nil {
		t.Fatal(err)
	}
	golden.InTree(t, SecurityPage, page)
}
