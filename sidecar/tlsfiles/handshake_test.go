package tlsfiles_test

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	"mcp-toolsearch/internal/certificates"
	"mcp-toolsearch/sidecar/tlsfiles"
)

func TestWhyAHandshakeFailed(t *testing.T) {
	r := newRig(t, func(o *tlsfiles.Options) { o.Names = []string{"envoy.example"} })
	good := []tls.Certificate{r.authority.Pair(t, certificates.Leaf{DNS: "envoy.example"})}
	stranger := certificates.NewAuthority(t)
	trusting := func(c *tls.Config) *tls.Config { c.RootCAs = r.authority.Pool(); c.ServerName = "localhost"; return c }
	for _, c := range []struct {
		name   string
		client *tls.Config
		want   string
	}{
		{"no certificate", trusting(&tls.Config{}), "no_certificate"},
		{"a stranger's certificate", trusting(&tls.Config{Certificates: []tls.Certificate{stranger.Pair(t, certificates.Leaf{DNS: "envoy.example"})}}), "not_trusted"},
		{"a certificate that has ended", trusting(&tls.Config{Certificates: []tls.Certificate{r.authority.Pair(t, certificates.Leaf{DNS: "envoy.example", To: time.Now().Add(-time.Minute)})}}), "expired"},
		{"another name", trusting(&tls.Config{Certificates: []tls.Certificate{r.authority.Pair(t, certificates.Leaf{DNS: "other.example"})}}), "not_admitted"},
		{"ours isn't trusted", &tls.Config{RootCAs: stranger.Pool(), ServerName: "localhost", Certificates: good}, "ours_not_wanted"},
		{"ours has ended for the client", trusting(&tls.Config{Certificates: good, Time: func() time.Time { return time.Now().Add(48 * time.Hour) }}), "ours_not_wanted"},
		{"an old version", trusting(&tls.Config{Certificates: good, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), "version"},
		{"nothing is wrong", trusting(&tls.Config{Certificates: good}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := failure(t, r, func(conn net.Conn) { _ = tls.Client(conn, c.client).Handshake() }); got != c.want {
				t.Errorf("reason %q, want %q", got, c.want)
			}
		})
	}
	for name, want := range map[string]string{"GET / HTTP/1.1\r\n\r\n": "no_tls", "": "closed", "\x15\x03\x03\x00\x02\x02\x2d": "ours_expired", "\x15\x03\x03\x00\x02\x02\x28": "other"} {
		if got := failure(t, r, func(conn net.Conn) { _, _ = conn.Write([]byte(name)) }); got != want {
			t.Errorf("%q: reason %q, want %q", name, got, want)
		}
	}
	if n := len(tlsfiles.Reasons()); n != 11 {
		t.Errorf("%d reasons", n)
	}
}

// failure is why a listener's handshake with a client fails; "" when it doesn't.
func failure(t *testing.T, r *rig, client func(net.Conn)) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	why := make(chan error)
	go func() {
		conn, err := lis.Accept()
		if err == nil {
			defer conn.Close()
			err = tls.Server(conn, r.files.Server("x")).Handshake()
		}
		why <- err
	}()
	conn, err := net.Dial("tcp", lis.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client(conn)
	_ = conn.(*net.TCPConn).CloseWrite() // a TLS client has left already
	err = <-why
	_ = conn.Close()
	if err == nil {
		return ""
	}
	f := tlsfiles.FailureOf(err)
	if f.Next == "" {
		t.Errorf("%s: nothing says what to do", f.Reason)
	}
	return f.Reason
}
