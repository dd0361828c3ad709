package upstreamtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"mcp-toolsearch/internal/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const find = `{"name":"mail_find","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

// TestARealClientGetsAlong holds the scripted server to the protocol: go-sdk's
// client lists and calls it in both eras.
func TestARealClientGetsAlong(t *testing.T) {
	for name, change := range map[string]func(*upstreamtest.Behaviour){
		"both eras":                func(*upstreamtest.Behaviour) {},
		"modern only, streams":     func(b *upstreamtest.Behaviour) { b.Eras, b.SSE = upstreamtest.ModernOnly, true },
		"legacy only, with prime":  func(b *upstreamtest.Behaviour) { b.Eras, b.SSE, b.Prime = upstreamtest.LegacyOnly, true, true },
		"legacy without sessions":  func(b *upstreamtest.Behaviour) { b.Eras, b.Stateless = upstreamtest.LegacyOnly, true },
		"legacy, pages, in chunks": func(b *upstreamtest.Behaviour) { b.Eras, b.PageSize, b.Chunked = upstreamtest.LegacyOnly, 1, true },
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, find, strings.Replace(find, "find", "read", 1))
			up.Configure(change)
			tr := &http.Transport{}
			defer tr.CloseIdleConnections()
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
			s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: up.URL(), HTTPClient: &http.Client{Transport: tr}, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			n := 0
			for _, err := range s.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "mail_find"})
			if err != nil || n != 2 || r.Content[0].(*mcp.TextContent).Text != "mail_find ran" {
				t.Errorf("%d tools, result %v, error %v", n, r, err)
			}
			if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "nobody"}); err == nil {
				t.Errorf("an unknown tool ran")
			}
		})
	}
}

func post(t *testing.T, up *upstreamtest.Server, authorization, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, up.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

const listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestCatalogsFaultsAndRecords(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	up.SetToolsFor("Bearer b", `{"name":"only_b"}`)
	if _, body := post(t, up, "Bearer a", listing); !strings.Contains(body, find) {
		t.Errorf("caller a got %s", body)
	}
	if _, body := post(t, up, "Bearer b", listing); strings.Contains(body, "mail_find") || !strings.Contains(body, "only_b") {
		t.Errorf("caller b got %s", body)
	}

	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Skip: 1, Times: 1})
	for i, want := range []int{200, 500, 200} {
		if status, _ := post(t, up, "", listing); status != want {
			t.Errorf("request %d: status %d, want %d", i, status, want)
		}
	}
	if got := up.RequestsOf("tools/list"); len(got) != 5 || string(got[0].ID) != "1" || got[1].Header.Get("Authorization") != "Bearer b" {
		t.Errorf("recorded %v", got)
	}
	up.Reset()
	if len(up.Requests()) != 0 {
		t.Errorf("Reset kept requests")
	}
}

func TestClosingEndsWhatHangs(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Hang})
	arrived := up.Changed()
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, up, "", listing)
	}()
	<-arrived
	up.Close()
	<-done // the test's own time ends it when it doesn't
	if n := len(up.Requests()); n != 1 {
		t.Errorf("%d requests recorded, want 1", n)
	}
}
