package member

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// TestARequestThatIsAnsweredWithNothing: the client is told, whatever the eras.
func TestARequestThatIsAnsweredWithNothing(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter){
		"204":                       func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
		"202":                       func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) },
		"200 and no bytes":          func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json") },
		"200, no bytes and no type": func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"200 and an empty chunk": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()
		},
	} {
		for _, eras := range []upstreamtest.Eras{upstreamtest.LegacyOnly, upstreamtest.ModernOnly} {
			for _, client := range []Client{legacyClient("k"), modernClient("k")} {
				t.Run(name, func(t *testing.T) {
					up := scripted(t, eras, tool("find"))
					web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						raw, _ := io.ReadAll(r.Body)
						if strings.Contains(string(raw), `"tools/call"`) {
							answer(w)
							return
						}
						r.Body = io.NopCloser(strings.NewReader(string(raw)))
						up.ServeHTTP(w, r)
					}))
					t.Cleanup(web.Close)
					m := newMember(t, web.URL, nil)
					message := call(client.Era, "7", "find", "{}")
					_, err := session(t, m, client, "").Post(t.Context(), message, http.Header{})
					if e := mustKind(t, err, upstream.Garbage); !strings.Contains(e.Error(), "server mail") {
						t.Errorf("error %v", e)
					}
					_, err = m.Relay(t.Context(), client, http.MethodPost, message, http.Header{"Content-Type": {"application/json"}})
					mustKind(t, err, upstream.Garbage)
				})
			}
		}
	}
}

func TestANotificationIsAnsweredWithNothing(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	m := newMember(t, up.URL(), nil)
	a, err := m.Relay(t.Context(), legacyClient("k"), http.MethodPost, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), http.Header{"Content-Type": {"application/json"}})
	if err != nil || a.Status >= http.StatusInternalServerError {
		t.Errorf("answer %+v, %v", a, err)
	}
	if a != nil {
		a.Body.Close()
	}
	if status, _, _ := post(t, session(t, m, legacyClient("k"), ""), body(wire.Legacy, "1", "ping", "{}")); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
}
