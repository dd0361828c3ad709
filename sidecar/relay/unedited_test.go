package relay_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

func TestAnAnswerTooLargeToEditIsReported(t *testing.T) {
	up := upstreamtest.New(t, find)
	answer := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", 20_000) + `"}}`
	for name, contentType := range map[string]string{"of known length": "application/json", "in pieces": "application/json", "an event": "text/event-stream"} {
		t.Run(name, func(t *testing.T) {
			body := answer
			if contentType == "text/event-stream" {
				body = "data: " + answer + "\n\n"
			}
			r := open(t, up, func(o *relay.Options) { o.EditBytes = 4000 }, aside(t, up, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				if name != "in pieces" {
					w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				}
				for _, piece := range []string{body[:3000], body[3000:]} {
					fmt.Fprint(w, piece)
					w.(http.Flusher).Flush()
				}
			}))
			got := r.send(t, wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`)
			if got.body != body || !slices.Equal(r.test.Seen.Unedited(), []string{"too_large"}) {
				t.Errorf("%d bytes of %d, reported %v: %.300s", len(got.body), len(body), r.test.Seen.Unedited(), got.body)
			}
		})
	}
}
