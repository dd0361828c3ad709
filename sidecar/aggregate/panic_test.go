package aggregate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

// panickingWriter is a connection whose first byte panics with what the request holds.
type panickingWriter struct {
	http.ResponseWriter
	value string
}

func (w panickingWriter) Write([]byte) (int, error) { panic(w.value) }

// TestAPanicTellsNoValue: the answer is cut off, and the log says what and where, without the value.
func TestAPanicTellsNoValue(t *testing.T) {
	b := sdk(t, true, echoes("y=b ran"))
	r := start(t, []servers.Server{at("a", b.URL), at("b", b.URL)})
	req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(strings.ReplaceAll(hello, `"id":1`, `"id":"m4rk"`)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer m4rk")
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the answer ends with %T", p)
			}
		}()
		r.ServeHTTP(panickingWriter{httptest.NewRecorder(), "m4rk"}, req)
	}()
	if log := r.log.String(); strings.Contains(log, "m4rk") || !strings.Contains(log, "made the merge panic") || !strings.Contains(log, "panickingWriter.Write") {
		t.Errorf("the log says %s", log)
	}
}
