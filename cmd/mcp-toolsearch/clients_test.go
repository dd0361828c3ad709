package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
)

// snippet is a block of code of docs/clients.md.
type snippet struct {
	language, text string
	value          any // parsed
}

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func clientsPage(t *testing.T) (page string, snippets []snippet) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(raw), -1) {
		snippets = append(snippets, snippet{language: m[1], text: m[2]})
	}
	if len(snippets) < 15 {
		t.Fatalf("only %d snippets were found", len(snippets))
	}
	return string(raw), snippets
}

// parse reads a snippet by a parser of its language.
func (s *snippet) parse(t *testing.T) {
	t.Helper()
	var err error
	switch s.language {
	case "json":
		err = json.Unmarshal([]byte(s.text), &s.value)
	case "yaml":
		err = yaml.Unmarshal([]byte(s.text), &s.value)
	case "toml":
		read := exec.CommandContext(t.Context(), fixtures.Python(t), "-c", "import json, sys, tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer)))")
		read.Stdin = strings.NewReader(s.text)
		out, failed := read.Output()
		if failed != nil && strings.Contains(string(failed.(*exec.ExitError).Stderr), "No module named 'tomllib'") {
			fixtures.Skip(t, "Python 3.11 or newer, which reads TOML, is not there")
		}
		if err = failed; err == nil {
			err = json.Unmarshal(out, &s.value)
		}
	case "sh":
		return
	default:
		t.Errorf("a snippet in a language that no test reads: %s", s.language)
	}
	if err != nil {
		t.Errorf("%v in\n%s", err, s.text)
	}
}

// ourCommands are the command lines of ours that a parsed value holds: command or cmd, with args.
func ourCommands(value any) [][]string {
	var found [][]string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"command", "cmd"} {
			if v[key] == "mcp-toolsearch" {
				var args []string
				for _, arg := range v["args"].([]any) {
					args = append(args, arg.(string))
				}
				found = append(found, args)
			}
		}
		for _, inner := range v {
			found = append(found, ourCommands(inner)...)
		}
	case []any:
		for _, inner := range v {
			found = append(found, ourCommands(inner)...)
		}
	}
	return found
}

// TestSnippetsForClientsAreReal: every snippet of docs/clients.md parses, every command of ours in it starts, and every
// URL has a path that is served.
func TestSnippetsForClientsAreReal(t *testing.T) {
	page, snippets := clientsPage(t)
	config := clientsConfig(t)
	started := 0
	for i := range snippets {
		snippets[i].parse(t)
		for _, args := range ourCommands(snippets[i].value) {
			started++
			answersOnStdio(t, withConfig(args, config))
		}
		if snippets[i].language == "sh" {
			for line := range strings.Lines(snippets[i].text) {
				acceptsLine(t, line, config)
			}
		}
	}
	if started < 4 {
		t.Errorf("%d commands were started, the page had more", started)
	}
	for _, text := range regexp.MustCompile("https?://[a-z0-9.-]+(:[0-9]+)?/[a-z/]*").FindAllString(page, -1) {
		u, err := url.Parse(text)
		if err != nil || !slices.Contains([]string{"/mcp", "/mcp/search"}, u.Path) {
			t.Errorf("%s has no path that is served", text)
		}
	}
}

// clientsConfig is a file of servers as the page's mcp.json.
func clientsConfig(t *testing.T) string {
	t.Helper()
	up := upstreamtest.New(t, `{"name":"mail_find","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers":{"mail":{"url":"`+up.URL()+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withConfig puts the real file in the place of the example's.
func withConfig(args []string, config string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.HasSuffix(arg, "mcp.json") {
			args[i] = config
		}
	}
	return args
}

// answersOnStdio starts a command line as a client does and lists the tools.
func answersOnStdio(t *testing.T, args []string) {
	t.Helper()
	var out, log bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	if code := run(t.Context(), terminal{in: in, out: &out, err: &log}, args); code != exitOK || !strings.Contains(out.String(), `"name":"search_tools"`) {
		t.Errorf("mcp-toolsearch %v: exit %d, %s%s", args, code, out.String(), log.String())
	}
}

// acceptsLine checks a shell line: of ours its flags, of a client's that it names an address of ours.
func acceptsLine(t *testing.T, line, config string) {
	t.Helper()
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "mcp-toolsearch" {
		if !strings.Contains(line, "http://127.0.0.1:8092/mcp") {
			t.Errorf("a line that no test knows: %s", line)
		}
		return
	}
	cert, key := certificate(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("s3cret-of-the-door-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"mcp.json": config, "token": token, "cert.pem": cert, "key.pem": key}
	for i, word := range words {
		if path, ok := files[word]; ok {
			words[i] = path
		}
	}
	s, err := serveSettings(terminal{}, words[1], words[2:])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if want := "8092"; !strings.HasSuffix(s.listen(), ":"+want) {
		t.Errorf("%s listens on %s, the page says port %s", line, s.listen(), want)
	}
}

// certificate writes a certificate and its key to files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	pair := server.TLS.Certificates[0]
	raw, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

// TestThePagesOfClientsAreServed: the paths of the page's URLs, on the program that the page starts.
func TestThePagesOfClientsAreServed(t *testing.T) {
	address := freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	var log bytes.Buffer
	args := []string{"serve", "--config", clientsConfig(t), "--listen", address, "--extproc-listen", "off", "--admin-listen", freeAddress(t), "--drain-notice", "0s"}
	go func() { done <- run(ctx, terminal{out: &log, err: &log}, args) }()
	defer func() {
		cancel()
		if code := <-done; code != exitOK {
			t.Errorf("exit %d: %s", code, log.String())
		}
	}()
	for _, path := range []string{"/mcp", "/mcp/search"} {
		text := listedAt(t, "http://"+address+path)
		for _, name := range sidecar.MetaToolNames() {
			if !strings.Contains(text, `"name":"`+name+`"`) {
				t.Errorf("%s lists no %s: %s", path, name, text)
			}
		}
	}
}

// listedAt lists the tools at an address that is about to be served.
func listedAt(t *testing.T, address string) string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		resp, err := http.Post(address, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err == nil {
			var text bytes.Buffer
			_, err = text.ReadFrom(resp.Body)
			_ = resp.Body.Close()
			if err == nil {
				return text.String()
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s doesn't answer: %v", address, err)
		}
	}
}

// TestApprovalsNameOurTools: a rule for a tool that doesn't exist would allow or ask for nothing.
func TestApprovalsNameOurTools(t *testing.T) {
	page, snippets := clientsPage(t)
	names := sidecar.MetaToolNames()
	rules := 0
	for _, m := range regexp.MustCompile(`mcp__tools__(\w+)|mcp_servers\.tools\.tools\.(\w+)`).FindAllStringSubmatch(page, -1) {
		rules++
		if name := m[1] + m[2]; !slices.Contains(names, name) {
			t.Errorf("%s names none of our tools", m[0])
		}
	}
	for _, s := range snippets {
		for _, m := range regexp.MustCompile(`"((?:search|describe|call)_\w+)"`).FindAllStringSubmatch(s.text, -1) {
			rules++
			if !slices.Contains(names, m[1]) {
				t.Errorf("%s is none of our tools", m[1])
			}
		}
	}
	if rules < 3*len(names) {
		t.Errorf("only %d rules were found", rules)
	}
}
