package inverseshim_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcp-toolsearch/internal/inverseshim"
)

func TestOnlyNameAndArgumentsChange(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"arguments after the name",
			`{"jsonrpc":"2.0", "id":18446744073709551615,"method":"tools/call","params":{"_meta":{"x":1.0},"name":"a b","arguments":{"n":1.0, "big":9007199254740993}}}`,
			`{"jsonrpc":"2.0", "id":18446744073709551615,"method":"tools/call","params":{"_meta":{"x":1.0},"name":"call_write_tool","arguments":{"name":"a b","arguments":{"n":1.0, "big":9007199254740993}}}}`},
		{"arguments before the name",
			`{"method":"tools/call","params":{"arguments":[1] ,"name" : "x","requestState":"s"},"id":"1"}`,
			`{"method":"tools/call","params":{"arguments":{"name":"x","arguments":[1]} ,"name" : "call_write_tool","requestState":"s"},"id":"1"}`},
		{"no arguments",
			`{"params":{"name":"x"},"method":"tools/call"}`,
			`{"params":{"name":"call_write_tool","arguments":{"name":"x"}},"method":"tools/call"}`},
		{"a name that is no string stays what it is",
			`{"params":{"name":7},"method":"tools/call"}`,
			`{"params":{"name":"call_write_tool","arguments":{"name":7}},"method":"tools/call"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := inverseshim.Rewrite([]byte(tt.body))
			if !ok || string(got) != tt.want {
				t.Errorf("%t\n got %s\nwant %s", ok, got, tt.want)
			}
		})
	}
}

func TestOthersPassUnchanged(t *testing.T) {
	for _, body := range []string{
		``, `{`, `[]`, `"x"`, `{"method":"tools/list","params":{"name":"x"}}`, `{"method":"tools/call"}`, `{"method":"tools/call","params":[]}`,
		`{"method":"tools/call","params":{}}`, `{"method":"tools/call","params":{"name":"x"}`, `{"method":"tools/call","method":"tools/call","params":{"name":"x"}}`,
	} {
		if got, ok := inverseshim.Rewrite([]byte(body)); ok {
			t.Errorf("%s became %s", body, got)
		}
		_, arrived := through(t, http.MethodPost, body, nil)
		if want := "search " + body; arrived != want && !strings.Contains(body, "tools/list") {
			t.Errorf("%q arrived, want %q", arrived, want)
		}
	}
	if _, arrived := through(t, http.MethodGet, "", nil); arrived != "search " {
		t.Errorf("a GET arrived as %q", arrived)
	}
	if _, arrived := through(t, http.MethodPost, `{"method":"tools/list"}`, nil); arrived != `list {"method":"tools/list"}` {
		t.Errorf("tools/list arrived as %q", arrived)
	}
}

func TestAWrongNameStaysWrong(t *testing.T) {
	const body = `{"method":"tools/call","params":{"name":"x"}}`
	for _, tt := range []struct {
		name string
		sent []string
		want []string
	}{
		{"the right one is exchanged", []string{"x"}, []string{"call_write_tool"}},
		{"with white space", []string{" x\t"}, []string{"call_write_tool"}},
		{"a wrong one stays", []string{"y"}, []string{"y"}},
		{"two stay", []string{"x", "x"}, []string{"x", "x"}},
		{"none stays none", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := through(t, http.MethodPost, body, tt.sent)
			if strings.Join(got.Values("Mcp-Name"), "|") != strings.Join(tt.want, "|") {
				t.Errorf("Mcp-Name %q, want %q", got.Values("Mcp-Name"), tt.want)
			}
		})
	}
}

// through sends a request through the shim and tells what arrived, and at which of the two targets.
func through(t *testing.T, method, body string, mcpName []string) (http.Header, string) {
	t.Helper()
	var header http.Header
	var arrived string
	target := func(name string) *url.URL {
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			content, _ := io.ReadAll(r.Body)
			header, arrived = r.Header, name+" "+string(content)
		}))
		t.Cleanup(s.Close)
		u, err := url.Parse(s.URL + "/mcp/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	shim := httptest.NewServer(inverseshim.New(target("search"), target("list")))
	t.Cleanup(shim.Close)
	req, err := http.NewRequestWithContext(t.Context(), method, shim.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range mcpName {
		req.Header.Add("Mcp-Name", v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return header, arrived
}
