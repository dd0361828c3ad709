package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"sync"
)

// ErrNotAdmitted ends a handshake with a client whose certificate has none of the names that are let in.
var ErrNotAdmitted = errors.New("the client's certificate has none of the names that are let in")

// Server is the configuration of a listener that speaks the given protocols ("h2", "http/1.1"). Each handshake takes what
// the files hold then.
func (f *Files) Server(protocols ...string) *tls.Config {
	c := f.server(f.now.Load(), protocols)
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.server(f.now.Load(), protocols), nil }
	return c
}

func (f *Files) server(s *state, protocols []string) *tls.Config {
	c := &tls.Config{MinVersion: f.minVersion(), NextProtos: protocols, Certificates: []tls.Certificate{*s.pair}}
	if s.authorities != nil {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, s.authorities
		c.SessionTicketsDisabled = true // a resumed session would be judged by the authorities of its first handshake
		c.VerifyConnection = f.admit
	}
	return c
}

func (f *Files) minVersion() uint16 { return max(f.o.MinVersion, tls.VersionTLS12) }

// admit lets in certificates that have one of the names.
func (f *Files) admit(c tls.ConnectionState) error {
	if len(f.o.Names) == 0 {
		return nil
	}
	if len(c.PeerCertificates) > 0 && slices.ContainsFunc(namesOf(c.PeerCertificates[0]), func(n string) bool { return slices.Contains(f.o.Names, n) }) {
		return nil
	}
	return ErrNotAdmitted
}

// namesOf are the names by which clients are known. The common name isn't one of them: nothing says what kind it is.
func namesOf(cert *x509.Certificate) []string {
	names := slices.Clone(cert.DNSNames)
	for _, u := range cert.URIs {
		names = append(names, u.String())
	}
	return names
}

// Transport carries requests over connections that are made with what the files hold at the time. Requests under way
// stay on their connections.
type Transport struct {
	files *Files
	name  string
	mu    sync.Mutex
	from  *state
	now   *http.Transport
}

// Transport makes a transport like base. name is sent and checked in the place of the host's; "" is the host's.
func (f *Files) Transport(base *http.Transport, name string) *Transport {
	t := &Transport{files: f, name: name, now: base}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renew(f.now.Load())
	return t
}

// renew makes a transport for other certificates; the caller holds the lock.
func (t *Transport) renew(s *state) (old *http.Transport) {
	old = t.now
	t.from, t.now = s, old.Clone()
	c := &tls.Config{MinVersion: t.files.minVersion(), ServerName: t.name, RootCAs: s.authorities}
	if s.pair != nil {
		c.Certificates = []tls.Certificate{*s.pair}
	}
	t.now.TLSClientConfig = c
	return old
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.current().RoundTrip(r)
}

func (t *Transport) current() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.files.now.Load(); s != t.from {
		t.renew(s).CloseIdleConnections() // those made with the old files; the others end with their requests
	}
	return t.now
}

// CloseIdleConnections ends the connections that carry nothing.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.CloseIdleConnections()
}
