package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/model"
	"mcp-toolsearch/model/fetch"
)

func TestFetchModelSaysWhatIsWrong(t *testing.T) {
	mirror := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer mirror.Close()
	wrong := t.TempDir()
	if err := os.WriteFile(filepath.Join(wrong, model.ConfigFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := httptest.NewServer(http.FileServer(http.Dir(wrong)))
	defer other.Close()
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"no folder":         {nil, exitUsage, []string{"name the folder", "--model-dir"}},
		"a word too many":   {[]string{"--model-dir", dir, "potion"}, exitUsage, []string{"\"potion\" is not expected here"}},
		"an empty mirror":   {[]string{"--model-dir", dir, "--model-url", mirror.URL}, exitFailed, []string{"config.json", "404", "--model-url"}},
		"another model":     {[]string{"--model-dir", dir, "--model-url", other.URL}, exitFailed, []string{"config.json", "2 bytes, not 271", "another mirror"}},
		"no URL":            {[]string{"--model-dir", dir, "--model-url", "http://[::1"}, exitFailed, []string{"is not a URL"}},
		"a file, no folder": {[]string{"--model-dir", filepath.Join(wrong, model.ConfigFile), "--model-url", other.URL}, exitFailed, []string{"choose a folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), terminal{out: &out, err: &errs}, append([]string{"fetch-model"}, tt.args...))
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(errs.String(), want) {
					t.Errorf("%q doesn't say %q", errs.String(), want)
				}
			}
			if strings.Contains(errs.String(), "\r") {
				t.Errorf("a bar where nobody watches: %q", errs.String())
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".part") {
			t.Errorf("%s was left in the folder", e.Name())
		}
	}
}

func TestTheBarIsDrawnTenTimesASecondOnATerminalOnly(t *testing.T) {
	for _, watched := range []bool{true, false} {
		var out bytes.Buffer
		now := time.Unix(0, 0)
		p := &progress{out: &out, now: func() time.Time { return now }, bar: watched}
		for done := int64(0); done < 10_000_000; done += 10_000 { // a thousand reports in two seconds
			p.report(fetch.Progress{File: "model.safetensors", Done: done, Total: 10_000_000})
			now = now.Add(2 * time.Millisecond)
		}
		p.report(fetch.Progress{File: "model.safetensors", Done: 10_000_000, Total: 10_000_000, Finished: true})
		p.report(fetch.Progress{File: "config.json", Done: 271, Total: 271, Finished: true, Kept: true})
		const lines = "model.safetensors  10.0 MB  fetched\nconfig.json  271 bytes  was there already\n"
		drawn := strings.Count(out.String(), "[#") + strings.Count(out.String(), "[.")
		switch {
		case watched && drawn != 20:
			t.Errorf("the bar was drawn %d times in two seconds", drawn)
		case watched && !strings.Contains(out.String(), "[###############...............]  50%  5.0 MB of 10.0 MB  5.0 MB/s  1s left"):
			t.Errorf("no bar at the half: %q", out.String())
		case !watched && out.String() != lines:
			t.Errorf("without a terminal: %q", out.String())
		}
		if !strings.HasSuffix(out.String(), lines) {
			t.Errorf("the end is %q", out.String())
		}
	}
}
