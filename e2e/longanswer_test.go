package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

const (
	longAnswer  = 60 * time.Second
	betweenBeat = 500 * time.Millisecond
	slowTool    = `{"name":"slow_report","description":"Takes its time.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{}}}`
)

// beats is an upstream whose slow_report answers with an event twice a second for a minute; each says when it was sent.
type beats struct{ up *upstreamtest.Server }

func (b beats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !bytes.Contains(body, []byte(`"slow_report"`)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		b.up.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(message string) {
		_, _ = io.WriteString(w, "event: message\ndata: "+message+"\n\n")
		_ = flush.Flush()
	}
	tick := time.NewTicker(betweenBeat)
	defer tick.Stop()
	for i := range int(longAnswer / betweenBeat) {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d,"sent":%d}}`, i, time.Now().UnixMilli()))
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)
}

// TestALongAnswerOutlivesTheSidecar holds invariant 1 of package extproc: a minute of events reaches the client, each
// within a second, although the sidecar is killed and restarted in the middle, and of the answer only the first event
// passed through it.
func TestALongAnswerOutlivesTheSidecar(t *testing.T) {
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			t.Parallel()
			up := upstreamtest.New(t, slowTool)
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: []envoy.Pair{
				{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: e2e.Serve(t, beats{up}), Rewrite: "/mcp"}}})
			resp := openCall(t, s, "slow_report")
			defer resp.Body.Close()
			seen, first := 0, 0
			for a := range arrivals(resp.Body) {
				if a.err != nil {
					t.Fatalf("the answer broke off after %d events: %v", seen, a.err)
				}
				if late := a.at.Sub(sentAt(t, a.event.Data)); late > time.Second {
					t.Errorf("event %d came %s after it was sent", seen, late)
				}
				switch seen++; seen {
				case 1:
					first = len(a.event.Raw)
				case 4:
					quiet(t, s) // the stream was left after the first event
					if n := counter(t, s, "mcp_toolsearch_extproc_answer_bytes_total"); n > first {
						t.Errorf("%d bytes of the answer passed through the sidecar, more than the %d of its first event", n, first)
					}
				case 40:
					s.KillSidecar()
				case 50:
					s.StartSidecar()
				}
			}
			if want := int(longAnswer / betweenBeat); seen != want {
				t.Errorf("%d events arrived, %d were sent", seen, want)
			}
		})
	}
}

// arrival is an event of the answer and when it came, or the error that broke the answer off.
type arrival struct {
	event wire.Event
	at    time.Time
	err   error
}

// arrivals reads an answer up to its result, whatever the test does meanwhile.
func arrivals(body io.Reader) <-chan arrival {
	all := make(chan arrival, longAnswer/betweenBeat+1)
	go func() { // ends with the answer
		defer close(all)
		events := wire.NewEventReader(bufio.NewReader(body), 1<<20)
		for {
			ev, err := events.Next()
			if err == nil && bytes.Contains(ev.Data, []byte(`"result"`)) {
				return
			}
			all <- arrival{ev, time.Now(), err}
			if err != nil {
				return
			}
		}
	}()
	return all
}

func sentAt(t *testing.T, event []byte) time.Time {
	t.Helper()
	_, rest, ok := strings.Cut(string(event), `"sent":`)
	ms, err := strconv.ParseInt(strings.TrimRight(rest, "}"), 10, 64)
	if !ok || err != nil {
		t.Fatalf("an event without its time: %s", event)
	}
	return time.UnixMilli(ms)
}

// openCall starts a call through call_read_tool and returns when its headers are here.
func openCall(t *testing.T, s *e2e.Stack, tool string) *http.Response {
	t.Helper()
	body := callBody("call_read_tool", map[string]any{"name": tool})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL("/mcp/search"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the call was answered %d", resp.StatusCode)
	}
	return resp
}
