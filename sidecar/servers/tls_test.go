package servers_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/servers"
)

func TestCertificatesOfAServerAreRead(t *testing.T) {
	dir := t.TempDir()
	ours, other := certificates.In(dir), certificates.In(t.TempDir())
	authority := certificates.NewAuthority(t)
	ours.Write(t, authority, certificates.Leaf{})
	other.Write(t, authority, certificates.Leaf{})
	text := filepath.Join(dir, "text-m4rk")
	certificates.Put(t, text, []byte("no certificate"))
	for _, c := range []struct{ name, keys, want string }{
		{"all of them", fmt.Sprintf("tlsCA: %q, tlsCert: %q, tlsKey: %q, tlsServerName: mail.example", ours.CA, ours.Cert, ours.Key), ""},
		{"one of them", fmt.Sprintf("tlsCA: %q", ours.CA), ""},
		{"a disabled server's needn't be there", "disabled: true, tlsCA: /nowhere/m4rk", ""},
		{"a file that isn't there", "tlsCA: /nowhere/m4rk", "line 3: tlsCA of server a names a file that is not there"},
		{"a key pasted as its path", fmt.Sprintf("tlsCert: %q, tlsKey: m4rk", ours.Cert), "line 3: tlsKey of server a names a file that is not there"},
		{"a folder", fmt.Sprintf("tlsCA: %q", dir), "line 3: tlsCA of server a names a file that can't be read"},
		{"another text", fmt.Sprintf("tlsCA: %q", text), "line 3: tlsCA of server a: the file holds no certificate in PEM form"},
		{"files of two pairs", fmt.Sprintf("tlsCert: %q, tlsKey: %q", ours.Cert, other.Key), "are no pair of certificate and key"},
		{"a certificate as the key", fmt.Sprintf("tlsCert: %q, tlsKey: %q", ours.Cert, ours.CA), "line 3: tlsKey of server a"},
		{"half of a pair", fmt.Sprintf("tlsKey: %q", ours.Key), "line 3: tlsCert and tlsKey of server a belong together"},
		{"a URL as the name", "tlsServerName: 'https://m4rk'", "line 3: tlsServerName of server a is no name of a host"},
		{"a URL without TLS", fmt.Sprintf("url: http://a/, tlsCA: %q", ours.CA), "line 3: server a has tlsCA, but its url is not https"},
		{"a command", "command: x, tlsServerName: m4rk", "line 3: server a is a command: tlsServerName is for a url"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.keys, "url:") && !strings.Contains(c.keys, "command:") {
				c.keys = "url: 'https://a/', " + c.keys
			}
			list, err := servers.Parse([]byte("mcpServers:\n  b: {url: 'http://b/'}\n  a: {"+c.keys+"}\n"), "mcp.yaml", getenv)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "m4rk") || strings.Contains(err.Error(), dir)) {
				t.Fatalf("error %v, want %q and no path", err, c.want)
			}
			if want := (servers.TLS{CA: ours.CA, Cert: ours.Cert, Key: ours.Key, ServerName: "mail.example"}); c.name == "all of them" && list[1].TLS != want {
				t.Error("not all were read")
			}
		})
	}
}
