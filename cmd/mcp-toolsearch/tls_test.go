package main

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/tlsfiles"
)

// shook makes a handshake with a listener of the configuration, and says how it went on the listener's side.
func shook(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn := tls.Client(theirs, client)
		_ = conn.Handshake()
		_, _ = io.Copy(io.Discard, conn) // until the other side has judged it
	}()
	err := tls.Server(ours, server).Handshake()
	_, _ = ours.Close(), theirs.Close()
	<-ended
	return err
}

// TestTheSettingsOfCertificatesReachTheirPlaces: the ext_proc listener, the HTTP door and requests to the upstream.
func TestTheSettingsOfCertificatesReachTheirPlaces(t *testing.T) {
	gateway, clients := certificates.NewAuthority(t), certificates.NewAuthority(t)
	own, theirs, up := certificates.In(t.TempDir()), certificates.In(t.TempDir()), certificates.In(t.TempDir())
	own.Write(t, gateway, certificates.Leaf{})
	theirs.Write(t, clients, certificates.Leaf{})
	up.Write(t, gateway, certificates.Leaf{})
	at, _ := guarded(t, gateway, certificates.Leaf{})
	s := settingsFor(t, "TOOLSEARCH_UPSTREAM="+strings.TrimSuffix(at, "/mcp"), "TOOLSEARCH_UPSTREAM_CA="+up.CA, "TOOLSEARCH_UPSTREAM_CERT="+up.Cert, "TOOLSEARCH_UPSTREAM_KEY="+up.Key,
		"TOOLSEARCH_EXTPROC_TLS_CERT="+own.Cert, "TOOLSEARCH_EXTPROC_TLS_KEY="+own.Key, "TOOLSEARCH_EXTPROC_CLIENT_CA="+theirs.CA, "TOOLSEARCH_EXTPROC_CLIENT_NAMES=envoy.example",
		"TOOLSEARCH_LISTEN=127.0.0.1:1", "TOOLSEARCH_TLS_CERT="+own.Cert, "TOOLSEARCH_TLS_KEY="+own.Key, "TOOLSEARCH_TLS_CLIENT_CA="+theirs.CA)
	if mistakes := s.mistakes(); len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	quiet := slog.New(slog.DiscardHandler)
	m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
	c := &core{Settings: s, log: quiet, metrics: m, tls: tlsfiles.NewSet(quiet, m)}
	place, err := c.extprocPlace()
	if err != nil {
		t.Fatal(err)
	}
	door, err := s.doorSecrets()
	if err != nil {
		t.Fatal(err)
	}
	envoy, other := clients.Pair(t, certificates.Leaf{DNS: "envoy.example"}), clients.Pair(t, certificates.Leaf{DNS: "other.example"})
	for _, tt := range []struct {
		name   string
		server *tls.Config
		pairs  []tls.Certificate
		want   bool
	}{
		{"ext_proc, its name", place.TLS, []tls.Certificate{envoy}, true},
		{"ext_proc, another name", place.TLS, []tls.Certificate{other}, false},
		{"ext_proc, the gateway's authority", place.TLS, []tls.Certificate{gateway.Pair(t, certificates.Leaf{DNS: "envoy.example"})}, false},
		{"ext_proc, none", place.TLS, nil, false},
		{"the door, any name", door.tls(), []tls.Certificate{other}, true},
		{"the door, none", door.tls(), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := shook(t, tt.server, &tls.Config{RootCAs: gateway.Pool(), ServerName: "localhost", Certificates: tt.pairs, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
			if (err == nil) != tt.want {
				t.Errorf("let in: %v, want %t", err, tt.want)
			}
		})
	}
	web, err := c.carry(c.transport(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer web.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := web.RoundTrip(req)
	if err != nil {
		t.Fatalf("the upstream that asks for our certificate: %v", err)
	}
	resp.Body.Close()
}
