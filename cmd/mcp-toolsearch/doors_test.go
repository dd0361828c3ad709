package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
)

// certified writes a certificate for 127.0.0.1 with its key, and returns it.
func certified(t *testing.T, cert, key string, serial int64) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestTheDoorHasItsTokenAndItsCertificate: those of the files, and those that the files have later.
func TestTheDoorHasItsTokenAndItsCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key, token := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "token")
	first := certified(t, cert, key, 1)
	if err := os.WriteFile(token, []byte("a-token-of-some-length\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	up := upstreamtest.New(t, tool("mail_find", "Find mail.", true))
	s := settingsFor(t, "TOOLSEARCH_UPSTREAM="+up.Origin(), "TOOLSEARCH_LISTEN=127.0.0.1:0", "TOOLSEARCH_EXTPROC_LISTEN=off", "TOOLSEARCH_EMBEDDER=none",
		"TOOLSEARCH_TLS_CERT="+cert, "TOOLSEARCH_TLS_KEY="+key, "TOOLSEARCH_TOKEN_FILE="+token)
	if mistakes := s.mistakes(); len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	c, err := s.newCore(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	secrets, err := s.doorSecrets()
	if err != nil {
		t.Fatal(err)
	}
	open, err := c.openDoors(t.Context(), secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer open.shutdown(t.Context(), 0)
	ask := func(trusted *x509.Certificate, token string) (status int, serial int64) {
		pool := x509.NewCertPool()
		pool.AddCert(trusted)
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+open.relayAddr()+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if status, serial := ask(first, "a-token-of-some-length"); status != http.StatusOK || serial != 1 {
		t.Errorf("HTTP %d by certificate %d", status, serial)
	}
	if status, _ := ask(first, "another"); status != http.StatusUnauthorized {
		t.Errorf("another token: HTTP %d", status)
	}
	second := certified(t, cert, key, 2)
	c.tls.Look()
	if status, serial := ask(second, "a-token-of-some-length"); status != http.StatusOK || serial != 2 {
		t.Errorf("after the change: HTTP %d by certificate %d", status, serial)
	}
	if err := os.WriteFile(key, []byte("m4rk"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.tls.Look()
	c.tls.Look()
	if _, serial := ask(second, "a-token-of-some-length"); serial != 2 || !strings.Contains(text.String(), "holds no private key that can be used") || strings.Contains(text.String(), "m4rk") {
		t.Errorf("after a bad change: certificate %d, log %s", serial, text.String())
	}
}
