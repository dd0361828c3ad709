package extproc_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/tlsfiles"
)

const envoyName = "spiffe://mesh.example/ns/gateway/sa/envoy"

// unseen is an observer of files whom nothing interests.
type unseen struct{}

func (unseen) CertificateEnds(_, _, _ string, _ time.Time) {}
func (unseen) CertificateReloaded(_, _, _ string)          {}
func (unseen) CertificateGone(_, _ string)                 {}

// secured are the files of a door and of its Envoy.
type secured struct {
	authority  *certificates.Authority
	door, peer certificates.Files
	set        *tlsfiles.Set
	options    laneOptions
}

// newSecured makes files for a door that lets in Envoy alone; own is the certificate that Envoy shows.
func newSecured(t *testing.T, own certificates.Leaf) *secured {
	t.Helper()
	s := &secured{authority: certificates.NewAuthority(t), door: certificates.In(t.TempDir()), peer: certificates.In(t.TempDir()), set: tlsfiles.NewSet(slog.New(slog.DiscardHandler), unseen{})}
	s.door.Write(t, s.authority, certificates.Leaf{})
	s.peer.Write(t, s.authority, own)
	files, err := tlsfiles.Open(tlsfiles.Options{What: "the certificate", Role: "extproc", Names: []string{envoyName},
		Cert: tlsfiles.Named{Path: s.door.Cert}, Key: tlsfiles.Named{Path: s.door.Key}, CA: tlsfiles.Named{Path: s.door.CA}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.set.Add(files))
	s.options = laneOptions{tls: files.Server("h2"), config: func(config string) string {
		socket := fmt.Sprintf(`    transport_socket:
      name: envoy.transport_sockets.tls
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
        sni: localhost
        common_tls_context:
          alpn_protocols: [ h2 ]
          tls_certificates: [ { certificate_chain: { filename: %q }, private_key: { filename: %q } } ]
          validation_context:
            trusted_ca: { filename: %q }
            match_typed_subject_alt_names: [ { san_type: DNS, matcher: { exact: localhost } } ]
`, s.peer.Cert, s.peer.Key, s.peer.CA)
		return strings.Replace(config, "    connect_timeout: 1s\n", "    connect_timeout: 1s\n"+socket, 1)
	}}
	return s
}

// TestARotatedCertificateBreaksNothing: Envoy and the door show each other certificates. The door's is exchanged while an
// answer streams and a decision is under way; both go on, and who connects then sees the new one.
func TestARotatedCertificateBreaksNothing(t *testing.T) {
	s := newSecured(t, certificates.Leaf{URI: envoyName})
	eachEnvoy(t, s.options, func(t *testing.T, l *lane) {
		if r := l.ask(t, "answer", "", 0); r.StatusCode != http.StatusOK {
			t.Fatalf("through both certificates: %d %s", r.StatusCode, r.text)
		}
		const events = 4
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.envoy.URL("/mcp/search"), strings.NewReader(`{"do":"forward"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Up", fmt.Sprintf("gatedsse:%d", events))
		l.upstream.gate <- struct{}{}
		streaming, err := l.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer streaming.Body.Close()
		deciding := make(chan string, 1)
		go func() {
			r, err := l.try(t.Context(), "slow", "", 0)
			deciding <- fmt.Sprint(err, strings.HasPrefix(r.text, `{"answered"`))
		}()
		await(t, func() bool { return l.counts.streams() > 0 })
		serial := time.Now().UnixNano()
		s.door.Write(t, s.authority, certificates.Leaf{Serial: serial})
		s.set.Look()
		conn, err := tls.Dial("tcp", l.door.Addr().String(), &tls.Config{RootCAs: s.authority.Pool(), ServerName: "localhost", MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"},
			Certificates: []tls.Certificate{s.authority.Pair(t, certificates.Leaf{URI: envoyName})}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if got := conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != serial {
			t.Errorf("after the rotation certificate %d is shown, want %d", got, serial)
		}
		if got := <-deciding; got != "<nil> true" {
			t.Errorf("the decision during the rotation: %s", got)
		}
		for range events - 1 {
			l.upstream.gate <- struct{}{}
		}
		n, lines := 0, bufio.NewScanner(streaming.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") {
				n++
			}
		}
		if n != events || lines.Err() != nil {
			t.Errorf("%d of %d events arrived: %v", n, events, lines.Err())
		}
		if r := l.ask(t, "answer", "", 0); r.StatusCode != http.StatusOK {
			t.Errorf("after the rotation: %d %s", r.StatusCode, r.text)
		}
	})
}

// TestAnEnvoyThatIsNotLetInIsTold: no request goes through, and the log says why.
func TestAnEnvoyThatIsNotLetInIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		own  certificates.Leaf
		want string
	}{
		"its certificate has ended": {certificates.Leaf{URI: envoyName, From: time.Now().Add(-time.Hour), To: time.Now().Add(-time.Minute)}, "reason=expired"},
		"it has another name":       {certificates.Leaf{URI: envoyName + "2"}, "reason=not_admitted"},
		"ours is for another name":  {certificates.Leaf{URI: envoyName}, "reason=ours_not_wanted"},
		"it doesn't say HTTP/2":     {certificates.Leaf{URI: envoyName}, "reason=no_alpn"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSecured(t, c.own)
			if c.want == "reason=ours_not_wanted" {
				s.door.Write(t, s.authority, certificates.Leaf{DNS: "other.example"})
				s.set.Look()
			}
			secure := s.options.config
			if c.want == "reason=no_alpn" {
				s.options.config = func(config string) string {
					return strings.Replace(secure(config), "alpn_protocols: [ h2 ]", "alpn_protocols: []", 1)
				}
			}
			eachEnvoy(t, s.options, func(t *testing.T, l *lane) {
				if r := l.ask(t, "answer", "", 0); r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(r.text, `"jsonrpc":"2.0"`) {
					t.Errorf("%d %s", r.StatusCode, r.text)
				}
				await(t, func() bool { return strings.Contains(l.log.String(), c.want) })
			})
		})
	}
}
