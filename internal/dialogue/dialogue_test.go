package dialogue_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/dialogue"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

var update = flag.Bool("update-dialogues", false, "write what comes back through the in-process door into the dialogues")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// doors are the ways in which decisions are carried out in this process. The first one writes the files.
func doors() map[string]func(*testing.T, *upstreamtest.Server) dialogue.Door {
	return map[string]func(*testing.T, *upstreamtest.Server) dialogue.Door{
		"in process": func(t *testing.T, up *upstreamtest.Server) dialogue.Door {
			d := testdoor.Open(t, up, nil)
			return ending(t, &dialogue.HTTP{Do: d.RoundTrip, URL: "http://" + testdoor.Host + testdoor.SearchPath, Authorization: "Bearer one"})
		},
		"HTTP": func(t *testing.T, up *upstreamtest.Server) dialogue.Door {
			s := testdoor.Serve(t, up, nil)
			return ending(t, &dialogue.HTTP{Do: s.Client.Do, URL: s.URL, Authorization: "Bearer one"})
		},
		"stdio": func(t *testing.T, up *upstreamtest.Server) dialogue.Door {
			in, out := testdoor.Stdio(t, up, nil)
			return dialogue.NewPipe(in, out)
		},
	}
}

// ending ends a door's session with the test.
func ending(t *testing.T, d *dialogue.HTTP) dialogue.Door {
	t.Cleanup(func() {
		if err := d.End(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestDialoguesInProcess(t *testing.T) {
	files, err := filepath.Glob("../../e2e/testdata/parity/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("dialogues: %q, %v", files, err)
	}
	for _, path := range files {
		f, err := dialogue.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
			if !f.Plays(era) {
				continue
			}
			for name, open := range doors() {
				if *update && name != "in process" {
					continue
				}
				t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+era.String()+"/"+name, func(t *testing.T) {
					f.Play(t, era, open(t, f.Serve(t, era)), *update)
				})
			}
		}
	}
}

func load(t *testing.T, content string) (*dialogue.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return dialogue.Load(path)
}

func TestAnUnknownSectionIsAnError(t *testing.T) {
	for name, content := range map[string]string{
		"another section": "-- ask.jsonl --\n{}\n-- asked.jsonl --\n{}\n",
		"another field":   "-- ask.jsonl --\n{}\n-- upstream.json --\n{\"sees\":true}\n",
		"nothing asked":   "-- tools.jsonl --\n{}\n",
	} {
		if _, err := load(t, content); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestADialogueWithoutAnswersFails(t *testing.T) {
	f, err := load(t, "-- ask.jsonl --\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n")
	if err != nil {
		t.Fatal(err)
	}
	d := testdoor.Open(t, f.Serve(t, wire.Modern), nil)
	through := &dialogue.HTTP{Do: d.RoundTrip, URL: "http://" + testdoor.Host + testdoor.SearchPath}
	if problem := f.Problem(t.Context(), wire.Modern, through); !strings.Contains(problem, "modern.jsonl") {
		t.Errorf("problem %q", problem)
	}
	silent := &dialogue.HTTP{URL: "http://x", Do: func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
	}}
	if problem := f.Problem(t.Context(), wire.Modern, silent); !strings.Contains(problem, "without a message") {
		t.Errorf("problem %q", problem)
	}
}
