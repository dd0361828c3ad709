package e2e_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/sidecar"
)

// page is a web page that keeps what is typed into it, in the page alone.
const page = `<!doctype html><title>A page</title><h1 id=h>nothing yet</h1><label>Word <input id=w></label>
<button onclick="document.getElementById('h').textContent='kept: '+document.getElementById('w').value">Keep</button>`

// TestABrowserKeepsEachClientsPage lets two clients work at the same time with the real Playwright MCP server and
// Chromium, through the product: each opens a page, types and clicks on the same page in later calls, and reads it back.
// So each client's calls share one session with the server, and nobody else's.
func TestABrowserKeepsEachClientsPage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		fixtures.Skip(t, "chromium is not there: install it (Debian: apt-get install chromium)")
	}
	cli := filepath.Join(fixtures.NodeModules(t), "node_modules", "@playwright", "mcp", "cli.js")
	flags := []string{"--headless", "--isolated", "--no-sandbox", "--browser", "chromium", "--executable-path", chromium, "--output-dir", t.TempDir()}
	at := e2e.FreeAddress(t)
	_, port, _ := strings.Cut(at, ":")
	e2e.Run(t, fixtures.Node(t), append([]string{cli, "--port", port, "--host", "127.0.0.1"}, flags...)...)
	e2e.Until(t, "Playwright MCP answers", func() bool {
		resp, err := http.Get("http://" + at + "/mcp")
		return err == nil && resp.Body.Close() == nil
	})
	site := string(e2e.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, page)
	})))
	program := programs.Build(t, e2e.Sidecar)
	for where, server := range map[string]e2e.Server{
		"HTTP":    {URL: "http://localhost:" + port + "/mcp", Auth: "caller"}, // it takes no other host name
		"command": {Command: fixtures.Node(t), Args: append([]string{cli}, flags...)},
	} {
		d := e2e.Merge(t, program, map[string]e2e.Server{"browser": server, "gopher": {URL: "http://" + string(e2e.Serve(t, gopher())) + "/mcp"}})
		for _, version := range []string{"2025-11-25", featureserver.Modern} {
			if where == "command" && version == featureserver.Modern {
				continue // a command is shared by clients without sessions
			}
			t.Run(where+"/"+version, func(t *testing.T) {
				var both sync.WaitGroup
				for _, name := range []string{"ada", "bob"} {
					p := visit(t, d.Origin+"/mcp", version, name)
					p.until(t, "browser_navigate")
					both.Go(func() { browse(t, p, "http://"+site+"/"+name, "word of "+name) })
				}
				both.Wait()
			})
		}
	}
}

// browse opens a page, acts on it and reads it back, each in a call of its own.
func browse(t *testing.T, p *player, url, word string) {
	call := func(tool string, args object) string {
		result, err := p.call(t.Context(), sidecar.CallWriteTool, e2e.Item{Name: tool, Arguments: args}, mcp.Meta{})
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			return ""
		}
		if result.IsError {
			t.Errorf("%s: %s", tool, textOf(result))
		}
		return textOf(result)
	}
	call("browser_navigate", object{"url": url})
	before := call("browser_snapshot", object{})
	box, button := reference(before, `textbox "Word"`), reference(before, `button "Keep"`)
	if box == "" || button == "" {
		t.Errorf("no text box and button in %.600s", before)
		return
	}
	call("browser_type", object{"element": "Word", "target": box, "text": word})
	call("browser_click", object{"element": "Keep", "target": button})
	after := call("browser_snapshot", object{})
	if !strings.Contains(after, "kept: "+word) || !strings.Contains(after, url) {
		t.Errorf("the page is not the one that was acted on: %.600s", after)
	}
	call("browser_close", object{})
}

// reference is what a snapshot calls an element.
func reference(snapshot, element string) string {
	m := regexp.MustCompile(regexp.QuoteMeta(element) + `.*?\[ref=(\w+)\]`).FindStringSubmatch(snapshot)
	if m == nil {
		return ""
	}
	return m[1]
}
