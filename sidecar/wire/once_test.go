package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// TestNothingIsSentTwice: the server reads a request on a connection that was used before, and breaks off.
func TestNothingIsSentTwice(t *testing.T) {
	for _, header := range []string{"", "Idempotency-Key", "X-Idempotency-Key"} {
		t.Run("with "+header, func(t *testing.T) {
			var seen atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err == nil && r.URL.Path == "/breaks" {
					seen.Add(1)
					panic(http.ErrAbortHandler)
				}
			}))
			defer server.Close()
			ask := func(path string) error {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader("a call"))
				if err != nil {
					t.Fatal(err)
				}
				if header != "" {
					r.Header.Set(header, "key")
				}
				wire.Once(r)
				resp, err := server.Client().Do(r)
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				_, err = io.Copy(io.Discard, resp.Body)
				return err
			}
			if err := ask("/works"); err != nil {
				t.Fatal(err)
			}
			if err := ask("/breaks"); err == nil {
				t.Error("a request whose connection broke succeeded")
			}
			if n := seen.Load(); n != 1 {
				t.Errorf("the server got it %d times", n)
			}
		})
	}
}
