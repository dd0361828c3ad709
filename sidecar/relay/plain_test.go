package relay_test

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// TestWhatIsNoHTTPIsAJSONRPCError: net/http answers these before any handler sees them.
func TestWhatIsNoHTTPIsAJSONRPCError(t *testing.T) {
	r := open(t, upstreamtest.New(t, find), nil, nil)
	for name, tt := range map[string]struct {
		sent   string
		status int
		text   string
	}{
		"no HTTP":                {"m4rk m4rk m4rk m4rk m4rk m4rk\r\n\r\n", 400, "no HTTP request"},
		"no Host":                {"POST /mcp HTTP/1.1\r\n\r\n", 400, "no HTTP request"},
		"headers without an end": {"GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("m4rk", 20_000) + "\r\n\r\n", 431, "larger than 64 KiB"},
		"an unknown encoding":    {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: m4rk\r\n\r\n", 501, "Transfer-Encoding is not known"},
		"a version of tomorrow":  {"POST /mcp HTTP/3.0\r\nHost: localhost\r\n\r\n", 505, "version of HTTP"},
		"a question to nothing":  {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, "nothing is served at this path"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", r.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(conn, tt.sent); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			var message struct {
				JSONRPC string `json:"jsonrpc"`
				Error   struct{ Message string }
			}
			if err != nil || json.Unmarshal(body, &message) != nil || resp.StatusCode != tt.status || resp.Header.Get("Content-Type") != "application/json" ||
				message.JSONRPC != "2.0" || !strings.Contains(message.Error.Message, tt.text) || strings.Contains(string(body), "m4rk") {
				t.Errorf("HTTP %d %s, %v; want %d with %q", resp.StatusCode, body, err, tt.status, tt.text)
			}
		})
	}
}

func TestOddMethodsAreRefusedOnEveryPath(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, nil)
	for _, path := range []string{"/mcp/search", "/mcp/all"} {
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodTrace, "BREW"} {
			got := r.send(t, wire.Modern, list, func(hr *http.Request) {
				hr.Method, hr.Body, hr.ContentLength = method, nil, 0
				hr.URL.Path = path
			})
			got.mustFail(t, http.StatusMethodNotAllowed, "send JSON-RPC messages by POST")
			if got.header.Get("Allow") == "" {
				t.Errorf("%s %s: no Allow", method, path)
			}
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d of them reached the upstream", n)
	}
}

func TestAQuestionAboutAPathThatIsNotServed(t *testing.T) {
	r := open(t, upstreamtest.New(t, find), func(o *relay.Options) { o.AllowedOrigins = []string{"https://app.example.com"} }, nil)
	got := r.send(t, wire.Modern, list, func(hr *http.Request) {
		hr.Method, hr.Body, hr.ContentLength = http.MethodOptions, nil, 0
		hr.URL.Path = "/elsewhere"
		hr.Header = http.Header{"Origin": {"https://app.example.com"}, "Access-Control-Request-Method": {"POST"}}
	})
	got.mustFail(t, http.StatusNotFound, "the five tools are at /mcp/search, all tools at /mcp/all")
}

// TestPlainHTTPToTLSIsAJSONRPCError: the most likely mistake in a client's URL.
func TestPlainHTTPToTLSIsAJSONRPCError(t *testing.T) {
	own := httptest.NewUnstartedServer(nil)
	own.StartTLS()
	defer own.Close()
	pair := own.TLS.Certificates[0]
	r := open(t, upstreamtest.New(t, find), func(o *relay.Options) {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	}, nil)
	resp, err := http.Post("http://"+r.Addr().String()+"/mcp", "application/json", strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusBadRequest || !json.Valid(body) || !strings.Contains(string(body), "connect by https://") {
		t.Errorf("HTTP %d %s, %v", resp.StatusCode, body, err)
	}
}
