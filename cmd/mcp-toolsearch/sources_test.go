package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// settingsFor are the settings of variables, as serve sees them.
func settingsFor(t *testing.T, environ ...string) *Settings {
	t.Helper()
	s, err := load(given{}, environ)
	if err != nil {
		t.Fatal(err)
	}
	s.adoptPath()
	return &s
}

func TestWhereTheHTTPDoorIs(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"a gateway alone", []string{"TOOLSEARCH_UPSTREAM=http://g:1"}, ""},
		{"a gateway, and a port that the platform sets", []string{"TOOLSEARCH_UPSTREAM=http://g:1", "PORT=9000"}, ""},
		{"a gateway, and a port that is ours", []string{"TOOLSEARCH_UPSTREAM=http://g:1", "TOOLSEARCH_PORT=9000"}, ":9000"},
		{"what Kubernetes sets for a Service", []string{"TOOLSEARCH_UPSTREAM=http://g:1", "TOOLSEARCH_PORT=tcp://10.0.0.1:80"}, ""},
		{"a whole URL", []string{"TOOLSEARCH_UPSTREAM=http://g:1/mcp/all"}, "127.0.0.1:8092"},
		{"a whole URL and a port", []string{"TOOLSEARCH_UPSTREAM=http://g:1/mcp/all", "PORT=9000"}, ":9000"},
		{"servers of variables", []string{"UPSTREAMS=http://a/mcp"}, ":8092"},
		{"servers of variables and a port", []string{"UPSTREAM_URLS=http://a/mcp", "PORT=9000"}, ":9000"},
		{"an address wins", []string{"UPSTREAMS=http://a/mcp", "PORT=9000", "TOOLSEARCH_LISTEN=127.0.0.1:1"}, "127.0.0.1:1"},
		{"a file of servers", []string{"TOOLSEARCH_CONFIG=mcp.json"}, "127.0.0.1:8092"},
		{"a file of servers and a port", []string{"TOOLSEARCH_CONFIG=mcp.json", "PORT=9000"}, ":9000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := settingsFor(t, c.environ...).listen(); got != c.want {
				t.Errorf("it listens on %q, want %q", got, c.want)
			}
		})
	}
}

func TestAWholeURLIsOneAggregateRoute(t *testing.T) {
	s := settingsFor(t, "TOOLSEARCH_UPSTREAM=http://g:1/mcp")
	if s.Upstream != "http://g:1" || len(s.Routes) != 1 || s.Routes[0].Aggregate != "/mcp" {
		t.Errorf("upstream %s, routes %v", s.Upstream, s.Routes)
	}
	if routes := s.routes(); len(routes) != 2 || routes[1].Search != "/mcp" || routes[1].Aggregate != "/mcp" {
		t.Errorf("the door's routes are %v", routes)
	}
	for _, upstream := range []string{"http://g:1", "http://g:1/", "http://g:1/a//b", "http://g:1/a?b", "http://g:1/a#b", "http://me@g:1/a"} {
		if s := settingsFor(t, "TOOLSEARCH_UPSTREAM="+upstream); s.Upstream != upstream {
			t.Errorf("%s became %s", upstream, s.Upstream)
		}
	}
	if s := settingsFor(t, "TOOLSEARCH_UPSTREAM=http://g:1/a", "TOOLSEARCH_ROUTES=/x=/y"); s.Upstream != "http://g:1/a" {
		t.Error("a path counts beside --routes")
	}
}

func TestHowLongMergedToolsAreFresh(t *testing.T) {
	for _, c := range []struct {
		environ  []string
		operator bool
		want     time.Duration
	}{
		{nil, true, 30 * time.Minute},
		{nil, false, 10 * time.Minute},
		{[]string{"TOOLSEARCH_CATALOG_TTL=5m"}, true, 5 * time.Minute},
		{[]string{"CATALOG_TTL_SEC=60"}, true, time.Minute},
		{[]string{"CATALOG_TTL_SEC=60"}, false, time.Minute},
		{[]string{"CATALOG_TTL_SEC=0"}, true, -1},
		{[]string{"CATALOG_TTL_SEC=60", "TOOLSEARCH_CATALOG_TTL_SEC=90"}, true, 90 * time.Second},
		{[]string{"CATALOG_TTL_SEC=2m"}, true, 2 * time.Minute},
	} {
		if got := settingsFor(t, c.environ...).aggregateTTL(c.operator); got != c.want {
			t.Errorf("%v, operator %t: %s, want %s", c.environ, c.operator, got, c.want)
		}
	}
	for _, text := range []string{"-1", "soon", "1e300", "", "NaN"} {
		if d, err := seconds(text); err == nil {
			t.Errorf("%q is %s", text, d)
		}
	}
}

func TestVariablesOfOtherPrograms(t *testing.T) {
	for _, c := range []struct {
		environ []string
		level   string
		merges  bool
	}{
		{[]string{"LOG_LEVEL=WARNING"}, "warn", false},
		{[]string{"LOG_LEVEL=Debug", "TOOLSEARCH_LOG_LEVEL=error"}, "error", false},
		{[]string{"LOG_LEVEL=chatty"}, "info", false},
		{[]string{"UPSTREAM_URL=http://a/mcp"}, "info", true},
		{[]string{"UPSTREAM_URL=http://a/mcp", "TOOLSEARCH_UPSTREAM=http://g:1"}, "info", false},
		{[]string{"UPSTREAMS= "}, "info", false},
	} {
		if s := settingsFor(t, c.environ...); s.LogLevel != c.level || s.merges() != c.merges {
			t.Errorf("%v: level %s, merges %t", c.environ, s.LogLevel, s.merges())
		}
	}
}

func TestProxiesAreUsedOnlyWhenAskedFor(t *testing.T) {
	ask, err := http.NewRequest(http.MethodPost, "http://mail.example.com/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	proxies := []string{"HTTP_PROXY=http://proxy:1", "no_proxy=files.example.com"}
	for _, c := range []struct{ setting, want string }{{"", ""}, {"env", "http://proxy:1"}, {"http://other:2", "http://other:2"}} {
		web := settingsFor(t, append(proxies, "TOOLSEARCH_UPSTREAM_PROXY="+c.setting)...).webTransport()
		got := ""
		if web.Proxy != nil {
			u, err := web.Proxy(ask)
			if err != nil {
				t.Fatal(err)
			}
			got = u.String()
		}
		if got != c.want {
			t.Errorf("--upstream-proxy=%s goes by %q, want %q", c.setting, got, c.want)
		}
	}
	web := settingsFor(t, append(proxies, "TOOLSEARCH_UPSTREAM_PROXY=env")...).webTransport()
	ask.URL.Host = "files.example.com"
	if u, err := web.Proxy(ask); u != nil || err != nil {
		t.Errorf("NO_PROXY is not heeded: %v %v", u, err)
	}
}

func TestAChangedTokenCountsAndABadOneIsToldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("the-first-m4rk-token\n")
	s := &Settings{TokenFile: path}
	secrets, err := s.doorSecrets()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	write("short m4rk")
	secrets.token.look(log)
	secrets.token.look(log)
	if got := secrets.bearer()(); got != "the-first-m4rk-token" || strings.Count(text.String(), "level=ERROR") != 1 || strings.Contains(text.String(), "m4rk") {
		t.Errorf("token %q, log %s", got, text.String())
	}
	write("the-second-token-is-here")
	secrets.token.look(log)
	if got := secrets.bearer()(); got != "the-second-token-is-here" {
		t.Errorf("token %q", got)
	}
	if (&doorSecrets{}).bearer() != nil || (&doorSecrets{}).tls() != nil {
		t.Error("a door without files asks for a token or speaks TLS")
	}
}
