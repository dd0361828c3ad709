package relay_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// TestAnUpstreamThatRefusesOurCertificateIsNoBreak: nothing was run, and what to set is said.
func TestAnUpstreamThatRefusesOurCertificateIsNoBreak(t *testing.T) {
	theirs, stranger := certificates.NewAuthority(t), certificates.NewAuthority(t)
	for name, pairs := range map[string][]tls.Certificate{"none": nil, "a stranger's": {stranger.Pair(t, certificates.Leaf{})}} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			t.Run(name+", "+tls.VersionName(version), func(t *testing.T) {
				up := upstreamtest.New(t, find)
				web := httptest.NewUnstartedServer(up)
				web.TLS = &tls.Config{Certificates: []tls.Certificate{theirs.Pair(t, certificates.Leaf{})}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: theirs.Pool(), MaxVersion: version}
				web.Config.ErrorLog = log.New(io.Discard, "", 0)
				web.StartTLS()
				t.Cleanup(web.Close)
				carrier := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: theirs.Pool(), MinVersion: tls.VersionTLS12,
					GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { // whatever authority is asked for
						if pairs == nil {
							return &tls.Certificate{}, nil
						}
						return &pairs[0], nil
					}}}
				t.Cleanup(carrier.CloseIdleConnections)
				r := open(t, up, func(o *relay.Options) { o.Upstream, o.Transport = web.URL, carrier }, func(s *testdoor.Setup) { s.Engine.Upstream = web.URL })
				got := r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":"m-1","method":"initialize","params":{}}`)
				got.mustFail(t, http.StatusBadGateway, "nothing was run: the operator sets --upstream-cert")
				if all := r.seen.all(); len(all) != 1 || all[0] != "certificate_refused" || len(up.Requests()) != 0 {
					t.Errorf("told %q, the upstream got %d requests", all, len(up.Requests()))
				}
			})
		}
	}
}
