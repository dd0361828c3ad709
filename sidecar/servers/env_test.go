package servers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/sidecar/servers"
)

// brief is what a table says about a server.
type brief struct {
	Name, URL, Token string
	Timeout          time.Duration
}

func briefs(list []servers.Server) []brief {
	var all []brief
	for _, s := range list {
		all = append(all, brief{s.Name, s.URL, s.Header.Get("Authorization"), s.Timeout})
	}
	return all
}

const call = 180 * time.Second

func TestServersOfVariables(t *testing.T) {
	for _, c := range []struct {
		name     string
		env      servers.Env
		want     []brief
		warnings []string
	}{
		{"nothing set", servers.Env{}, nil, nil},
		{"a token after the first bar, and none", servers.Env{Upstreams: "http://mail:8080/mcp|t1, https://files.example.com/mcp "},
			[]brief{{"mail", "http://mail:8080/mcp", "Bearer t1", call}, {"files", "https://files.example.com/mcp", "", call}}, nil},
		{"a token with bars in it", servers.Env{Upstreams: "http://mail/mcp|a|b"}, []brief{{"mail", "http://mail/mcp", "Bearer a|b", call}}, nil},
		{"an empty token is none", servers.Env{Upstreams: "http://mail/mcp|"}, []brief{{"mail", "http://mail/mcp", "", call}}, nil},
		{"commas at the ends", servers.Env{Upstreams: ",http://mail/mcp,,"}, []brief{{"mail", "http://mail/mcp", "", call}}, nil},
		{"the same entry twice counts once", servers.Env{Upstreams: "http://mail/mcp|a,http://mail/mcp|a,http://mail/mcp|b"},
			[]brief{{"mail", "http://mail/mcp", "Bearer a", call}, {"mail-2", "http://mail/mcp", "Bearer b", call}}, nil},
		{"older variables: duplicates dropped, order kept, tokens by position", servers.Env{UpstreamURLs: "http://b/mcp,http://a/mcp,http://b/mcp", UpstreamURL: "http://c/mcp", UpstreamTokens: ",t2,t3,t4"},
			[]brief{{"b", "http://b/mcp", "", call}, {"a", "http://a/mcp", "Bearer t2", call}, {"c", "http://c/mcp", "Bearer t4", call}}, nil},
		{"UPSTREAM_URL alone", servers.Env{UpstreamURL: "http://a/mcp", UpstreamTokens: "t"}, []brief{{"a", "http://a/mcp", "Bearer t", call}}, nil},
		{"UPSTREAMS wins over the older ones", servers.Env{Upstreams: "http://a/mcp", UpstreamURLs: "http://b/mcp", UpstreamTokens: "t"}, []brief{{"a", "http://a/mcp", "", call}}, nil},
		{"the master key goes to litellm alone, where there is no token", servers.Env{Upstreams: "http://litellm:4000/mcp,http://litellm2:4000/mcp|own,http://mail/mcp", LitellmMasterKey: "sk"},
			[]brief{{"litellm", "http://litellm:4000/mcp", "Bearer sk", call}, {"litellm2", "http://litellm2:4000/mcp", "Bearer own", call}, {"mail", "http://mail/mcp", "", call}}, nil},
		{"more time for a11y", servers.Env{Upstreams: "http://a11y-scan:9000/mcp,http://mail/mcp"},
			[]brief{{"a11y-scan", "http://a11y-scan:9000/mcp", "", 280 * time.Second}, {"mail", "http://mail/mcp", "", call}}, nil},
		{"as much as was set", servers.Env{Upstreams: "http://a11y-scan:9000/mcp", A11yTimeout: time.Minute}, []brief{{"a11y-scan", "http://a11y-scan:9000/mcp", "", time.Minute}}, nil},
		{"a misspelt scheme is skipped", servers.Env{Upstreams: "htps://mail.example.com/mcp|m4rk,http://a/mcp"}, []brief{{"a", "http://a/mcp", "", call}},
			[]string{`UPSTREAMS, entry 1: the address with the host mail.example.com has the scheme "htps": it must be http or https`}},
		{"its token stays its own", servers.Env{UpstreamURLs: "htps://x/mcp,http://a/mcp", UpstreamTokens: "m4rk,t2"}, []brief{{"a", "http://a/mcp", "Bearer t2", call}}, []string{"UPSTREAM_URLS, entry 1"}},
		{"one slash too few", servers.Env{Upstreams: "http:/mail/mcp"}, nil, []string{"two slashes follow http:"}},
		{"a token's tail after a comma isn't shown", servers.Env{Upstreams: "http://a/mcp|x,m4rk"}, []brief{{"a", "http://a/mcp", "Bearer x", call}}, []string{"UPSTREAMS, entry 2: what stands there is not a URL"}},
		{"a port that is none", servers.Env{Upstreams: "http://a:99999/mcp"}, nil, []string{"from 1 to 65535"}},
		{"an address to listen on", servers.Env{Upstreams: "http://0.0.0.0:81/mcp"}, []brief{{"0-0-0-0-81", "http://0.0.0.0:81/mcp", "", call}}, []string{"0.0.0.0 is an address to listen on"}},
		{"a token that no header can carry", servers.Env{Upstreams: "http://a/mcp|m4rk\n2"}, nil, []string{"no header can carry"}},
		{"user and password", servers.Env{Upstreams: "http://u:m4rk@a/mcp"}, []brief{{"a", "http://a/mcp", "Basic dTptNHJr", call}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, warnings := servers.FromEnv(c.env)
			if diff := cmp.Diff(c.want, briefs(list)); diff != "" {
				t.Errorf("servers (-want +got):\n%s", diff)
			}
			if len(warnings) != len(c.warnings) {
				t.Fatalf("warnings %q, want %d", warnings, len(c.warnings))
			}
			for i, want := range c.warnings {
				if !strings.Contains(warnings[i], want) || strings.Contains(warnings[i], "m4rk") {
					t.Errorf("warning %q, want one with %q and no token", warnings[i], want)
				}
			}
			for _, s := range list {
				if s.HasCredentials() != (s.Header.Get("Authorization") != "") || s.ListTimeout != 120*time.Second || s.OpenTimeout != 20*time.Second {
					t.Errorf("%s: credentials %t, times %s %s", s.Name, s.HasCredentials(), s.ListTimeout, s.OpenTimeout)
				}
			}
		})
	}
}

func TestNamesOfURLs(t *testing.T) {
	for url, want := range map[string]string{
		"http://gmail-mcp:8000/mcp": "gmail-mcp", "https://mcp.context7.com/mcp": "context7", "https://api.example.com/mcp/": "example",
		"http://gw:8080/servers/github/mcp": "github", "http://127.0.0.1:8931/mcp": "127-0-0-1-8931", "http://localhost/mcp": "localhost",
		"http://[::1]:80/mcp": "1-80", "http://host.docker.internal:9/sse": "host-docker-internal-9",
		"https://mcp.example.com/api/mcp/s/OTg3NjU0MzIxMGFiY2RlZg/mcp": "example", "https://example.com/a1b2c3d4": "example", "https://mcp/mcp": "mcp",
		"http://gw/All/MCP": "gw",
	} {
		list, warnings := servers.FromEnv(servers.Env{Upstreams: url})
		if len(list) != 1 || list[0].Name != want {
			t.Errorf("%s: %v %v, want %s", url, list, warnings, want)
		}
	}
	list, _ := servers.FromEnv(servers.Env{Upstreams: "http://a:1/mcp,http://a:2/mcp,http://a/x,http://a:1/mcp?b"})
	if diff := cmp.Diff([]string{"a", "a-2", "a-3", "a-1"}, []string{list[0].Name, list[1].Name, list[2].Name, list[3].Name}); diff != "" {
		t.Errorf("names of four at one host (-want +got):\n%s", diff)
	}
}

// FuzzFromEnv: whatever stands in the variables, names are unique, every URL can be asked, and no warning holds a token.
func FuzzFromEnv(f *testing.F) {
	f.Add("http://a/mcp|t,htps://b", "", "")
	f.Add("", "http://a,http://a,//x", "1,2,3")
	f.Add("http://litellm\x00/|", "", "")
	f.Fuzz(func(t *testing.T, upstreams, urls, tokens string) {
		list, warnings := servers.FromEnv(servers.Env{Upstreams: upstreams, UpstreamURLs: urls, UpstreamTokens: tokens, LitellmMasterKey: "m4rk"})
		for _, s := range list {
			if req, err := http.NewRequest(http.MethodPost, s.URL, nil); err != nil || req.URL.Host == "" || req.URL.User != nil {
				t.Errorf("%q can't be asked: %v", s.URL, err)
			}
		}
		if err := servers.Check(list, false); err != nil && strings.Contains(err.Error(), "the name") {
			t.Error(err)
		}
		if strings.Contains(strings.Join(warnings, "\n"), "m4rk") {
			t.Errorf("a token in %q", warnings)
		}
	})
}
