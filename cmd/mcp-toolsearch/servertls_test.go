package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/tlsfiles"
	"mcp-toolsearch/sidecar/wire"
)

// guarded is an MCP server that asks for certificates of an authority's, and shows one of the same.
func guarded(t *testing.T, a *certificates.Authority, leaf certificates.Leaf, tools ...string) (url string, up *upstreamtest.Server) {
	t.Helper()
	up = upstreamtest.New(t, tools...)
	web := httptest.NewUnstartedServer(up)
	web.TLS = &tls.Config{Certificates: []tls.Certificate{a.Pair(t, leaf)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.Pool(), MinVersion: tls.VersionTLS12}
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	t.Cleanup(web.Close)
	return web.URL + "/mcp", up
}

// TestEachServerHasCertificatesOfItsOwn: with a name that the certificate has; and a server that takes the other's place is
// neither trusted nor shown a certificate that it takes.
func TestEachServerHasCertificatesOfItsOwn(t *testing.T) {
	one, two := certificates.NewAuthority(t), certificates.NewAuthority(t)
	first, second := certificates.In(t.TempDir()), certificates.In(t.TempDir())
	first.Write(t, one, certificates.Leaf{})
	second.Write(t, two, certificates.Leaf{})
	atOne, upOne := guarded(t, one, certificates.Leaf{}, tool("mail_find", "Find mail.", true))
	atTwo, upTwo := guarded(t, two, certificates.Leaf{DNS: "cake.example"}, tool("cake_bake", "Bake a cake.", true))
	const file = "mcpServers:\n  one: {url: %q, tlsCA: %q, tlsCert: %q, tlsKey: %q}\n  two: {url: %q, tlsCA: %q, tlsCert: %q, tlsKey: %q, tlsServerName: cake.example}\n"
	url, _ := mergedDoor(t, fmt.Sprintf(file, atOne, first.CA, first.Cert, first.Key, atTwo, second.CA, second.Cert, second.Key))
	_, _, body := say(t, url+"/mcp/all", wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	if !strings.Contains(body, "mail_find") || !strings.Contains(body, "cake_bake") {
		t.Errorf("listed: %s", body)
	}
	asked := len(upOne.Requests()) + len(upTwo.Requests())
	for name, keys := range map[string][]any{
		"the other's authority":   {atOne, second.CA, first.Cert, first.Key, atTwo, first.CA, second.Cert, second.Key},
		"the other's certificate": {atOne, first.CA, second.Cert, second.Key, atTwo, second.CA, first.Cert, first.Key},
	} {
		t.Run(name, func(t *testing.T) {
			url, log := mergedDoor(t, fmt.Sprintf(file, keys...))
			_, _, body := say(t, url+"/mcp/all", wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
			if strings.Contains(body, "mail_find") || strings.Contains(body, "cake_bake") || len(upOne.Requests())+len(upTwo.Requests()) != asked {
				t.Errorf("listed: %s, log %s", body, log)
			}
		})
	}
}

// TestAServersCertificatesAreReadAgain: its authority and ours are exchanged while running.
func TestAServersCertificatesAreReadAgain(t *testing.T) {
	mine := certificates.In(t.TempDir())
	mine.Write(t, certificates.NewAuthority(t), certificates.Leaf{})
	authority := certificates.NewAuthority(t)
	at, _ := guarded(t, authority, certificates.Leaf{})
	quiet := slog.New(slog.DiscardHandler)
	c := &core{Settings: settingsFor(t), log: quiet, tls: tlsfiles.NewSet(quiet, metrics.New("x", func() catalog.Stats { return catalog.Stats{} }))}
	web, end := c.carryTo(servers.Server{Name: "a", URL: at, TLS: servers.TLS{CA: mine.CA, Cert: mine.Cert, Key: mine.Key}})
	defer end()
	ask := func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := web.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	if err := ask(); err == nil {
		t.Error("a stranger is trusted")
	}
	mine.Write(t, authority, certificates.Leaf{})
	c.tls.Look()
	if err := ask(); err != nil {
		t.Errorf("after the change: %v", err)
	}
}
