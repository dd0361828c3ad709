package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestMain also makes the program itself a command of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcp-toolsearch": main})
}

// TestScripts plays the scripts of testdata/script: they read like a manual of the program.
func TestScripts(t *testing.T) { play(t, "testdata/script/*.txtar") }

func TestAllMistakesAreReportedAtOnce(t *testing.T) { play(t, "testdata/script/mistakes.txtar") }

func TestServeDrainsOnSIGTERM(t *testing.T) { play(t, "testdata/script/drain.txtar") }

func play(t *testing.T, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d scripts, %v", pattern, len(files), err)
	}
	up := upstreamtest.New(t,
		`{"name":"mail_find","description":"Find mail by words.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"annotations":{"readOnlyHint":true}}`,
		`{"name":"mail_purge","description":"Empty a folder.","inputSchema":{"type":"object"}}`,
		`{"name":"evil\u001b[31m_mail","description":"Find mail, in red.","inputSchema":{"type":"object"}}`)
	up.SetToolsFor("Bearer other", `{"name":"cake_bake","description":"Bake a cake.","inputSchema":{"type":"object"}}`)
	second := upstreamtest.New(t,
		`{"name":"cake_eat","description":"Eat some cake.","inputSchema":{"type":"object"}}`,
		`{"name":"cake_cut","description":"Cut a cake.","inputSchema":{"type":"object"}}`)
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			_, port, err := net.SplitHostPort(freeAddress(t))
			if err != nil {
				return err
			}
			e.Vars = append(e.Vars, "SECOND="+second.URL(), "PORT="+port, "UPSTREAM="+up.URL(), "ORIGIN="+up.Origin(), "ADMIN="+freeAddress(t), "LISTEN="+freeAddress(t), "SOCKET="+filepath.Join(shortDir(t), "x.sock"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"ready": ready, "status": status, "post": post, "terminate": terminate, "hangup": hangup, "refresh": refresh, "metric": metric},
	})
}

// freeAddress is a loopback address that was free a moment ago, and is not one of those that outgoing connections take.
func freeAddress(t *testing.T) string {
	for range 100 {
		lis, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(20_000+rand.IntN(12_000)))
		if err == nil {
			defer lis.Close()
			return lis.Addr().String()
		}
	}
	t.Fatal("no address is free")
	return ""
}

// shortDir is a folder whose path a Unix socket's address can hold.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "ts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// ready waits until http://args[0]/readyz answers 200, or with ! anything else.
func ready(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] ready host:port")
	}
	deadline := time.Now().Add(20 * time.Second)
	for get("http://"+args[0]+"/readyz") == http.StatusOK == neg {
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not get ready=%t", args[0], !neg)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// terminate sends SIGTERM to what runs in the background.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

// hangup sends SIGHUP to what runs in the background.
func hangup(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGHUP))
	}
}

// refresh posts to an admin listener until the answer has a text: a signal takes a moment to work.
func refresh(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: refresh http://host:port text")
	}
	client := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(20 * time.Second); ; {
		resp, err := client.Post(args[0]+"/refresh", "", nil)
		ts.Check(err)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		ts.Check(err)
		if strings.Contains(string(body), args[1]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("the refresh answered %d %s", resp.StatusCode, body)
		}
	}
}

// metric waits until http://args[0]/metrics has a line: what is done because of a signal takes a moment.
func metric(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: metric http://host:port line")
	}
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		resp, err := client.Get(args[0] + "/metrics")
		ts.Check(err)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		ts.Check(err)
		if strings.Contains(string(body), args[1]+"\n") {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("there is no %s", args[1])
		}
	}
}

// status holds that a URL answers with an HTTP status; with ! that it doesn't.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: status url code")
	}
	if got := get(args[0]); (strconv.Itoa(got) == args[1]) == neg {
		ts.Fatalf("%s answered %d", args[0], got)
	}
}

// post holds that the answer of a URL to tools/list, or to a search for the third word, has a text.
func post(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg {
		ts.Fatalf("usage: post url text [query]")
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if len(args) == 3 {
		message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":` + strconv.Quote(args[2]) + `}}}`
	}
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	body, h, err := cases.Dress([]byte(message), wire.Modern, "")
	ts.Check(err)
	req, err := http.NewRequest(http.MethodPost, args[0], bytes.NewReader(body))
	ts.Check(err)
	req.Header = h
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if !strings.Contains(string(answer), args[1]) {
		ts.Fatalf("%s answered %d %s", args[0], resp.StatusCode, answer)
	}
}

// get is the status of an answer, 0 when there is none.
func get(url string) int {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
