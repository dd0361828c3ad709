package extproc_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func TestAnswersComeBackThroughEnvoy(t *testing.T) {
	type want struct {
		status int
		body   string
		length string // content-length; "" = not looked at, "-" = there is none
	}
	big := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name, do, up string
		size         int
		want         want
	}{
		{"what the sidecar answers", "answer", "", 0, want{200, `{"answered":25}`, "15"}},
		{"JSON of known length, edited", "forward", "json", 0, want{200, edited, "-"}},
		{"JSON of known length in an initialize", "merge", "json", 0, want{200, edited, ""}},
		{"JSON of known length that is only relayed", "pass", "json", 0, want{200, editable, fmt.Sprint(len(editable))}},
		{"JSON of unknown length", "forward", "chunks", 0, want{200, edited, "-"}},
		{"JSON that never gets whole", "forward", "half", 0, want{200, editable[:20], ""}},
		{"JSON with trailers", "forward", "trailers", 0, want{200, edited, ""}},
		{"large JSON of known length", "forward", "big:3000000", 0, want{200, big(3000000), "3000000"}},
		{"JSON of known length just over the limit", "forward", "big:32001", 0, want{200, big(32001), "32001"}},
		{"JSON of known length at the limit", "forward", "big:32000", 0, want{200, big(32000), "32000"}},
		{"large JSON of unknown length", "forward", "bigchunks:3000000", 0, want{200, big(3000000), "-"}},
		{"an event to edit after a priming one", "forward", "prime", 0,
			want{200, "event: prime\nid: S_0\ndata: \n\n: keep-alive\n\nevent: message\ndata: " + edited + "\n\nevent: message\ndata: {\"more\":true}\n\n", "-"}},
		{"an event of known length", "forward", "ssewhole", 0, want{200, "data: " + edited + "\n\n", "-"}},
		{"a notification", "pass", "", 0, want{202, "", ""}},
		{"a request of 900 KiB", "forward", "json", 900 << 10, want{200, edited, ""}},
		{"a request of 3 MiB", "forward", "json", 3 << 20, want{200, edited, ""}},
		{"a request over the sidecar's limit", "forward", "json", 5 << 20, want{413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}`, ""}},
		{"a request far over the sidecar's limit", "forward", "json", 7 << 20, want{413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}`, ""}},
		{"a request over Envoy's limit", "forward", "json", 20 << 20, want{413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The request is larger than this gateway takes. Send less at once."}}`, ""}},
	}
	for _, other := range []bool{false, true} {
		eachEnvoy(t, laneOptions{unix: other, h2: other}, func(t *testing.T, l *lane) {
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					r := l.ask(t, tt.do, tt.up, tt.size)
					if r.StatusCode != tt.want.status || r.text != tt.want.body {
						t.Errorf("%d %s, want %d %s", r.StatusCode, clip(r.text), tt.want.status, clip(tt.want.body))
					}
					length := r.Header.Get("Content-Length")
					if tt.want.length == "-" && tt.up == "json" {
						tt.want.length = fmt.Sprint(len(edited))
					}
					if tt.want.length == "-" && length != "" || tt.want.length != "" && tt.want.length != "-" && length != tt.want.length {
						t.Errorf("content-length %q, want %q", length, tt.want.length)
					}
				})
			}
		})
	}
}

func clip(s string) string {
	if len(s) > 300 {
		return fmt.Sprintf("%s… (%d bytes)", s[:300], len(s))
	}
	return s
}

func TestACallIsReissuedThroughEnvoy(t *testing.T) {
	eachEnvoy(t, laneOptions{}, func(t *testing.T, l *lane) {
		for _, size := range []int{0, 100000} {
			l.ask(t, "forward", "json", size)
			r, body := l.upstream.request()
			if want := `{"forwarded":"` + strings.Repeat("x", size) + `"}`; body != want || r.ContentLength != int64(len(want)) {
				t.Errorf("the upstream got %s with length %d", clip(body), r.ContentLength)
			}
			if r.URL.Path != "/mcp" || r.Header.Get("Mcp-Name") != "files_read" || r.Header.Get("Accept-Encoding") != "" {
				t.Errorf("the upstream got %s with %v", r.URL.Path, r.Header)
			}
		}
		r := l.ask(t, "forward", "401", 0)
		if got := fmt.Sprintf("%d %q %s", r.StatusCode, r.Header.Values("Www-Authenticate"), r.Header.Get("X-Mcp-Tool-Repaired")); got !=
			`401 ["Bearer resource_metadata=\"http://gw/mcp/search\"" "Basic realm=\"x\""] 2` {
			t.Errorf("the client got %s", got)
		}
		if r := l.ask(t, "forward", "gzip", 0); r.text != editable || !r.Uncompressed {
			t.Errorf("a compressed answer was touched: %q", r.text)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead} {
			if got := l.bodyless(t, method); got != 202 {
				t.Errorf("%s is answered %d", method, got)
			}
			if r, _ := l.upstream.request(); r.Method != method || r.URL.Path != "/mcp" {
				t.Errorf("%s arrived as %s %s", method, r.Method, r.URL.Path)
			}
		}
	})
}

func (l *lane) bodyless(t *testing.T, method string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, l.envoy.URL("/mcp/search"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestNoAnswerIsLostUnderLoad holds leaving streams early: of thousands of answers in every form none is cut or late
// for its edit.
func TestNoAnswerIsLostUnderLoad(t *testing.T) {
	const rounds = 300
	var events strings.Builder
	for i := range 10 {
		fmt.Fprintf(&events, "event: message\ndata: {\"event\":%d}\n\n", i)
	}
	forms := map[string]string{"sse:10": events.String(), "json": edited, "chunks": edited, "bigchunks:50000": strings.Repeat("x", 50000), "": ""}
	eachEnvoy(t, laneOptions{}, func(t *testing.T, l *lane) {
		g, ctx := errgroup.WithContext(t.Context())
		g.SetLimit(24)
		for up, want := range forms {
			for range rounds {
				g.Go(func() error {
					r, err := l.try(ctx, "forward", up, 200)
					if err == nil && r.text != want {
						err = fmt.Errorf("%s: %d %s", up, r.StatusCode, clip(r.text))
					}
					return err
				})
			}
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestALongAnswerOutlivesTheDoor(t *testing.T) {
	eachEnvoy(t, laneOptions{}, func(t *testing.T, l *lane) {
		const events = 8
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.envoy.URL("/mcp/search"), strings.NewReader(`{"do":"forward"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Up", fmt.Sprintf("gatedsse:%d", events))
		l.upstream.gate <- struct{}{}
		resp, err := l.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for got := 0; got < events; {
			if !lines.Scan() {
				t.Fatalf("the stream ended after %d events: %v", got, lines.Err())
			}
			if !strings.HasPrefix(lines.Text(), "data: ") {
				continue
			}
			if got++; got == 1 {
				await(t, func() bool { return l.counts.streams() == 0 }) // not even a killed door could cut it now
				l.stop()
			}
			l.upstream.gate <- struct{}{}
		}
	})
}

func TestACallThatWaitsOutlivesTheDoor(t *testing.T) {
	eachEnvoy(t, laneOptions{}, func(t *testing.T, l *lane) {
		var g errgroup.Group
		for range 20 {
			g.Go(func() error {
				r, err := l.try(t.Context(), "forward", "gated", 0)
				if err == nil && r.text != `{"late":true}` {
					err = fmt.Errorf("%d %s", r.StatusCode, r.text)
				}
				return err
			})
		}
		await(t, func() bool {
			n, err := l.envoy.Stat(t.Context(), "cluster.mcp_0.upstream_rq_active")
			return err == nil && n == 20
		})
		l.stop()
		for range 20 {
			l.upstream.gate <- struct{}{}
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		r := l.ask(t, "answer", "", 0)
		if r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(r.text, `"jsonrpc":"2.0"`) {
			t.Errorf("without the door the client gets %d %s", r.StatusCode, r.text)
		}
	})
}

// await polls until the condition holds.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it never happened")
		}
	}
}

func TestAClientThatGoesEndsTheDecisionThroughEnvoy(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		eachEnvoy(t, laneOptions{h2: h2}, func(t *testing.T, l *lane) {
			ctx, cancel := context.WithCancel(t.Context())
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = l.try(ctx, "slow", "", 0)
			}()
			await(t, func() bool { return l.counts.streams() == 1 })
			cancel()
			<-gone
			await(t, func() bool { return l.counts.ended() == "[canceled]" })
		})
	}
}

func TestASlowDecisionGetsItsTimeFromEnvoy(t *testing.T) {
	eachEnvoy(t, laneOptions{timeout: "1s"}, func(t *testing.T, l *lane) {
		if r := l.ask(t, "slow", "", 0); r.StatusCode != http.StatusOK {
			t.Errorf("a decision of 2.5 s with a message_timeout of 1 s: %d %s", r.StatusCode, r.text)
		}
	})
}

func replace(old, with string) func(string) string {
	return func(config string) string { return strings.Replace(config, old, with, 1) }
}

const shippedModes = "processing_mode: { request_header_mode: SEND, request_body_mode: BUFFERED, response_header_mode: SEND, response_body_mode: NONE }"

func TestFullDuplexWorksThroughEnvoy(t *testing.T) {
	modes := replace(shippedModes, "processing_mode: { request_header_mode: SEND, request_body_mode: FULL_DUPLEX_STREAMED, request_trailer_mode: SEND, "+
		"response_header_mode: SEND, response_body_mode: FULL_DUPLEX_STREAMED, response_trailer_mode: SEND }")
	eachEnvoy(t, laneOptions{config: modes}, func(t *testing.T, l *lane) {
		for up, want := range map[string]string{
			"json": edited, "chunks": edited, "trailers": edited, "ssewhole": "data: " + edited + "\n\n", "": "",
			"big:3000000": strings.Repeat("x", 3000000), "bigchunks:3000000": strings.Repeat("x", 3000000),
		} {
			if r := l.ask(t, "forward", up, 1000); r.text != want {
				t.Errorf("%s: %d %s", up, r.StatusCode, clip(r.text))
			}
		}
		for _, size := range []int{900 << 10, 3 << 20} {
			l.ask(t, "forward", "json", size)
			if _, body := l.upstream.request(); len(body) != size+len(`{"forwarded":""}`) {
				t.Errorf("the upstream got %d bytes for %d", len(body), size)
			}
		}
		if r := l.ask(t, "answer", "", 3<<20); r.StatusCode != http.StatusOK {
			t.Errorf("an immediate answer: %d %s", r.StatusCode, r.text)
		}
		if r := l.ask(t, "forward", "json", 20<<20); r.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a request over the limit: %d %s", r.StatusCode, r.text)
		}
		if got := l.bodyless(t, http.MethodGet); got != 202 {
			t.Errorf("GET: %d", got)
		}
	})
}

func TestFullDuplexLosesNothingUnderLoad(t *testing.T) {
	modes := replace(shippedModes, "processing_mode: { request_header_mode: SEND, request_body_mode: FULL_DUPLEX_STREAMED, request_trailer_mode: SEND, "+
		"response_header_mode: SEND, response_body_mode: FULL_DUPLEX_STREAMED, response_trailer_mode: SEND }")
	eachEnvoy(t, laneOptions{config: modes}, func(t *testing.T, l *lane) {
		g, ctx := errgroup.WithContext(t.Context())
		g.SetLimit(16)
		for range 300 {
			g.Go(func() error {
				r, err := l.try(ctx, "forward", "sse:20", 2000)
				if n := strings.Count(r.text, "data:"); err == nil && n != 20 {
					err = fmt.Errorf("%d of 20 events", n)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestFullDuplexRequestsWithStreamedAnswers(t *testing.T) {
	modes := replace(shippedModes, "processing_mode: { request_header_mode: SEND, request_body_mode: FULL_DUPLEX_STREAMED, request_trailer_mode: SEND, "+
		"response_header_mode: SEND, response_body_mode: STREAMED }")
	eachEnvoy(t, laneOptions{config: modes}, func(t *testing.T, l *lane) {
		for up, want := range map[string]string{"json": edited, "chunks": edited, "ssewhole": "data: " + edited + "\n\n", "big:3000000": strings.Repeat("x", 3000000)} {
			if r := l.ask(t, "forward", up, 100000); r.text != want {
				t.Errorf("%s: %d %s", up, r.StatusCode, clip(r.text))
			}
		}
	})
}

func TestSkippedAnswerHeadersAreAskedFor(t *testing.T) {
	skip := replace("response_header_mode: SEND", "response_header_mode: SKIP")
	eachEnvoy(t, laneOptions{config: skip}, func(t *testing.T, l *lane) {
		if r := l.ask(t, "forward", "json", 0); r.text != edited {
			t.Errorf("%d %s", r.StatusCode, r.text)
		}
		if r := l.ask(t, "forward", "401", 0); !strings.Contains(r.Header.Get("Www-Authenticate"), "/mcp/search") {
			t.Errorf("the challenge is %v", r.Header)
		}
	})
}

// TestSmallBuffersFailNoAnswer runs with the limits of a stock Envoy Gateway: answers up to the edit limit are taken
// whole, larger ones aren't.
func TestSmallBuffersFailNoAnswer(t *testing.T) {
	small := func(config string) string {
		config = strings.Replace(config, "per_connection_buffer_limit_bytes: 8388608", "per_connection_buffer_limit_bytes: 32768", 1)
		return strings.Replace(config, "connect_timeout: 5s", "connect_timeout: 5s\n    per_connection_buffer_limit_bytes: 32768", 1)
	}
	eachEnvoy(t, laneOptions{config: small}, func(t *testing.T, l *lane) {
		for up, want := range map[string]string{
			"json": edited, "big:32000": strings.Repeat("x", 32000), "big:40000": strings.Repeat("x", 40000), "bigchunks:31000": strings.Repeat("x", 31000),
			"bigchunks:100000": strings.Repeat("x", 100000), "bigevent:100000": "data: " + strings.Repeat("x", 100000) + "\n\n",
		} {
			if r := l.ask(t, "forward", up, 0); r.text != want {
				t.Errorf("%s: %d %s", up, r.StatusCode, clip(r.text))
			}
		}
	})
}

func TestAListOfAllowedOverridesIsHonoured(t *testing.T) {
	list := replace("allow_mode_override: true", "allow_mode_override: true\n              allowed_override_modes: "+
		"[ { request_body_mode: BUFFERED, response_header_mode: SEND, response_body_mode: BUFFERED }, { request_body_mode: BUFFERED, response_header_mode: SEND, response_body_mode: STREAMED } ]")
	eachEnvoy(t, laneOptions{config: list}, func(t *testing.T, l *lane) {
		for up, want := range map[string]string{"json": edited, "chunks": edited, "ssewhole": "data: " + edited + "\n\n"} {
			if r := l.ask(t, "forward", up, 0); r.text != want {
				t.Errorf("%s: %d %s", up, r.StatusCode, r.text)
			}
		}
	})
}

func TestWithoutOverridesCallsWorkAndOneLineSaysWhatIsMissing(t *testing.T) {
	off := replace("allow_mode_override: true", "allow_mode_override: false")
	eachEnvoy(t, laneOptions{config: off}, func(t *testing.T, l *lane) {
		for range 6 {
			for _, up := range []string{"json", "chunks", "ssewhole"} {
				if r := l.ask(t, "forward", up, 0); !strings.Contains(r.text, editable) {
					t.Errorf("%s: %d %s", up, r.StatusCode, r.text)
				}
			}
		}
		if n := strings.Count(l.log.String(), "allow_mode_override: true"); n != 1 {
			t.Errorf("%d lines say what to set:\n%s", n, l.log.String())
		}
	})
}
