package member

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// roundTrip is a transport of a test's.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func refused() (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused at s3cret")}
}

func TestAServerThatIsDownIsTriedWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts, seen := 0, &observed{}
		m := New(Options{Server: server("mail", "http://mail.test/mcp"), Observer: seen, Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			attempts++
			return refused()
		})})
		defer m.Close()
		var waits []time.Duration
		began := time.Now()
		for len(waits) < 10 {
			before := attempts
			_, err := m.List(t.Context(), modernClient(""), "tools/list")
			e := mustKind(t, err, upstream.Unreachable)
			if e.Waiting == (attempts > before) {
				t.Fatalf("waiting %v after %d attempts", e.Waiting, attempts-before)
			}
			if attempts > before {
				waits = append(waits, time.Since(began))
				began = time.Now()
			}
			time.Sleep(100 * time.Millisecond)
		}
		want := []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
			16 * time.Second, 32 * time.Second, time.Minute, time.Minute}
		for i := range want {
			if waits[i] != want[i] {
				t.Errorf("pauses %v, want %v", waits, want)
				break
			}
		}
		if st := m.State(); st.Up || st.Kind != upstream.Unreachable || st.Failures != 10 || st.RetryAt.IsZero() {
			t.Errorf("state %+v", st)
		}
		if seen.counts() != [3]int{0, 1, 0} {
			t.Errorf("observed %v", seen.counts())
		}
	})
}

// TestOneRequestIsLetThroughAfterThePause: while it is under way the others still
// fail at once; when its client leaves, the next one may try.
func TestOneRequestIsLetThroughAfterThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang, attempts := false, 0
		m := New(Options{Server: server("mail", "http://mail.test/mcp"), Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			attempts++
			if hang {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return refused()
		})})
		defer m.Close()
		list := func(ctx context.Context) error {
			_, err := m.List(ctx, modernClient(""), "tools/list")
			return err
		}
		mustKind(t, list(t.Context()), upstream.Unreachable)
		time.Sleep(firstPause)
		hang = true
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- list(ctx) }()
		synctest.Wait()
		if e := mustKind(t, list(t.Context()), upstream.Unreachable); !e.Waiting || attempts != 2 {
			t.Errorf("waiting %v, %d attempts", e.Waiting, attempts)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		go func() { done <- list(t.Context()) }()
		synctest.Wait()
		if attempts != 3 {
			t.Errorf("nobody tried after the first one left")
		}
		if e := mustKind(t, <-done, upstream.TimedOut); e.Waiting { // after the time to open
			t.Errorf("error %v", e)
		}
	})
}

func TestRequestsThatFailTogetherAreOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := make(chan struct{})
		m := New(Options{Server: server("mail", "http://mail.test/mcp"), Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			<-down
			return refused()
		})})
		defer m.Close()
		for range 20 {
			go func() { _, _ = m.List(t.Context(), modernClient(""), "tools/list") }()
		}
		synctest.Wait()
		close(down)
		synctest.Wait()
		if st := m.State(); st.Failures != 1 || time.Until(st.RetryAt) > firstPause {
			t.Errorf("%d failures, tried again in %s; want one, and %s", st.Failures, time.Until(st.RetryAt), firstPause)
		}
	})
}

func TestAServerComesBackAsAnother(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, tool("find"))
	seen, down := &observed{}, false
	m := newMember(t, up.URL(), func(o *Options) {
		o.Observer = seen
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if down {
				return refused()
			}
			return http.DefaultTransport.RoundTrip(r)
		})
	})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c := modernClient("k")
	if _, err := m.List(t.Context(), c, "tools/list"); err != nil {
		t.Fatal(err)
	}
	down = true
	_, err := m.List(t.Context(), c, "tools/list")
	mustKind(t, err, upstream.Unreachable)
	down = false
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly })
	until(t, "it is listed again", func() bool {
		items, err := m.List(t.Context(), c, "tools/list")
		return err == nil && len(items) == 1
	})
	if d, err := m.Describe(t.Context(), c); err != nil || d.Era != wire.Legacy {
		t.Errorf("description %+v, %v", d, err)
	}
	if seen.counts() != [3]int{0, 1, 2} || !m.State().Up {
		t.Errorf("observed %v", seen.counts())
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		for name, kind := range map[string]upstreamtest.FaultKind{"that never answers": upstreamtest.Hang, "that stops in the stream": upstreamtest.Trickle} {
			t.Run(era.String()+", one "+name, func(t *testing.T) {
				up := scripted(t, upstreamtest.Both, tool("find"))
				up.Fail("tools/call", upstreamtest.Fault{Kind: kind})
				m := newMember(t, up.URL(), func(o *Options) { o.Server.Timeout = 50 * time.Millisecond })
				a, err := session(t, m, clientOf(era, "k"), "").Post(t.Context(), call(era, `"c-1"`, "find", "{}"), nil)
				if err == nil {
					buf := make([]byte, 1000)
					for err == nil {
						_, err = a.Body.Read(buf)
					}
					a.Body.Close()
				}
				mustKind(t, err, upstream.TimedOut)
				if era == wire.Legacy {
					r := up.RequestsOf("notifications/cancelled")
					if len(r) != 1 || !strings.Contains(string(r[0].Params), `"requestId":"c-1"`) {
						t.Errorf("cancelled: %v", r)
					}
				}
				if !m.State().Up {
					t.Errorf("one slow call doesn't make a server down")
				}
			})
		}
	}
}

// TestAServerThatTalksIsWaitedFor: the time for a call is time of silence.
func TestAServerThatTalksIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, p := withPatience(t.Context(), time.Second)
		for range 5 {
			time.Sleep(900 * time.Millisecond)
			p.heard()
		}
		if ctx.Err() != nil {
			t.Fatal("given up though it was heard")
		}
		time.Sleep(1100 * time.Millisecond)
		if !errors.Is(context.Cause(ctx), errSilent) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		p.heard()
		p.end()
	})
}

func TestAClientsOwnDeadlineSaysNothingOfTheServer(t *testing.T) {
	up := scripted(t, upstreamtest.Both, tool("find"))
	up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Hang})
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		m := newMember(t, up.URL(), nil)
		_, err := m.List(within(t, 30*time.Millisecond), clientOf(era, "k"), "tools/list")
		mustKind(t, err, upstream.TimedOut)
		if !m.State().Up {
			t.Errorf("%v: the server is taken for down", era)
		}
	}
}

// quiet is a legacy server without a network: it counts its sessions, and its
// calls last until gate closes.
type quiet struct {
	gate       chan struct{}
	mu         sync.Mutex
	made, open int
}

func (q *quiet) sessions() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open
}

func (q *quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, _ := io.ReadAll(r.Body)
	h := http.Header{"Content-Type": {"application/json"}}
	method, _ := wire.String(member(raw, "method"))
	result := `{}`
	q.mu.Lock()
	switch {
	case r.Method == http.MethodDelete:
		q.open--
	case method == "initialize":
		q.made, q.open = q.made+1, q.open+1
		h.Set("Mcp-Session-Id", fmt.Sprintf("q-%d", q.made))
		result = `{"protocolVersion":"2025-11-25","capabilities":{}}`
	}
	q.mu.Unlock()
	if method == "tools/call" {
		<-q.gate
	}
	text := wire.ResultBody(member(raw, "id"), wire.Legacy, []byte(result))
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Request: r}, nil
}

func TestIdleSessionsAreEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quiet{gate: make(chan struct{})}
		m := New(Options{Server: server("mail", "http://mail.test/mcp"), Transport: q})
		defer m.Close()
		session(t, m, legacyClient("idle"), "")
		shared := legacyClient("shared")
		shared.Shared = true
		session(t, m, shared, "")
		s := session(t, m, legacyClient("busy"), "")
		done := make(chan error, 1)
		go func() {
			a, err := s.Post(t.Context(), call(wire.Legacy, "1", "slow", "{}"), nil)
			if err == nil {
				_, _ = io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
			done <- err
		}()
		synctest.Wait()
		time.Sleep(defaultIdleTimeout - time.Minute)
		if q.sessions() != 3 {
			t.Errorf("%d sessions before the time", q.sessions())
		}
		close(q.gate)
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(defaultIdleTimeout / 2)
		synctest.Wait()
		if q.sessions() != 2 || m.table.len() != 1 { // the busy one; the shared one is forgotten, not ended
			t.Errorf("%d sessions, %d remembered", q.sessions(), m.table.len())
		}
		time.Sleep(2 * defaultIdleTimeout)
		synctest.Wait()
		if q.sessions() != 1 || m.table.len() != 0 {
			t.Errorf("%d sessions, %d remembered", q.sessions(), m.table.len())
		}
	})
}

// TestWhyACommandDoesNotRun: the transport that starts it is ours, so its words
// may be told; those of a server at a URL may not.
func TestWhyACommandDoesNotRun(t *testing.T) {
	answer := roundTrip(func(r *http.Request) (*http.Response, error) {
		raw, _ := io.ReadAll(r.Body)
		text := wire.ErrorBody(member(raw, "id"), wire.CodeInternal, "it could not be started: correct its s3cret command", nil)
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Request: r}, nil
	})
	local := newMember(t, "", func(o *Options) { o.Transport = answer })
	_, err := local.Describe(t.Context(), legacyClient("k"))
	if err == nil || err.Error() != "server mail unreachable (HTTP 503): it could not be started: correct its s3cret command" || local.State().Up {
		t.Errorf("error %v", err)
	}
	remote := newMember(t, "http://mail.test/mcp", func(o *Options) { o.Transport = answer })
	_, err = remote.Describe(t.Context(), legacyClient("k"))
	mustKind(t, err, upstream.BadStatus)
}
