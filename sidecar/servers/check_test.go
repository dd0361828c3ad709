package servers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

func TestWhatIsWrongWithAList(t *testing.T) {
	at := func(name, url string, auth servers.Auth) servers.Server {
		return servers.Server{Name: name, URL: url, Auth: auth}
	}
	header := func(s servers.Server, value string) servers.Server {
		s.Header = http.Header{"Authorization": {value}}
		return s
	}
	for _, c := range []struct {
		name  string
		list  []servers.Server
		share bool
		want  string
	}{
		{"nothing", nil, false, ""},
		{"two servers", []servers.Server{at("a", "http://a", 0), at("b", "http://b", 0)}, false, ""},
		{"names that differ in case", []servers.Server{at("a", "http://a", 0), at("A", "http://b", 0)}, false, "two servers have the name A"},
		{"one server twice", []servers.Server{at("a", "http://a", 0), at("b", "http://a", 0)}, false, "a and b are the same server"},
		{"one address with two credentials", []servers.Server{header(at("a", "http://a", 1), "m4rk"), header(at("b", "http://a", 1), "other")}, false, ""},
		{"one command with other arguments", []servers.Server{{Name: "a", Command: "x", Args: []string{"1"}}, {Name: "b", Command: "x", Args: []string{"2"}}}, false, ""},
		{"one command with other variables", []servers.Server{{Name: "a", Command: "x", Env: map[string]string{"A": "m4rk"}}, {Name: "b", Command: "x"}}, false, ""},
		{"one command twice", []servers.Server{{Name: "a", Command: "x"}, {Name: "b", Command: "x"}}, false, "same server"},
		{"the caller's token at one origin", []servers.Server{at("a", "https://x/a", servers.Caller), at("b", "HTTPS://X:443/b", servers.Caller), at("c", "https://y", 0)}, false, ""},
		{"at two", []servers.Server{at("a", "https://x/a", servers.Caller), at("b", "https://x:444/b", servers.Caller)}, false, "2 places (https://x:443, https://x:444)"},
		{"another scheme is another origin", []servers.Server{at("a", "https://x:1/a", servers.Caller), at("b", "http://x:1/b", servers.Caller)}, false, "--share-caller-token"},
		{"at two, and meant so", []servers.Server{at("a", "https://x/a", servers.Caller), at("b", "https://y/b", servers.Caller)}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := servers.Check(c.list, c.share)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "m4rk")) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestServersOfAFileAndOfVariablesAreJoined(t *testing.T) {
	file := []servers.Server{{Name: "mail", URL: "http://m/mcp"}, {Name: "x", Command: "x"}}
	list := servers.Join(file, []servers.Server{{Name: "m", URL: "http://m/mcp"}, {Name: "Mail", URL: "http://other/mcp"}})
	if len(list) != 3 || list[2].Name != "Mail-2" || list[2].URL != "http://other/mcp" || servers.Check(list, false) != nil {
		t.Errorf("joined: %v", list)
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	s := servers.Server{Name: "mail", URL: "https://h/OTg3NjU0MzIxMGFiY2RlZm1hcms0m4rk/mcp?key=m4rk", Header: http.Header{"Authorization": {"m4rk"}}}
	cmd := servers.Server{Name: "files", Command: "/opt/bin/files", Args: []string{"--token=m4rk"}, Env: map[string]string{"KEY": "m4rk"}}
	e := servers.Env{Upstreams: "http://a|m4rk", UpstreamTokens: "m4rk", LitellmMasterKey: "m4rk"}
	var out bytes.Buffer
	text, log := slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))
	for _, v := range []any{s, &s, cmd, &cmd, []servers.Server{s, cmd}, e, &e, struct{ S servers.Server }{s}, struct{ E servers.Env }{e}, map[string]servers.Server{"a": s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		text.Info("x", "v", v)
		log.Info("x", "v", v)
		raw, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		out.Write(raw)
	}
	fmt.Fprintln(&out, s.Where(), cmd.Where(), s.Origin())
	if strings.Contains(out.String(), "m4rk") || strings.Contains(out.String(), "6d34726b") {
		t.Errorf("a secret is printed:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "server mail (http)") || !strings.Contains(out.String(), "https://h/.../mcp files https://h:443") {
		t.Errorf("nothing is said at all:\n%s", out.String())
	}
}

func TestPatternsOnToolNames(t *testing.T) {
	for _, c := range []struct {
		globs []string
		tool  string
		want  bool
	}{{nil, "a", false}, {[]string{"b", "mail_*"}, "mail_send", true}, {[]string{"mail*"}, "mail/send", true}, {[]string{"mail_?"}, "mail_send", false}} {
		if got := servers.Match(c.globs, c.tool); got != c.want {
			t.Errorf("%v on %s: %t", c.globs, c.tool, got)
		}
	}
}
