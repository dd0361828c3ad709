package member

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
)

// TestAServerWhoseCertificateIsNotTrusted: the error says which of the reasons it is, and what helps.
func TestAServerWhoseCertificateIsNotTrusted(t *testing.T) {
	ours, stranger := certificates.NewAuthority(t), certificates.NewAuthority(t)
	hour := time.Hour
	for name, tc := range map[string]struct {
		by    *certificates.Authority
		leaf  certificates.Leaf
		wants []string // none: it is trusted
	}{
		"a good one":           {ours, certificates.Leaf{}, nil},
		"it has ended":         {ours, certificates.Leaf{From: time.Now().Add(-2 * hour), To: time.Now().Add(-hour)}, []string{"expired", "renew it"}},
		"its time hasn't come": {ours, certificates.Leaf{From: time.Now().Add(hour), To: time.Now().Add(2 * hour)}, []string{"not valid yet", "the clock"}},
		"another authority's":  {stranger, certificates.Leaf{}, []string{"authority that is not known here", "--upstream-ca"}},
		"another name's":       {ours, certificates.Leaf{DNS: "mail.example.com"}, []string{"for another name", "use a name in the address"}},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewUnstartedServer(scripted(t, upstreamtest.LegacyOnly, tool("find")))
			web.TLS = &tls.Config{Certificates: []tls.Certificate{tc.by.Pair(t, tc.leaf)}, MinVersion: tls.VersionTLS12}
			web.Config.ErrorLog = log.New(io.Discard, "", 0)
			web.StartTLS()
			t.Cleanup(web.Close)
			m := newMember(t, web.URL, func(o *Options) {
				o.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ours.Pool(), MinVersion: tls.VersionTLS12}}
			})
			_, err := m.List(t.Context(), legacyClient("k"), "tools/list")
			if tc.wants == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			text := mustKind(t, err, upstream.Unreachable).Error()
			for _, want := range tc.wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q", text, want)
				}
			}
			if strings.Contains(text, "example.com") {
				t.Errorf("it quotes the certificate: %s", text)
			}
		})
	}
}

// TestAServerThatRefusesOurCertificate: with each version of TLS, whether we show none or another authority's.
func TestAServerThatRefusesOurCertificate(t *testing.T) {
	theirs, stranger := certificates.NewAuthority(t), certificates.NewAuthority(t)
	for name, pair := range map[string]*tls.Certificate{"none": {}, "a stranger's": new(stranger.Pair(t, certificates.Leaf{}))} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			t.Run(name+", "+tls.VersionName(version), func(t *testing.T) {
				web := httptest.NewUnstartedServer(scripted(t, upstreamtest.LegacyOnly, tool("find")))
				web.TLS = &tls.Config{Certificates: []tls.Certificate{theirs.Pair(t, certificates.Leaf{})}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: theirs.Pool(), MaxVersion: version}
				web.Config.ErrorLog = log.New(io.Discard, "", 0)
				web.StartTLS()
				t.Cleanup(web.Close)
				m := newMember(t, web.URL, func(o *Options) {
					o.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: theirs.Pool(), MinVersion: tls.VersionTLS12,
						GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair, nil }}}
				})
				_, err := m.List(t.Context(), legacyClient("k"), "tools/list")
				var e *Error
				if text := mustKind(t, err, upstream.Unreachable).Error(); !strings.Contains(text, "refused our TLS certificate") || !strings.Contains(text, "tlsCert") || !errors.As(err, &e) || !e.Unsent {
					t.Errorf("it says %s", text)
				}
			})
		}
	}
}
