package wire_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/sidecar/wire"
)

// pythonReading is one line of testdata/differential.py.
type pythonReading struct {
	Kind, Method string
	Name         *string
	ID           json.RawMessage
	Arguments    []string
}

func TestPythonSDKReadsTheSame(t *testing.T) {
	t.Parallel()
	python, path := fixtures.Python(t), fixtures.PythonPath(t)
	all := bodies(t)
	var in bytes.Buffer
	for _, body := range all {
		in.WriteString(base64.StdEncoding.EncodeToString(body) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/differential.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("testdata/differential.py: %v", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<26)
	compared := 0
	for _, body := range all {
		if !lines.Scan() {
			t.Fatal("the script ended early")
		}
		var readings map[string]*pythonReading
		if err := json.Unmarshal(lines.Bytes(), &readings); err != nil {
			t.Fatal(err)
		}
		m, fault := wire.Scan(body, wire.DefaultLimits())
		if fault != nil || m.Kind == wire.Batch {
			continue
		}
		for way, r := range readings {
			if r != nil {
				compared++
				pythonReadsTheSame(t, way, r, m)
			}
		}
	}
	if compared < 1500 {
		t.Errorf("Python read %d of the accepted bodies; this compares too little", compared)
	}
}

func pythonReadsTheSame(t *testing.T, way string, r *pythonReading, m *wire.Message) {
	t.Helper()
	kinds := map[string]wire.Kind{"JSONRPCRequest": wire.Request, "JSONRPCNotification": wire.Notification, "JSONRPCResponse": wire.Response, "JSONRPCError": wire.Response}
	if kind, ok := kinds[r.Kind]; !ok || kind != m.Kind {
		t.Errorf("%s: Python reads a %s, we kind %d: %q", way, r.Kind, m.Kind, m.Body)
		return
	}
	if r.Method != m.Method || !sameToken(r.ID, m.ID) {
		t.Errorf("%s: Python reads %q with id %s, we %q with id %s: %q", way, r.Method, r.ID, m.Method, m.ID, m.Body)
	}
	want := m.Name
	if m.Method == "resources/read" {
		want = m.URI
	}
	if r.Name != nil && *r.Name != want {
		t.Errorf("%s: Python reads the name %q, we %q: %q", way, *r.Name, want, m.Body)
	}
	if r.Arguments == nil {
		return
	}
	var keys []string
	fields, err := wire.Fields(m.Arguments.In(m.Body))
	for _, f := range fields {
		keys = append(keys, f.Key)
	}
	slices.Sort(keys)
	if err != nil || !slices.Equal(keys, r.Arguments) {
		t.Errorf("%s: Python reads the arguments %q, we %q (%v): %q", way, r.Arguments, keys, err, m.Body)
	}
}

// sameToken compares two JSON tokens, of which strings may be spelled in two
// ways.
func sameToken(a, b []byte) bool {
	text, ok := wire.String(a)
	if !ok {
		return bytes.Equal(a, b)
	}
	other, ok := wire.String(b)
	return ok && text == other
}

// bodies are all inputs worth comparing readers on: the refusals, the
// recordings, edge cases, generated messages and what fuzzing has kept.
func bodies(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, r := range refusals() {
		all = append(all, []byte(r.body))
	}
	for _, r := range recordings(t) {
		if len(r.body) > 0 {
			all = append(all, r.body)
		}
	}
	for _, text := range append(edgeCases(), generated(2026, 4000)...) {
		all = append(all, []byte(text))
	}
	return append(all, corpus(t, "FuzzScan")...)
}

// edgeCases are accepted, but on the edge of what readers agree on.
func edgeCases() []string {
	edges := []string{
		`{"jsonrpc":"2\u002e0","id":1,"method":"tools\/call","params":{"n\u0061me":"\u0065cho","\u0061rguments":{"\u0061":"\ud83d\ude00"}}}`,
		`{"params":{"arguments":{},"name":"echo"},"method":"tools/call","id":"1","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL","params":{"name":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"a"}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\\u0000\",\"params\":{\"name\":\"a\"}}",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"HTTP://Example.COM/%7e?a b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","arguments":{"a":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"result":"x"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
		"\t\r\n {\"jsonrpc\":\"2.0\" ,\r\n\"id\" :1,\"method\":\"tools/list\"}\n",
		call(`{"name":""}`),
		call(`{"name":null}`),
		call(`{"name":"a","arguments":null}`),
		call(`{"name":"a","arguments":[1]}`),
		call(`{"name":"a","arguments":{"x":1e400,"y":123456789012345678901234567890,"z":-0.0}}`),
		call(`{"name":"a\u0000b","arguments":{"":1,"\u0000":2}}`),
		call(`{"name":"a","_meta":null}`),
		call(`{"name":"a","_meta":{"progressToken":1.5}}`),
		call("{\"name\":\"\u2028\ufeff\u200b\u202e\"}"),
		call(`{"name":"a","arguments":{"x":` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}}`),
		call(`{"name":"` + strings.Repeat("n", 5000) + `"}`),
	}
	for _, id := range []string{`9007199254740991`, `-9007199254740991`, `0`, `"0"`, `"\u0031"`, `""`, `"1e3"`, `"null"`, `"é"`} {
		edges = append(edges, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	}
	return edges
}
