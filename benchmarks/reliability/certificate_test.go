package reliability_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// certificates makes certificates for loopback, signed by one authority.
type certificates struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	root *x509.Certificate
}

func newCertificates(t *testing.T) *certificates {
	t.Helper()
	c := &certificates{t: t}
	var err error
	if c.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: time.Now().Add(48 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &c.key.PublicKey, c.key)
	if err != nil {
		t.Fatal(err)
	}
	if c.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c
}

// file is the authority's certificate.
func (c *certificates) file() string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.root.Raw}), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// until is a certificate that is good until the time given.
func (c *certificates) until(end time.Time) *tls.Certificate {
	c.t.Helper()
	leaf := &x509.Certificate{SerialNumber: big.NewInt(end.Unix()), Subject: pkix.Name{CommonName: "server"}, NotBefore: time.Now().Add(-47 * time.Hour), NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, c.root, &key.PublicKey, c.key)
	if err != nil {
		c.t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// certificateExpired lets the certificate of a merged server expire, and renews it.
func certificateExpired(t *testing.T, program string) *row {
	c := newCertificates(t)
	var current atomic.Pointer[tls.Certificate]
	good, expired := c.until(time.Now().Add(time.Hour)), c.until(time.Now().Add(-time.Hour))
	current.Store(good)
	kept := newServer(ledger)
	web := httptest.NewUnstartedServer(kept.handler())
	web.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { // without a name GetCertificate isn't asked
		return &tls.Config{Certificates: []tls.Certificate{*current.Load()}}, nil
	}}
	web.StartTLS()
	t.Cleanup(web.Close)
	s := alone(t, program, setting{flags: []string{"--upstream-ca", c.file()}, servers: func(_ *stand, all map[string]any) {
		all["ledger"] = map[string]any{"url": web.URL + "/mcp"}
	}})
	r := &row{fault: "the certificate of a merged server has expired", door: s.door}
	asks := newClient(s.url, "certificate")
	var all []outcome
	for range times(5, 1) {
		s.recovered(asks, read, time.Now())
		current.Store(expired)
		web.CloseClientConnections()
		r.struck++
		for _, k := range []kind{list, search, read, write, batch} {
			o := asks.do(t.Context(), k)
			if (k == list || k == search) != o.ok {
				t.Errorf("with an expired certificate %s: %t %s", k, o.ok, o.said)
			}
			all = append(all, o)
		}
		current.Store(good)
		r.recoveries = append(r.recoveries, s.recovered(asks, read, time.Now()))
	}
	r.count(kept, all...)
	r.judge(t, all, true)
	return r
}
