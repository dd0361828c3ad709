package differential

import (
	"testing"

	"mcp-toolsearch/internal/golden"
)

// TestWhatIsSentOnIsReadAlike sends every input in every way. Whatever goes on to a server must be what was asked for
// through a door that allows it, and all readers must read the same in it.
func TestWhatIsSentOnIsReadAlike(t *testing.T) {
	b := newBench(t)
	b.withChildren(t)
	var rows []Tally
	at := map[string]int{}
	for _, in := range Inputs() {
		if _, ok := at[in.Class]; !ok {
			at[in.Class] = len(rows)
			rows = append(rows, Tally{Class: in.Class})
		}
		for _, a := range attempts(in) {
			for _, wrong := range b.try(t, a, &rows[at[in.Class]]) {
				t.Errorf("%s: %s", in.Class, wrong)
			}
		}
	}
	for name, n := range b.counts {
		t.Logf("%s read %d messages", name, n)
	}
	for _, name := range []string{"go-sdk", "encoding/json", "Python SDK, streamable HTTP", "Python SDK, 2026-07-28", "Python SDK, stdio", "TypeScript SDK", "JSON.parse"} {
		if b.counts[name] < 1000 {
			t.Errorf("%s read %d of the messages that were sent on; this compares too little", name, b.counts[name])
		}
	}
	page, err := InPage("bodies", Table("inputs", rows))
	if err != nil {
		t.Fatal(err)
	}
	golden.InTree(t, SecurityPage, page)
}

func TestADifferenceIsFound(t *testing.T) {
	b := newBench(t)
	body := []byte(forms()[2].build(nil))
	if wrong := b.alike(t, body); len(wrong) > 0 {
		t.Errorf("readers that agree are told apart: %q", wrong)
	}
	b = newBench(t)
	b.readers["another"] = func(body []byte) ([]Reading, error) {
		all, err := Strict(body)
		if err == nil {
			all[0].Name = "wipe"
		}
		return all, err
	}
	if wrong := b.alike(t, body); len(wrong) != 1 {
		t.Errorf("a reader of another name is not found out: %q", wrong)
	}
}
