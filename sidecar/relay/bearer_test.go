package relay_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

func TestClientsNeedTheTokenOfTheFile(t *testing.T) {
	now := "first-m4rk"
	up := upstreamtest.New(t, find)
	r := open(t, up, func(o *relay.Options) { o.Bearer = func() string { return now } }, nil)
	for _, tt := range []struct {
		name      string
		sent      []string
		status    int
		challenge string
	}{
		{"the token", []string{"Bearer first-m4rk"}, 200, ""},
		{"in another spelling of the scheme", []string{"bearer  first-m4rk "}, 200, ""},
		{"none", nil, 401, `Bearer realm="mcp-toolsearch"`},
		{"another", []string{"Bearer second-m4rk"}, 401, `Bearer realm="mcp-toolsearch", error="invalid_token"`},
		{"another scheme", []string{"Basic first-m4rk"}, 401, `Bearer realm="mcp-toolsearch", error="invalid_token"`},
		{"the token beside another", []string{"Bearer first-m4rk", "Bearer second-m4rk"}, 401, `Bearer realm="mcp-toolsearch", error="invalid_token"`},
		{"nothing after the scheme", []string{"Bearer"}, 401, `Bearer realm="mcp-toolsearch", error="invalid_token"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				got := r.send(t, era, list, func(hr *http.Request) { hr.Header["Authorization"] = tt.sent })
				if got.status != tt.status || got.header.Get("WWW-Authenticate") != tt.challenge {
					t.Errorf("HTTP %d, challenge %q; want %d, %q", got.status, got.header.Get("WWW-Authenticate"), tt.status, tt.challenge)
				}
				if tt.status == 401 {
					got.mustFail(t, 401, "--token-file")
				}
			})
		})
	}
	now = "second-m4rk"
	if got := r.send(t, wire.Modern, list, set("Authorization", "Bearer second-m4rk")); got.status != 200 {
		t.Errorf("the changed token: HTTP %d", got.status)
	}
	up.Fail("ping", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Body: `{"jsonrpc":"2.0","id":7,"result":{}}`})
	if got := r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, set("Authorization", "Bearer second-m4rk")); got.status != 200 {
		t.Errorf("a relayed request: HTTP %d", got.status)
	}
	for _, req := range up.Requests() {
		if req.Header.Get("Authorization") != "" {
			t.Errorf("the door's token went upstream with %s", req.Method)
		}
	}
	if strings.Contains(r.text.String(), "m4rk") {
		t.Errorf("a token is in the log: %s", r.text)
	}
}

func TestAnEmptyTokenLetsNobodyIn(t *testing.T) {
	r := open(t, upstreamtest.New(t, find), func(o *relay.Options) { o.Bearer = func() string { return "" } }, nil)
	if got := r.send(t, wire.Modern, list, set("Authorization", "Bearer ")); got.status != 401 {
		t.Errorf("HTTP %d", got.status)
	}
}

func TestTheDoorSpeaksTLSWithTheCertificateOfNow(t *testing.T) {
	own := httptest.NewUnstartedServer(nil) // for its certificate
	own.StartTLS()
	defer own.Close()
	pair := own.TLS.Certificates[0]
	r := open(t, upstreamtest.New(t, find), func(o *relay.Options) {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }}
	}, nil)
	pool := x509.NewCertPool()
	pool.AddCert(own.Certificate())
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	req := r.request(t, t.Context(), wire.Modern, list)
	req.URL.Scheme = "https"
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
		t.Errorf("HTTP/%d %d", resp.ProtoMajor, resp.StatusCode)
	}
}
