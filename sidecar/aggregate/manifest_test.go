package aggregate_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/servers"
)

// kept keeps the tools in a file.
func kept(path string) func(*aggregate.Options) {
	return func(o *aggregate.Options) { o.ManifestPath = path }
}

// manifested runs two servers once and gives the manifest's path and the servers, which hang from then on.
func manifested(t *testing.T) (path string, alpha, beta servers.Server) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "data", "manifest.json")
	a, b := sdk(t, true, echoes("find=a", "only_a=a")), sdk(t, false, echoes("find=b"))
	var hang atomic.Bool
	stop := make(chan struct{})
	see := func(r *http.Request) {
		if hang.Load() {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}
	}
	alpha, beta = at("alpha", newFront(t, a.URL, see)), at("beta", newFront(t, b.URL, see))
	t.Cleanup(func() { close(stop) }) // before the fronts close
	r := start(t, []servers.Server{alpha, beta}, kept(path))
	if _, err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the manifest is written", func() bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), `"count":3`)
	})
	r.Close()
	hang.Store(true)
	return path, alpha, beta
}

func TestTheManifestServesWhileServersStart(t *testing.T) {
	path, alpha, beta := manifested(t)
	r := start(t, []servers.Server{alpha, beta}, kept(path))
	began := time.Now()
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("listed after %s", took)
	}
	for _, want := range []string{`"name":"find"`, `"name":"beta__find"`, `"name":"only_a"`, `"mcp-toolsearch/old":true`, `"mcp-toolsearch/source":"beta"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %s: %s", want, text)
		}
	}
	if !strings.Contains(r.log.String(), "tools of the last run are served") {
		t.Errorf("nothing is said:\n%s", r.log)
	}
}

func TestTheManifestHoldsWhateverTheConfigurationIsNow(t *testing.T) {
	path, _, beta := manifested(t)
	beta.Prefix = "b"
	r := start(t, []servers.Server{beta, at("gamma", hangs(t))}, kept(path))
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"name":"b__find"`) || strings.Contains(text, "only_a") {
		t.Errorf("the list: %s", text)
	}
}

// TestTheManifestIsNothingToAnotherAddress: another server under the name may mean something else by the same tools.
func TestTheManifestIsNothingToAnotherAddress(t *testing.T) {
	path, _, beta := manifested(t)
	r := start(t, []servers.Server{at("alpha", hangs(t)), beta}, kept(path))
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"name":"find"`) || strings.Contains(text, "only_a") {
		t.Errorf("the list: %s", text)
	}
}

func TestACorruptManifestIsSetAside(t *testing.T) {
	path, _, _ := manifested(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"cut":               string(good[:len(good)/2]),
		"empty":             "",
		"not an object":     "[]",
		"another tool":      strings.Replace(string(good), `"tool":"only_a"`, `"tool":"only_b"`, 1),
		"a tool less":       strings.Replace(string(good), `{"name":"only_a","server":"alpha","tool":"only_a"}`, `{"name":"only_b","server":"alpha","tool":"only_a"}`, 1),
		"a count that lies": strings.Replace(string(good), `"count":3`, `"count":4`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "manifest.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			a, b := sdk(t, false, echoes("x=x")), sdk(t, false, echoes("y=y"))
			r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)}, kept(path))
			if got := names(t, connect(t, r.url, nil)); !slices.Equal(got, []string{"x", "y"}) {
				t.Errorf("tools %q", got)
			}
			aside, err := os.ReadFile(path + ".corrupt")
			if err != nil || string(aside) != content {
				t.Errorf("set aside: %v", err)
			}
			if !strings.Contains(r.log.String(), "was set aside") {
				t.Errorf("nothing is said:\n%s", r.log)
			}
			eventually(t, "a new one is written", func() bool { _, err := os.Stat(path); return err == nil })
		})
	}
}

func TestCallersToolsAreNotKeptOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	a, b := sdk(t, false, echoes("x=x")), sdk(t, false, echoes("y=y"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)}, kept(path), perCaller(t))
	names(t, connect(t, r.url, nil))
	r.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("there is a manifest: %v", err)
	}
}

func TestTheFingerprintIsTheSameWhenNothingChanged(t *testing.T) {
	a, b := sdk(t, false, echoes("x=x", "mail=m")), sdk(t, false, echoes("y=y"))
	var told atomic.Int64
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)}, func(o *aggregate.Options) { o.Changed = func() { told.Add(1) } })
	first, err := r.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first list is told", func() bool { return told.Load() > 0 })
	before := told.Load()
	second, err := r.Refresh(t.Context())
	if err != nil || first.Fingerprint != second.Fingerprint || first.Fingerprint != "3:4928126c3f56ab26" {
		t.Errorf("fingerprints %s and %s, %v", first.Fingerprint, second.Fingerprint, err)
	}
	if told.Load() != before {
		t.Error("a refresh that changed nothing was told as a change")
	}
	if want := "3 tools {a: 2, b: 1}"; !strings.HasPrefix(second.String(), want) {
		t.Errorf("the report says %q, want %q first", second, want)
	}
}
