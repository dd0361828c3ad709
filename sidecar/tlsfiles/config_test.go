package tlsfiles_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/tlsfiles"
)

// echo answers lines over connections of a listener.
func echo(t *testing.T, c *tls.Config) (address string) {
	t.Helper()
	lis, err := tls.Listen("tcp", "127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := lis.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn) // a client that isn't let in
			}()
		}
	}()
	t.Cleanup(func() { _ = lis.Close(); <-ended })
	return lis.Addr().String()
}

// spoken is a connection that lines come back on.
func spoken(conn net.Conn) error {
	if _, err := conn.Write([]byte("line\n")); err != nil {
		return err
	}
	_, err := bufio.NewReader(conn).ReadString('\n')
	return err
}

func TestAChangeReachesTheNextHandshake(t *testing.T) {
	r := newRig(t, func(o *tlsfiles.Options) { o.CA.Path = "" })
	address := echo(t, r.files.Server("x"))
	dial := func(trusted *certificates.Authority) (*tls.Conn, error) {
		return tls.Dial("tcp", address, &tls.Config{RootCAs: trusted.Pool(), MinVersion: tls.VersionTLS12, NextProtos: []string{"x"}})
	}
	standing, err := dial(r.authority)
	if err != nil {
		t.Fatal(err)
	}
	defer standing.Close()
	next := certificates.NewAuthority(t)
	r.paths.Write(t, next, certificates.Leaf{Serial: 2})
	r.set.Look()
	if _, err := dial(r.authority); err == nil {
		t.Error("the certificate from before is still shown")
	}
	conn, err := dial(next)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if s := conn.ConnectionState(); s.PeerCertificates[0].SerialNumber.Int64() != 2 || s.NegotiatedProtocol != "x" {
		t.Errorf("certificate %v with protocol %q", s.PeerCertificates[0].SerialNumber, s.NegotiatedProtocol)
	}
	if err := spoken(standing); err != nil {
		t.Errorf("a standing connection was cut: %v", err)
	}
}

func TestWhoMayConnect(t *testing.T) {
	stranger := certificates.NewAuthority(t)
	const spiffe = "spiffe://mesh.example/ns/gateway/sa/envoy"
	for _, c := range []struct {
		name  string
		names []string
		pair  func(t *testing.T, r *rig) []tls.Certificate
		want  bool
	}{
		{"no certificate", nil, func(*testing.T, *rig) []tls.Certificate { return nil }, false},
		{"of the authority", nil, func(t *testing.T, r *rig) []tls.Certificate {
			return []tls.Certificate{r.authority.Pair(t, certificates.Leaf{})}
		}, true},
		{"of a stranger", nil, func(t *testing.T, _ *rig) []tls.Certificate {
			return []tls.Certificate{stranger.Pair(t, certificates.Leaf{})}
		}, false},
		{"of one of the names", []string{"a.example", spiffe}, func(t *testing.T, r *rig) []tls.Certificate {
			return []tls.Certificate{r.authority.Pair(t, certificates.Leaf{URI: spiffe})}
		}, true},
		{"of the DNS name", []string{"a.example", spiffe}, func(t *testing.T, r *rig) []tls.Certificate {
			return []tls.Certificate{r.authority.Pair(t, certificates.Leaf{DNS: "a.example"})}
		}, true},
		{"of another name", []string{"a.example", spiffe}, func(t *testing.T, r *rig) []tls.Certificate {
			return []tls.Certificate{r.authority.Pair(t, certificates.Leaf{URI: spiffe + "2"})}
		}, false},
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			t.Run(fmt.Sprintf("%s, %s", c.name, tls.VersionName(version)), func(t *testing.T) {
				r := newRig(t, func(o *tlsfiles.Options) { o.Names = c.names })
				client := &tls.Config{RootCAs: r.authority.Pool(), MinVersion: version, MaxVersion: version, Certificates: c.pair(t, r), ClientSessionCache: tls.NewLRUClientSessionCache(8)}
				address := echo(t, r.files.Server())
				try := func() (bool, error) {
					conn, err := tls.Dial("tcp", address, client)
					if err != nil {
						return false, err
					}
					defer conn.Close()
					return conn.ConnectionState().DidResume, spoken(conn)
				}
				if _, err := try(); (err == nil) != c.want {
					t.Errorf("it is let in: %v, want %t", err, c.want)
				}
				certificates.Put(t, r.paths.CA, stranger.PEM) // the authority is not trusted any more
				r.set.Look()
				if resumed, err := try(); c.want && (err == nil || resumed) {
					t.Errorf("a client of an authority that was removed is let in: %v, resumed %t", err, resumed)
				}
			})
		}
	}
}

func TestTheLeastVersionIsKept(t *testing.T) {
	r := newRig(t, func(o *tlsfiles.Options) { o.CA.Path = ""; o.MinVersion = tls.VersionTLS13 })
	_, err := tls.Dial("tcp", echo(t, r.files.Server()), &tls.Config{RootCAs: r.authority.Pool(), MaxVersion: tls.VersionTLS12})
	if err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("TLS 1.2 where 1.3 is the least: %v", err)
	}
}

func TestAChangedAuthorityReachesTheNextConnection(t *testing.T) {
	r := newRig(t, nil)
	gate := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/stream" {
			_, _ = io.WriteString(w, "first ")
			_ = http.NewResponseController(w).Flush()
			<-gate
		}
		_, _ = fmt.Fprintf(w, "client %d", q.TLS.PeerCertificates[0].SerialNumber)
	}))
	server.TLS = r.files.Server("http/1.1")
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	mine := newRig(t, nil) // the client's own files, of another authority
	certificates.Put(t, mine.paths.CA, r.authority.PEM)
	certificates.Put(t, r.paths.CA, mine.authority.PEM)
	mine.set.Look()
	r.set.Look()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	web := mine.files.Transport(base, "localhost")
	defer web.CloseIdleConnections()
	ask := func(path string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return web.RoundTrip(req)
	}
	read := func(resp *http.Response, err error) string {
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return fmt.Sprint(string(text), err)
	}
	streaming, err := ask("/stream")
	if err != nil {
		t.Fatal(err)
	}
	next := certificates.NewAuthority(t) // the server's authority is exchanged, and our own certificate
	r.paths.Write(t, next, certificates.Leaf{Serial: 5})
	certificates.Put(t, r.paths.CA, mine.authority.PEM)
	r.set.Look()
	cert, key := mine.authority.Issue(t, certificates.Leaf{Serial: 7})
	certificates.Put(t, mine.paths.Cert, cert)
	certificates.Put(t, mine.paths.Key, key)
	mine.set.Look()
	if got := read(ask("/")); !strings.Contains(got, "unknown authority") {
		t.Errorf("a server of an authority that isn't trusted yet: %s", got)
	}
	certificates.Put(t, mine.paths.CA, next.PEM)
	mine.set.Look()
	if got := read(ask("/")); got != "client 7<nil>" {
		t.Errorf("after the change: %s", got)
	}
	close(gate)
	if got := read(streaming, nil); got != "first client 1<nil>" {
		t.Errorf("the stream from before the change: %s", got)
	}
}
