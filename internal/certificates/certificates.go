// Package certificates makes authorities and certificates for tests, as files like those that are mounted.
//
// Invariants:
//  1. A certificate is trusted by who trusts its authority, for its names and its time (TestACertificateIsTrusted).
package certificates

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
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates.
type Authority struct {
	// Cert is its own certificate.
	Cert *x509.Certificate
	// PEM is the same as a file has it.
	PEM []byte

	key *ecdsa.PrivateKey
}

// Leaf says what a certificate is for. Its zero value is one for 127.0.0.1 and localhost that is valid for an hour.
type Leaf struct {
	// Serial tells certificates of one name apart; 0 is 1.
	Serial int64
	// DNS and URI are its names; without any it is for 127.0.0.1 and localhost.
	DNS, URI string
	// From and To are its time; zero is an hour ago and in an hour.
	From, To time.Time
}

// NewAuthority makes one that is valid for a day.
func NewAuthority(t testing.TB) *Authority { return AuthorityUntil(t, time.Now().Add(24*time.Hour)) }

// AuthorityUntil makes one that ends at a time.
func AuthorityUntil(t testing.TB, end time.Time) *Authority {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: end.Add(-48 * time.Hour), NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	key := newKey(t)
	a := &Authority{Cert: sign(t, template, template, key, key), key: key}
	a.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Cert.Raw})
	return a
}

// Pool trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return pool
}

// Issue makes a certificate and its key, in PEM form.
func (a *Authority) Issue(t testing.TB, l Leaf) (cert, key []byte) {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(max(l.Serial, 1)), NotBefore: l.From, NotAfter: l.To, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if l.From.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if l.To.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	switch {
	case l.DNS != "":
		template.DNSNames = []string{l.DNS}
	case l.URI != "":
		u, err := url.Parse(l.URI)
		if err != nil {
			t.Fatal(err)
		}
		template.URIs = []*url.URL{u}
	default:
		template.DNSNames, template.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	private := newKey(t)
	made := sign(t, template, a.Cert, private, a.key)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// Pair is Issue for crypto/tls.
func (a *Authority) Pair(t testing.TB, l Leaf) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(a.Issue(t, l))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// Files are the paths of a certificate, its key and its authority.
type Files struct{ Cert, Key, CA string }

// In names files in a folder.
func In(dir string) Files {
	return Files{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), CA: filepath.Join(dir, "ca.crt")}
}

// Write issues a certificate into the files, with the authority beside it. Each file is put in place whole.
func (f Files) Write(t testing.TB, a *Authority, l Leaf) {
	t.Helper()
	cert, key := a.Issue(t, l)
	Put(t, f.Cert, cert)
	Put(t, f.Key, key)
	Put(t, f.CA, a.PEM)
}

// Put puts a file in place whole.
func Put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, template, parent *x509.Certificate, of, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
