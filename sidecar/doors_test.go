package sidecar_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// judged is a tool and what the rules make of it, worked out apart from the product's own code.
type judged struct {
	name, definition string
	read             bool
}

// TestNothingThatMayWriteRunsThroughAReadDoor sends every tool of random catalogs through every read door, in every
// spelling, and holds that only those run which their server and the operator both call read-only.
func TestNothingThatMayWriteRunsThroughAReadDoor(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			writes, reads := globs(rnd), globs(rnd)
			tools := make([]judged, 12)
			raws := make([]string, len(tools))
			for i := range tools {
				tools[i] = randomTool(rnd, i, writes, reads)
				raws[i] = tools[i].definition
			}
			d := open(t, func(s *testdoor.Setup) { s.Catalog.WriteTools, s.Catalog.ReadTools = writes, reads }, raws...)
			for _, tool := range tools {
				for spelling, body := range spellings(tool.name) {
					runsOnlyReads(t, d, wire.Era(rnd.IntN(2)), tool, spelling, body)
				}
			}
			batchRunsOnlyReads(t, d, tools)
		})
	}
}

func globs(rnd *rand.Rand) []string {
	all := []string{"files_*", "mail_*", "*_1", "*_2*", "db_?", "[fm]*", "*"}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:rnd.IntN(3)]
}

// randomTool has hints of right and wrong types, and none.
func randomTool(rnd *rand.Rand, i int, writes, reads []string) judged {
	name := fmt.Sprintf("%s_%d", []string{"files", "mail", "db", "call_read_tool"}[rnd.IntN(4)], i)
	hints := []string{"", "true", "false", `"true"`, "1", "null", "[true]", "{}"}
	readOnly, destructive := hints[rnd.IntN(len(hints))], hints[rnd.IntN(len(hints))]
	var members []string
	if readOnly != "" {
		members = append(members, `"readOnlyHint":`+readOnly)
	}
	if destructive != "" {
		members = append(members, `"destructiveHint":`+destructive)
	}
	annotations := []string{"{" + strings.Join(members, ",") + "}", "", `"none"`, "[]"}[max(0, rnd.IntN(8)-4)]
	said := annotations != "" && strings.HasPrefix(annotations, "{")
	unsaid := annotations == "" || said && (readOnly == "" || readOnly == "null")
	harmless := annotations == "" || said && (destructive == "" || destructive == "null" || destructive == "false")
	read := harmless && (said && readOnly == "true" || unsaid && matches(reads, name)) && !matches(writes, name)
	return judged{name, tool(name, "", "", annotations), read}
}

func matches(globs []string, name string) bool {
	for _, g := range globs {
		if ok, _ := path.Match(g, name); ok {
			return true
		}
	}
	return false
}

// spellings are the ways in which models send one call.
func spellings(name string) map[string]string {
	object := fmt.Sprintf(`{"name":%q,"arguments":{}}`, name)
	return map[string]string{
		"plain":                  call("call_read_tool", object),
		"arguments as text":      call("call_read_tool", fmt.Sprintf(`{"name":%q,"arguments":"{}"}`, name)),
		"arguments_json":         call("call_read_tool", fmt.Sprintf(`{"name":%q,"arguments_json":"{}"}`, name)),
		"the whole call as text": call("call_read_tool", string(wire.Quote(object))),
		"an escaped name":        call("call_read_tool", strings.Replace(object, `"name":"`, `"name":"\u00`+fmt.Sprintf("%02x", name[0]), 1)),
		"a second name":          call("call_read_tool", fmt.Sprintf(`{"Name":"x","name":%q,"tool":"x","arguments":{"x":1}}`, name)),
		"a batch of one":         call("call_read_tools", `{"calls":[`+object+`]}`),
		"a batch as text":        call("call_read_tools", `{"calls":`+string(wire.Quote("["+object+"]"))+`}`),
		"items as text":          call("call_read_tools", `{"calls":[`+string(wire.Quote(object))+`]}`),
		"an item by itself":      call("call_read_tools", `{"calls":`+object+`}`),
	}
}

func runsOnlyReads(t *testing.T, d *testdoor.Door, era wire.Era, tool judged, spelling, body string) {
	t.Helper()
	if spelling == "an escaped name" {
		body = strings.Replace(body, fmt.Sprintf(`\u00%02x%c`, tool.name[0], tool.name[0]), fmt.Sprintf(`\u00%02x`, tool.name[0]), 1)
	}
	d.Upstream.Reset()
	got := decide(t, d, era, body)
	if !tool.read && (got.Kind != sidecar.Answer || len(d.Upstream.RequestsOf("tools/call")) > 0) {
		t.Errorf("%s (%s) ran through a read door: %s", tool.definition, spelling, got.Kind)
	}
	ran := got.Kind == sidecar.Forward || len(d.Upstream.RequestsOf("tools/call")) == 1
	if tool.read && !ran {
		t.Errorf("%s (%s) did not run: %.300s", tool.definition, spelling, got.Body)
	}
	if got.Kind != sidecar.Forward {
		return
	}
	var sent struct {
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	want := 0
	if spelling == "a second name" { // such keys are ignored only beside arguments
		want = 1
	}
	if err := json.Unmarshal(got.NewBody, &sent); err != nil || sent.Params.Name != tool.name || len(sent.Params.Arguments) != want {
		t.Errorf("%s: sent %s", spelling, got.NewBody)
	}
}

// batchRunsOnlyReads sends all tools in one batch: those that may write are refused one by one.
func batchRunsOnlyReads(t *testing.T, d *testdoor.Door, tools []judged) {
	t.Helper()
	d.Upstream.Reset()
	var calls, want []string
	for _, tool := range tools {
		calls = append(calls, fmt.Sprintf(`{"name":%q}`, tool.name))
		if tool.read {
			want = append(want, tool.name)
		}
	}
	read(t, decide(t, d, wire.Modern, call("call_read_tools", `{"calls":[`+strings.Join(calls, ",")+`]}`)))
	ran := map[string]bool{}
	for _, r := range d.Upstream.RequestsOf("tools/call") {
		ran[r.Name] = true
	}
	if len(ran) != len(want) {
		t.Errorf("a batch ran %v, want %v", ran, want)
	}
	for _, name := range want {
		if !ran[name] {
			t.Errorf("%s did not run in a batch", name)
		}
	}
}

func TestTheWrongDoorIsRefusedInOneSentence(t *testing.T) {
	d := open(t, nil, office()...)
	bothEras(t, func(t *testing.T, era wire.Era) {
		text := said(t, decide(t, d, era, inner("call_read_tool", "mail_purge", `{"folder":"x"}`)), true)
		if text != "mail_purge may change something: run it with call_write_tool." {
			t.Errorf("refusal %q", text)
		}
		if got := decide(t, d, era, inner("call_write_tool", "mail_purge", `{"folder":"x"}`)); got.Kind != sidecar.Forward {
			t.Errorf("the right door refused: %s", got.Body)
		}
	})
	if l := d.Seen.Last(); l.Outcome != "ok" || l.Tool != "mail_purge" || l.MetaTool != "call_write_tool" {
		t.Errorf("labels %+v", l)
	}
}

func TestAMetaToolCannotCallAMetaTool(t *testing.T) {
	d := open(t, nil, office()...)
	for _, door := range []string{"call_read_tool", "call_write_tool"} {
		for _, name := range sidecar.MetaToolNames() {
			text := said(t, decide(t, d, wire.Modern, inner(door, name, `{}`)), true)
			mustSay(t, text, name, "call it directly")
		}
	}
	text := said(t, decide(t, d, wire.Modern, call("call_read_tools", `{"calls":[{"name":"call_read_tools","arguments":{"calls":[]}},{"name":"mail_find"}]}`)), false)
	mustSay(t, text, "[1] call_read_tools: refused: call_read_tools can't be run", "[2] mail_find: ok")
	if n := len(d.Seen.Listings()); n != 1 {
		t.Errorf("our own names made %d listings, want the first only", n)
	}
}

func TestAnUpstreamsToolOfOurNameIsATargetAndNeverUs(t *testing.T) {
	d := open(t, nil, append(office(), tool("search_tools", "The upstream's own.", "", readOnly), tool("call_write_tool", "Too.", "", ""))...)
	got := decide(t, d, wire.Modern, inner("call_read_tool", "search_tools", `{"query":"x"}`))
	if got.Kind != sidecar.Forward || !strings.Contains(string(got.NewBody), `"name":"search_tools","arguments":{"query":"x"}`) {
		t.Errorf("%s %s%s", got.Kind, got.NewBody, got.Body)
	}
	said(t, decide(t, d, wire.Modern, inner("call_read_tool", "call_write_tool", `{"name":"mail_purge"}`)), true)
	mustSay(t, said(t, decide(t, d, wire.Modern, call("search_tools", `{"query":"find mail"}`)), false), "mail_find")
	mustSay(t, said(t, decide(t, d, wire.Modern, call("call_read_tools", `{"calls":[{"name":"search_tools"}]}`)), false), "search_tools ran")
}
