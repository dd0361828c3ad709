package member

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// recorded is the answer of a real server, as package wire keeps it.
type recorded struct {
	status int
	header http.Header
	body   []byte
}

func recordedAnswer(t *testing.T, name string) recorded {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "wire", "testdata", "wire", name+".http"))
	if err != nil {
		t.Fatal(err)
	}
	_, response, _ := bytes.Cut(raw, []byte("<<< response\n"))
	head, answer, _ := bytes.Cut(response, []byte("\n\n"))
	head = withoutFraming(head)
	resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\n\n"), bytes.NewReader(answer))), nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer resp.Body.Close()
	return recorded{status: resp.StatusCode, header: resp.Header, body: answer}
}

// withoutFraming takes out how the body was framed on the wire.
func withoutFraming(head []byte) []byte {
	var kept [][]byte
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		name, _, _ := bytes.Cut(bytes.ToLower(line), []byte(":"))
		switch string(name) {
		case "transfer-encoding", "content-length", "connection", "date":
		default:
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, []byte("\n"))
}

// answerTo is the body as the answer to a request of another id.
func (r recorded) answerTo(id []byte) []byte {
	if mediaType(r.header) != "text/event-stream" {
		return withOtherID(bytes.TrimSpace(r.body), id)
	}
	var out []byte
	rest := append(bytes.TrimSpace(r.body), "\n\n"...)
	for {
		ev, more, ok := wire.FirstEvent(rest)
		if !ok {
			return out
		}
		rest = more
		if len(ev.Data) == 0 {
			out = append(out, ev.Raw...)
			continue
		}
		out = append(out, ev.WithData(withOtherID(ev.Data, id))...)
	}
}

func withOtherID(message, id []byte) []byte {
	a, err := wire.ScanAnswer(message)
	if err != nil || a.Method != "" || id == nil || wire.IsNull(a.ID) {
		return message
	}
	changed, err := wire.SetField(message, "id", id)
	if err != nil {
		return message
	}
	return changed
}

// replay is a server that answers each method as a real one once did.
func replay(t *testing.T, answers map[string]string) (url string, requests func() string) {
	t.Helper()
	loaded := map[string]recorded{}
	for method, name := range answers {
		loaded[method] = recordedAnswer(t, name)
	}
	seen := make(chan string, 64)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		method, _ := wire.String(member(raw, "method"))
		seen <- r.Method + " " + method
		answer, ok := loaded[method]
		if !ok {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		for name, values := range answer.header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.answerTo(member(raw, "id")))
	}))
	t.Cleanup(web.Close)
	return web.URL, func() string {
		var all []string
		for len(seen) > 0 {
			all = append(all, <-seen)
		}
		return strings.Join(all, "; ")
	}
}

func TestErasOfRecordedServers(t *testing.T) {
	for name, tc := range map[string]struct {
		answers map[string]string
		want    wire.Era
		says    string
	}{
		"a stateful Go server answers discover with legacy versions": {map[string]string{"server/discover": "fallback-go-discover", "initialize": "fallback-go-initialize"}, wire.Legacy, ""},
		"a Go server refuses the version":                            {map[string]string{"server/discover": "edge-go-modern-on-stateful", "initialize": "legacy-go-initialize"}, wire.Legacy, "Sample upstream."},
		"a legacy Python server misses a session":                    {map[string]string{"server/discover": "edge-py-missing-version-header", "initialize": "legacy-pysrv-initialize"}, wire.Legacy, ""},
		"a Python client's fallback":                                 {map[string]string{"server/discover": "fallback-py-discover", "initialize": "fallback-py-initialize"}, wire.Legacy, ""},
		"a modern Go server":                                         {map[string]string{"server/discover": "modern-go-discover"}, wire.Modern, "Sample upstream."},
		"a modern Python server":                                     {map[string]string{"server/discover": "modern-pysrv-discover"}, wire.Modern, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url, requests := replay(t, tc.answers)
			d, err := newMember(t, url, nil).Describe(t.Context(), modernClient("k"))
			if err != nil || d.Era != tc.want || d.Capabilities == nil || d.ServerInfo == nil || tc.says != "" && d.Instructions != tc.says {
				t.Errorf("%+v, %v after %s", d, err, requests())
			}
		})
	}
}

func TestRecordedQuestions(t *testing.T) {
	url, _ := replay(t, map[string]string{"server/discover": "edge-go-modern-on-stateful", "initialize": "legacy-go-initialize", "tools/call": "legacy-go-elicitation-1"})
	_, _, text := post(t, session(t, newMember(t, url, nil), modernClient("k"), ""), call(wire.Modern, "1", "ask", "{}"))
	stateOf(t, text)
	if !strings.Contains(text, `"method":"elicitation/create","params":{"mode":"form","message":"Name?"`) {
		t.Errorf("asked %s", text)
	}

	url, _ = replay(t, map[string]string{"server/discover": "modern-go-discover", "initialize": "edge-go-unsupported-version", "tools/call": "modern-go-mrtr-1"})
	a, err := session(t, newMember(t, url, nil), legacyClient("k"), "").Post(t.Context(), call(wire.Legacy, "1", "ask", "{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if got := (&events{t, bufio.NewReader(a.Body)}).next(); !strings.Contains(got, `"method":"elicitation/create","params":{"mode":"form","message":"Name?"`) {
		t.Errorf("asked %s", got)
	}
}

func TestRecordedLostSessions(t *testing.T) {
	for _, name := range []string{"edge-go-unknown-session", "edge-py-delete-unknown-session"} {
		url, requests := replay(t, map[string]string{"initialize": "legacy-go-initialize", "tools/call": name})
		a, err := session(t, newMember(t, url, nil), legacyClient("k"), "").Post(t.Context(), call(wire.Legacy, "1", "find", "{}"), nil)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if got := requests(); strings.Count(got, "initialize") != 4 || strings.Count(got, "tools/call") != 2 || a.Status != 404 {
			t.Errorf("%s: %d after %s", name, a.Status, got)
		}
	}
}
