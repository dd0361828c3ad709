package sidecar_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/overlay"
	"mcp-toolsearch/sidecar/wire"
)

// TestNoHistoryLetsAWriteThroughAReadDoor plays random histories: servers change what they say of their tools, swap
// names, fail to list; clients call by all names in all wordings, one by one and in batches. Whatever runs through a read
// door was a read in the listing that was made last, by the rules of the oracle, and runs under exactly the name that was
// asked for.
func TestNoHistoryLetsAWriteThroughAReadDoor(t *testing.T) {
	ran := 0
	manyTimes(t, 5, func(rt *rapid.T) {
		h := newHistory(t, rt)
		h.send = func(era wire.Era, body string) sidecar.Decision { return decide(t, h.door, era, body) }
		for range 12 {
			h.step(rt)
		}
		ran += h.ran
		h.end()
	})
	enough(t, ran)
}

// TestNoHistoryLetsAWriteThroughTheServedReadDoors is the same through the product's HTTP door.
func TestNoHistoryLetsAWriteThroughTheServedReadDoors(t *testing.T) {
	ran := 0
	manyTimes(t, 2, func(rt *rapid.T) {
		h := newHistory(t, rt)
		served := testdoor.Serve(t, h.up, h.setup)
		h.send = func(era wire.Era, body string) sidecar.Decision { return post(t, served, request(t, era, body)) }
		for range 6 {
			h.step(rt)
		}
		ran += h.ran
		h.end()
	})
	enough(t, ran)
}

// manyTimes checks a property several times over.
func manyTimes(t *testing.T, times int, property func(rt *rapid.T)) {
	for range times {
		if !t.Failed() {
			rapid.Check(t, property)
		}
	}
}

// enough fails when the histories were too tame to hold anything.
func enough(t *testing.T, ran int) {
	t.Helper()
	if t.Logf("%d calls ran", ran); ran < 20 {
		t.Errorf("only %d calls ever ran: this holds too little", ran)
	}
}

// post sends a request to a served door; what comes back stands for an answer, whoever made it.
func post(t *testing.T, s *testdoor.Served, req sidecar.Request) sidecar.Decision {
	t.Helper()
	hr, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(string(req.Body)))
	if err != nil {
		t.Fatal(err)
	}
	hr.Header = req.Header
	resp, err := s.Client.Do(hr)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return sidecar.Decision{Kind: sidecar.Answer, Status: resp.StatusCode}
}

// history is one run.
type history struct {
	t       *testing.T
	up      *upstreamtest.Server
	door    *testdoor.Door
	op      operator
	overlay *overlay.Overlay
	aliases []string
	live    world
	seen    map[wire.Era]world // as listed last
	failing int                // listings that will fail
	ran     int
	send    func(era wire.Era, body string) sidecar.Decision
}

func newHistory(t *testing.T, rt *rapid.T) *history {
	some := func(label string, most int) []string {
		if rapid.IntRange(0, 2).Draw(rt, "no "+label) > 0 {
			return nil
		}
		return rapid.SliceOfNDistinct(rapid.SampledFrom(globsOfOperators), 0, most, rapid.ID).Draw(rt, label)
	}
	h := &history{t: t, seen: map[wire.Era]world{}, op: operator{reads: some("read-tools", 3), writes: some("write-tools", 2)}}
	for _, g := range some("hidden", 1) {
		if g != "[" && g != "*" {
			h.op.hidden = append(h.op.hidden, g)
		}
	}
	h.aliases = rapid.SliceOfN(rapid.SampledFrom([]string{"files_get", "look", "mail_send", "call_read_tool"}), 0, 2).Draw(rt, "aliases")
	rules := ""
	for _, g := range h.op.hidden {
		rules += fmt.Sprintf("- {match: %q, hide: true}\n", g)
	}
	for _, a := range h.aliases {
		rules += fmt.Sprintf("- {match: %q, aliases: [%q], pin: true}\n", "mail_*", a)
	}
	if rules != "" {
		var err error
		if h.overlay, err = overlay.Parse([]byte("tools:\n" + rules)); err != nil {
			t.Fatal(err)
		}
	}
	for range rapid.IntRange(2, 8).Draw(rt, "tools") {
		h.add(rt)
	}
	h.up = upstreamtest.New(t, h.live.raws()...)
	h.up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	h.door = testdoor.Open(t, h.up, h.setup)
	return h
}

func (h *history) setup(s *testdoor.Setup) {
	s.Catalog.ReadTools, s.Catalog.WriteTools, s.Catalog.Overlay = h.op.reads, h.op.writes, h.overlay
	s.Catalog.RelistEvery, s.Catalog.NegativeTTL = time.Nanosecond, time.Nanosecond
}

func (h *history) end() {
	h.door.Store.Close()
	h.up.Close()
}

func (h *history) add(rt *rapid.T) {
	l := listed{name: rapid.SampledFrom(propertyNames).Draw(rt, "name"), server: rapid.SampledFrom([]string{"", "", "one", "two"}).Draw(rt, "server")}
	m := drawMeaning(rt)
	l.annotations = m.raw
	h.live = append(h.live, has{l, m})
}

// step changes something, or calls.
func (h *history) step(rt *rapid.T) {
	h.live = slices.Clone(h.live) // what was seen stays as it was
	at := func() int { return rapid.IntRange(0, len(h.live)-1).Draw(rt, "which") }
	kind := rapid.IntRange(0, 11).Draw(rt, "step") // small numbers come more often
	switch {
	case kind == 9 || len(h.live) == 0:
		h.add(rt)
	case kind == 8: // what it says changes
		i := at()
		h.live[i].meaning = drawMeaning(rt)
		h.live[i].annotations = h.live[i].meaning.raw
	case kind == 7: // two tools swap names
		i, j := at(), at()
		h.live[i].name, h.live[j].name = h.live[j].name, h.live[i].name
	case kind == 10:
		i := at()
		h.live = slices.Delete(h.live, i, i+1)
	case kind == 11:
		h.failing = rapid.IntRange(1, 2).Draw(rt, "failures")
		h.up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Times: h.failing})
	case kind == 6:
		h.exchange(rt, call("search_tools", `{"query":"files","refresh":true}`), "", "")
		return
	default:
		name := rapid.OneOf(rapid.SampledFrom(h.live).Draw(rt, "tool asked for").asked(), rapid.SampledFrom(h.live).Draw(rt, "or").asked(), rapid.SampledFrom(propertyNames), rapid.SampledFrom([]string{"look", "FILES_GET", "files_gt", " files_get", "files_get\u200b", "files-get", "describe_tools", "nosuch"})).Draw(rt, "asked for")
		ways := wordings(name)
		how := rapid.SampledFrom(slices.Sorted(maps.Keys(ways))).Draw(rt, "wording")
		h.exchange(rt, ways[how], name, how)
		return
	}
	h.up.SetTools(h.live.raws()...)
}

// exchange sends one request and holds what came of it against the oracle.
func (h *history) exchange(rt *rapid.T, body, name, how string) {
	era := rapid.SampledFrom([]wire.Era{wire.Modern, wire.Legacy}).Draw(rt, "era")
	h.up.Reset()
	d := h.send(era, body)
	for range h.up.RequestsOf("tools/list") {
		if h.failing > 0 {
			h.failing--
			continue
		}
		h.seen[era] = slices.Clone(h.live)
	}
	ran := h.runs(d)
	may := h.op.mayRead(h.seen[era], name)
	for _, r := range ran {
		h.ran++
		if r.name != name {
			rt.Errorf("%s: %q was asked for, %q ran", how, name, r.name)
		}
		if !may {
			rt.Errorf("%s: %q ran through a read door; listed is %q, the operator says %+v", how, name, h.seen[era].raws(), h.op)
		}
		if want := h.seen[era].judgedAs(name); r.judged != want {
			rt.Errorf("%s: %q was sent as judged %q, want %q", how, name, r.judged, want)
		}
	}
	if may && how != "other keys" && h.live.has(name) && len(ran) == 0 {
		rt.Errorf("%s: %q may run and did not: %.300s", how, name, d.Body)
	}
}

// run is a call that reached the server.
type run struct{ name, judged string }

func (h *history) runs(d sidecar.Decision) []run {
	var all []run
	for _, r := range h.up.RequestsOf("tools/call") {
		all = append(all, run{r.Name, r.Header.Get(wire.JudgedHeader)})
	}
	if d.Kind == sidecar.Answer {
		return all
	}
	var sent struct{ Params struct{ Name string } }
	if err := json.Unmarshal(d.NewBody, &sent); err != nil {
		return append(all, run{"unreadable", ""})
	}
	return append(all, run{sent.Params.Name, d.SetHeader.Get(wire.JudgedHeader)})
}
