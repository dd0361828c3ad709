package relay_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

func TestOrigins(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, func(o *relay.Options) {
		o.AllowedOrigins = []string{"https://App.example.com", "http://intranet:8080", "https://other.example.com:443"}
		o.AllowedHosts = []string{"tools.example.com"}
	}, nil)
	for name, tt := range map[string]struct {
		origin []string
		host   string
		status int
	}{
		"no browser":                             {nil, "", 200},
		"a listed page":                          {[]string{"https://app.example.com"}, "", 200},
		"a listed page with a port":              {[]string{"http://intranet:8080"}, "", 200},
		"a listed page with its scheme's port":   {[]string{"https://other.example.com"}, "", 200},
		"a listed page on another port":          {[]string{"https://app.example.com:8443"}, "", 403},
		"a listed page without TLS":              {[]string{"http://app.example.com"}, "", 403},
		"a page below a listed one":              {[]string{"https://x.app.example.com"}, "", 403},
		"a foreign page":                         {[]string{"https://evil.example"}, "", 403},
		"a page without an origin of its own":    {[]string{"null"}, "", 403},
		"an empty origin":                        {[]string{""}, "", 403},
		"two origins":                            {[]string{"https://app.example.com", "https://evil.example"}, "", 403},
		"a page of this machine":                 {[]string{"http://localhost:6274"}, "", 200},
		"a page of this machine by its address":  {[]string{"http://[::1]:1"}, "localhost:1", 200},
		"a page of this machine, from elsewhere": {[]string{"http://localhost:6274"}, "tools.example.com", 403},
		"a page that looks like this machine's":  {[]string{"http://localhost.evil.example"}, "", 403},
		"an origin with a path":                  {[]string{"http://localhost:6274/"}, "", 403},
		"an origin with a user":                  {[]string{"http://me@localhost"}, "", 403},
		"an origin with a query":                 {[]string{"http://localhost?"}, "", 403},
		"an origin with a fragment":              {[]string{"http://localhost#"}, "", 403},
		"an origin in capitals":                  {[]string{"HTTP://LOCALHOST:6274"}, "", 403},
		"a listed page in capitals":              {[]string{"https://APP.example.com"}, "", 403},
		"an origin with its scheme's port":       {[]string{"http://localhost:80"}, "", 403},
		"an origin with an empty port":           {[]string{"http://localhost:"}, "", 403},
		"an origin with a port with zeros":       {[]string{"http://localhost:06274"}, "", 403},
		"a page of an app's own scheme":          {[]string{"vscode-webview://localhost"}, "", 403},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				got := r.send(t, era, list, func(hr *http.Request) {
					if tt.origin != nil {
						hr.Header["Origin"] = tt.origin
					}
					hr.Host = tt.host
				})
				if tt.status != http.StatusOK {
					got.mustFail(t, tt.status, "--allowed-origins")
				}
				want := ""
				if tt.status == http.StatusOK && tt.origin != nil {
					want = tt.origin[0]
				}
				if got.status != tt.status || got.header.Get("Access-Control-Allow-Origin") != want {
					t.Errorf("HTTP %d, allowed %q; want %d, %q", got.status, got.header.Get("Access-Control-Allow-Origin"), tt.status, want)
				}
			})
		})
	}
}

func TestHosts(t *testing.T) {
	up := upstreamtest.New(t, find)
	inner := testdoor.Open(t, up, nil)
	for name, tt := range map[string]struct {
		loopback bool
		allowed  []string
		host     string
		status   int
	}{
		"loopback by name":                         {true, nil, "localhost:8092", 200},
		"loopback by name, in capitals":            {true, nil, "LOCALHOST", 200},
		"loopback by address":                      {true, nil, "127.0.0.1:8092", 200},
		"loopback by another of its addresses":     {true, nil, "127.1.2.3", 200},
		"loopback by its IPv6 address":             {true, nil, "[::1]:8092", 200},
		"loopback by a name that was bound to it":  {true, nil, "evil.example:8092", 403},
		"loopback by a name that looks like it":    {true, nil, "127.0.0.1.evil.example", 403},
		"loopback by a listed name":                {true, []string{"tools.example.com"}, "tools.example.com:8092", 200},
		"loopback by its own name beside a list":   {true, []string{"tools.example.com"}, "localhost", 200},
		"loopback without a name":                  {true, nil, "", 403},
		"beyond loopback by any name":              {false, nil, "anything:1", 200},
		"beyond loopback by a listed name":         {false, []string{"tools.example.com"}, "Tools.Example.com:443", 200},
		"beyond loopback by a listed name, a port": {false, []string{"tools.example.com:8443"}, "tools.example.com:8443", 200},
		"beyond loopback by another port":          {false, []string{"tools.example.com:8443"}, "tools.example.com", 403},
		"beyond loopback by another name":          {false, []string{"tools.example.com"}, "evil.example", 403},
		"beyond loopback by a loopback name":       {false, []string{"tools.example.com"}, "localhost", 403},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := relay.New(relay.Options{Engine: inner.Engine, Observer: &seen{}, Logger: slog.New(slog.DiscardHandler), Upstream: up.Origin(), Transport: http.DefaultTransport,
				Routes: []sidecar.Route{{Search: testdoor.SearchPath, Aggregate: testdoor.AggregatePath}}, Loopback: tt.loopback, AllowedHosts: tt.allowed})
			if err != nil {
				t.Fatal(err)
			}
			hr := httptest.NewRequest(http.MethodPost, testdoor.SearchPath, strings.NewReader(list))
			hr.Host = tt.host
			w := httptest.NewRecorder()
			d.ServeHTTP(w, hr)
			if w.Code != tt.status || tt.status == 403 && !strings.Contains(w.Body.String(), "--allowed-hosts") {
				t.Errorf("HTTP %d %s, want %d", w.Code, w.Body, tt.status)
			}
		})
	}
}

func TestListsThatCantBeMeant(t *testing.T) {
	for _, origin := range []string{"", "*", "https://*.example.com", "example.com", "https://example.com/path", "https://me@example.com", "null"} {
		if relay.CheckOrigins([]string{origin}) == nil {
			t.Errorf("the origin %q is taken", origin)
		}
	}
	for _, host := range []string{"", "*", "*.example.com", "https://example.com", "example.com/path", "a b"} {
		if relay.CheckHosts([]string{host}) == nil {
			t.Errorf("the host %q is taken", host)
		}
	}
	if err := relay.CheckOrigins([]string{"https://a.example", " http://b:1/ "}); err != nil {
		t.Error(err)
	}
	if err := relay.CheckHosts([]string{"a.example", "b:1", "[::1]", "[::1]:80"}); err != nil {
		t.Error(err)
	}
}

func TestABrowserMayAskFirst(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, func(o *relay.Options) { o.AllowedOrigins = []string{"https://app.example.com"} }, nil)
	ask := func(origin string) answer {
		return r.send(t, wire.Modern, list, func(hr *http.Request) {
			hr.Method, hr.Body, hr.ContentLength = http.MethodOptions, nil, 0
			hr.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization,mcp-param-q"}}
		})
	}
	got := ask("https://app.example.com")
	if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" ||
		got.header.Get("Access-Control-Allow-Headers") != "authorization,mcp-param-q" || !strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "DELETE") {
		t.Errorf("HTTP %d, %v", got.status, got.header)
	}
	ask("https://evil.example").mustFail(t, http.StatusForbidden, "--allowed-origins")
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d questions reached the upstream", n)
	}
}

func TestAnUpstreamsOwnBrowserHeadersSayNothing(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Fail("ping", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Body: `{"jsonrpc":"2.0","id":7,"result":{}}`,
		Header: http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Allow-Credentials": {"true"}}})
	r := open(t, up, nil, nil)
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	if got := r.send(t, wire.Legacy, ping); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("HTTP %d, %v", got.status, got.header)
	}
	got := r.send(t, wire.Legacy, ping, set("Origin", "http://localhost:1"))
	if allowed := got.header.Values("Access-Control-Allow-Origin"); len(allowed) != 1 || allowed[0] != "http://localhost:1" || got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("HTTP %d, %v", got.status, got.header)
	}
}
