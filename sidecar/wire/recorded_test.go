package wire_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// recording is one exchange under testdata/wire.
type recording struct {
	name   string
	header http.Header
	body   []byte
	status int
	answer []byte // may be cut short by the recorder
}

func recordings(t testing.TB) []recording {
	t.Helper()
	files, err := filepath.Glob("testdata/wire/*.http")
	if err != nil || len(files) < 100 {
		t.Fatalf("got %d recordings (%v), want them all", len(files), err)
	}
	var all []recording
	for _, f := range files {
		all = append(all, readRecording(t, f))
	}
	return all
}

func readRecording(t testing.TB, file string) recording {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(raw, []byte(">>> request\n"))
	request, response, ok := bytes.Cut(rest, []byte("\n<<< response\n"))
	if !ok {
		t.Fatalf("%s: no request and response", file)
	}
	r := recording{name: strings.TrimSuffix(filepath.Base(file), ".http")}
	// A request without a body lost one of its line breaks to the cut.
	request = append(bytes.Clone(request), '\n')
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r.header = req.Header
	if r.body, err = io.ReadAll(req.Body); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	head, answer, _ := bytes.Cut(response, []byte("\n\n"))
	r.answer = answer
	line, _, _ := strings.Cut(string(head), "\n")
	if fields := strings.Fields(line); len(fields) > 1 {
		for _, c := range fields[1] {
			r.status = r.status*10 + int(c-'0')
		}
	}
	return r
}

// judge is what this package says to a recorded request: "" or the reason of
// the fault.
func judge(r recording) string {
	era, _, fault := wire.EraOf(r.header)
	if fault != nil {
		return fault.Reason
	}
	if fault := wire.CheckEncoding(r.header); fault != nil {
		return fault.Reason
	}
	m, fault := wire.Scan(r.body, wire.DefaultLimits())
	if fault != nil {
		return fault.Reason
	}
	if fault := wire.CheckEra(era, m); fault != nil {
		return fault.Reason
	}
	if era == wire.Modern {
		if fault := wire.CheckHeaders(r.header, m); fault != nil {
			return fault.Reason
		}
	}
	return ""
}

func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	// What a server refused for other reasons than the message and its routing
	// headers (host, session, version, method, tool) isn't refused here.
	refused := map[string]string{
		"batch-modern":                 "batch",
		"deep-1100":                    "too_deep",
		"header-body-version-mismatch": "header_mismatch",
		"initialize-modern-header":     "missing_meta",
		"mcp-method-mismatch":          "header_mismatch",
		"mcp-name-mismatch":            "header_mismatch",
		"missing-client-capabilities":  "missing_meta",
		"missing-mcp-method":           "header_missing",
		"missing-meta-serverdiscover":  "missing_meta",
		"missing-meta":                 "missing_meta",
		"missing-version-header":       "header_mismatch",
		// The Go server takes the first of the two and runs it.
		"two-mcp-name-headers": "header_repeated",
	}
	for _, r := range recordings(t) {
		if len(r.body) == 0 {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			edge, isEdge := strings.CutPrefix(r.name, "edge-")
			want := ""
			if isEdge {
				want = refused[edge[3:]]
			}
			if got := judge(r); got != want {
				t.Errorf("server answered %d; got %q, want %q", r.status, got, want)
			}
		})
	}
}

func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, r := range recordings(t) {
		if bytes.Contains(r.answer, []byte("[cut]")) || strings.HasPrefix(r.name, "edge-py-batch-20") {
			continue // the recorder kept a part of it only
		}
		for _, message := range answersIn(t, r.answer) {
			a, err := wire.ScanAnswer(message)
			if err != nil {
				t.Errorf("%s: %v", r.name, err)
				continue
			}
			seen++
			if a.Result.Absent() && a.Error.Absent() && a.Method == "" {
				t.Errorf("%s: neither result, error nor method was found", r.name)
			}
			// The Go server gives some errors the code 0.
			if !a.Error.Absent() && a.ErrorMessage == "" {
				t.Errorf("%s: error without message", r.name)
			}
		}
	}
	if seen < 80 {
		t.Errorf("read %d recorded messages, want most of them", seen)
	}
}

// answersIn returns the whole messages of a recorded answer, JSON or events.
func answersIn(t testing.TB, answer []byte) [][]byte {
	t.Helper()
	if wire.IsObject(answer) {
		return [][]byte{answer}
	}
	var messages [][]byte
	for {
		ev, rest, ok := wire.FirstEvent(answer)
		if !ok {
			return messages
		}
		if len(ev.Data) > 0 {
			messages = append(messages, ev.Data)
		}
		answer = rest
	}
}
