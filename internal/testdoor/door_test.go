package testdoor_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const find = `{"name":"mail_find","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

func post(t *testing.T, d *testdoor.Door, body string) *http.Response {
	t.Helper()
	dressed, h, err := cases.Dress([]byte(body), wire.Modern, "")
	if err != nil {
		t.Fatal(err)
	}
	hr, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+testdoor.Host+testdoor.SearchPath+"?a=b", strings.NewReader(string(dressed)))
	if err != nil {
		t.Fatal(err)
	}
	hr.Header = h
	hr.Header.Set("X-Own", "kept")
	resp, err := d.RoundTrip(hr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestTheDoorOnlyCarriesOut(t *testing.T) {
	up := upstreamtest.New(t, find)
	d := testdoor.Open(t, up, nil)
	resp := post(t, d, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find"}}}`)
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"id":7`) || !strings.Contains(string(body), "mail_find ran") {
		t.Errorf("answer %d %s, %v", resp.StatusCode, body, err)
	}
	got := up.RequestsOf("tools/call")
	if len(got) != 1 || got[0].Host != testdoor.Host || got[0].Header.Get("X-Own") != "kept" || got[0].Header.Get("Mcp-Name") != "mail_find" || got[0].Path != testdoor.AggregatePath {
		t.Errorf("the upstream got %+v", got)
	}
	before := len(up.Requests())
	if resp := post(t, d, `{"jsonrpc":"2.0","id":8,"method":"tools/list"}`); resp.StatusCode != http.StatusOK || len(up.Requests()) != before {
		t.Errorf("answer %d, %d requests at the upstream", resp.StatusCode, len(up.Requests()))
	}
}

func TestAStreamedAnswerIsEditedAsItPasses(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Configure(func(b *upstreamtest.Behaviour) { b.SSE, b.Prime, b.Instructions = true, true, "Be kind." })
	d := testdoor.Open(t, up, nil)
	resp := post(t, d, `{"jsonrpc":"2.0","id":7,"method":"server/discover"}`)
	lines := bufio.NewScanner(resp.Body)
	var all []string
	for lines.Scan() {
		all = append(all, lines.Text())
	}
	text := strings.Join(all, "\n")
	if !strings.HasPrefix(text, "event: prime\nid: STREAM_0\n") || !strings.Contains(text, "search_tools finds tools") || !strings.Contains(text, `Be kind."`) {
		t.Errorf("stream:\n%s", text)
	}
}

func TestTheServedDoorAnswersTheSame(t *testing.T) {
	up := upstreamtest.New(t, find)
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find"}}}`
	want, err := io.ReadAll(post(t, testdoor.Open(t, up, nil), call).Body)
	if err != nil {
		t.Fatal(err)
	}
	s := testdoor.Serve(t, up, nil)
	dressed, h, err := cases.Dress([]byte(call), wire.Modern, "")
	if err != nil {
		t.Fatal(err)
	}
	hr, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(string(dressed)))
	if err != nil {
		t.Fatal(err)
	}
	hr.Header = h
	resp, err := s.Client.Do(hr)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != string(want) {
		t.Errorf("answer %s, %v; want %s", got, err, want)
	}
}
