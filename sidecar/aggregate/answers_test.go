package aggregate_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
)

func TestWhatCanNotBeActedOnIsSaid(t *testing.T) {
	a, b := sdk(t, true, echoes("a=a")), sdk(t, true, echoes("b=b"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	resp, _ := post(t, r.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	for name, tt := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"a cursor":                       {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, 200, `-32602,"message":"there is only one page`},
		"an unknown method":              {`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, 200, `-32601`},
		"a method of the other era":      {`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, 200, `-32601`},
		"a tool of nobody's":             {calls("nobody"), 200, `-32602,"message":"no server has this name`},
		"a call without a name":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, 200, "params.name is missing"},
		"a resource without an address":  {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}`, 200, "params.uri is missing"},
		"an address of nobody's":         {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://y"}}`, 200, "no server has this resource"},
		"completion of nothing":          {`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{}}}`, 200, "neither a prompt nor a resource"},
		"a response nobody waits for":    {`{"jsonrpc":"2.0","id":"x","result":{}}`, 400, "nothing waits for the response"},
		"a response for nobody's server": {`{"jsonrpc":"2.0","id":"x:1","result":{}}`, 400, `"id":null`},
		"a batch":                        {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "send each message as a request of its own"},
		"two names":                      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, 400, "-32600"},
		"ping is answered here":          {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `"result":{}`},
		"a level goes to all":            {`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, 200, `"result":{}`},
		"a notification is accepted":     {`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, 202, ""},
	} {
		t.Run(name, func(t *testing.T) {
			resp, text := post(t, r.url, id, tt.body)
			if resp.StatusCode != tt.status || !strings.Contains(text, tt.want) {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, text, tt.status, tt.want)
			}
		})
	}
	for method, want := range map[string]int{http.MethodPut: 405, http.MethodOptions: 405, http.MethodDelete: 400} {
		req, err := http.NewRequestWithContext(t.Context(), method, r.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if resp, _ := do(t, req); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", method, resp.StatusCode, want)
		}
	}
	for _, version := range []string{"2027-01-01", "2020-01-01", "newest"} {
		req := modernRequest(t, r.url, "ping", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		req.Header.Set("Mcp-Protocol-Version", version)
		if resp, text := do(t, req); resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, `"supported":["2026-07-28","2025-11-25"`) {
			t.Errorf("version %s: %d %s", version, resp.StatusCode, text)
		}
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"a","arguments":{}}}`
	resp, text := do(t, modernRequest(t, r.url, "tools/call", "b", body))
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, "-32020") {
		t.Errorf("another name in the header: %d %s", resp.StatusCode, text)
	}
}

func TestWhatTheMergedServerSaysOfItself(t *testing.T) {
	say := func(stateful bool, text string, build func(*mcp.Server)) string {
		return sdkWith(t, stateful, &mcp.ServerOptions{Instructions: text}, build).URL
	}
	list := []servers.Server{
		at("zeta", say(true, "# Keeps notes\n\nAnd more.", echoes("z=z"))),
		at("alpha", say(false, "A very long first sentence that goes on and on about what this server is good for, at length", echoes("a=a", "b=b"))),
		at("mute", say(true, "", echoes("m=m"))),
	}
	r := start(t, list)
	if _, err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var before string
	for range 3 {
		for name, version := range eras() {
			s := connect(t, r.url, nil, version)
			got := s.InitializeResult()
			want := "alpha: A very long first sentence that goes on and on about what… (2 tools)\nmute (1 tool)\nzeta: Keeps notes (1 tool)\n\n" +
				"[zeta]\n# Keeps notes\n\nAnd more.\n\n[alpha]\nA very long first sentence that goes on and on about what this server is good for, at length"
			if got.Instructions != want {
				t.Errorf("%s: instructions %q\nwant %q", name, got.Instructions, want)
			}
			if got.Capabilities.Tools == nil || got.ServerInfo.Name != "mcp-toolsearch" || got.ServerInfo.Version != "1.2.3" {
				t.Errorf("%s: %+v", name, got)
			}
			if before != "" && before != got.Instructions {
				t.Error("the same servers say something else")
			}
			before = got.Instructions
		}
	}
}
