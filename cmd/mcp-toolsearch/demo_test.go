package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/sidecar"
)

// demoWithin is the time that the demo may take.
const demoWithin = 2 * time.Second

// TestTheDemoPlaysInSeconds: the whole conversation goes as it should, and the best of up to ten tries is quick enough on a
// machine that has other things to do.
func TestTheDemoPlaysInSeconds(t *testing.T) {
	best := time.Hour
	for range 10 {
		var out, mistakes bytes.Buffer
		start := time.Now()
		if code := run(t.Context(), terminal{environ: []string{"TOOLSEARCH_UPSTREAMS=http://127.0.0.1:1/mcp", "PORT=1"}, out: &out, err: &mistakes}, []string{"demo"}); code != exitOK {
			t.Fatalf("exit %d: %s%s", code, out.String(), mistakes.String())
		}
		best = min(best, time.Since(start))
		for _, want := range []string{"28 made-up MCP servers with 500 tools", "with it 5, about", "billfold_send_invoice", "daybook_book_room", "run it with call_write_tool",
			"created DEMO-1", "[2] postrider_search_messages: ok", "mcp-toolsearch serve --config mcp.json"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the demo doesn't say %q: %s", want, out.String())
			}
		}
		if best < demoWithin || raceDetector {
			break
		}
	}
	if best > demoWithin && !raceDetector {
		t.Errorf("the demo takes %s, at most %s", best, demoWithin)
	}
}

func TestADemoThatGoesWrongFails(t *testing.T) {
	servers, err := startDemoServers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer servers.close()
	end, address, err := demoDoor(t.Context(), servers)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	var out bytes.Buffer
	d := demoTalk{out: &out, url: "http://" + address + "/mcp"}
	defer d.http.CloseIdleConnections()
	search := demoStep{"Search", sidecar.SearchTools, `{"query":"mail"}`, []string{"postrider"}, false}
	if err := d.step(t.Context(), 1, search); err != nil {
		t.Errorf("a step that goes well: %v", err)
	}
	lacks, refused := search, search
	lacks.has, refused.refused = []string{"nothing says this"}, true
	for name, step := range map[string]demoStep{"another answer": lacks, "no refusal": refused, "a protocol error": {"Call", "no_such_tool", `{}`, nil, false}} {
		if err := d.step(t.Context(), 1, step); err == nil {
			t.Errorf("%s goes unnoticed", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.play(ctx, servers); err == nil {
		t.Error("an interrupted demo ends well")
	}
}

func TestTheDemoTakesNoWords(t *testing.T) {
	for _, args := range [][]string{{"demo", "now"}, {"demo", "--upstream=x"}} {
		var out, mistakes bytes.Buffer
		if code := run(t.Context(), terminal{out: &out, err: &mistakes}, args); code != exitUsage || out.Len() > 0 {
			t.Errorf("%v: exit %d, %s%s", args, code, out.String(), mistakes.String())
		}
	}
}
