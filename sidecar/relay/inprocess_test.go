package relay_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/relay"
)

// inProcess asks a handler without a connection.
func inProcess(t *testing.T, h http.HandlerFunc) *relay.InProcess {
	t.Helper()
	transport := relay.NewInProcess(h)
	t.Cleanup(transport.Close)
	return transport
}

func ask(ctx context.Context, t *testing.T, transport http.RoundTripper, method string, body io.Reader) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://aggregate/mcp/all?x=1", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Asked", "yes")
	return transport.RoundTrip(req)
}

func TestAHandlerInThisProcessSeesARequestAsServed(t *testing.T) {
	transport := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Seen", strings.Join([]string{r.Method, r.RequestURI, r.Host, r.Header.Get("X-Asked"), string(body)}, " "))
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("X-Late", "not sent")
		_, _ = io.WriteString(w, "short")
	})
	resp, err := ask(t.Context(), t, transport, http.MethodPost, strings.NewReader("b0dy"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "short" || resp.StatusCode != http.StatusAccepted || resp.ContentLength != 5 || resp.Header.Get("Content-Length") != "5" {
		t.Errorf("%d %q of length %d, %v", resp.StatusCode, body, resp.ContentLength, err)
	}
	if got := resp.Header.Get("X-Seen"); got != "POST /mcp/all?x=1 aggregate yes b0dy" || resp.Header.Get("X-Late") != "" {
		t.Errorf("the handler saw %q, late header %q", got, resp.Header.Get("X-Late"))
	}
}

func TestAnAnswerIsKnownByItsStatus(t *testing.T) {
	for method, status := range map[string]int{http.MethodDelete: http.StatusNoContent, http.MethodHead: http.StatusOK} {
		transport := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(status)
			if _, err := io.WriteString(w, "x"); (err != nil) != (status == http.StatusNoContent) {
				t.Errorf("%s: writing a body: %v", method, err)
			}
		})
		resp, err := ask(t.Context(), t, transport, method, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); len(body) != 0 || err != nil || resp.StatusCode != status {
			t.Errorf("%s: %d %q %v", method, resp.StatusCode, body, err)
		}
		_ = resp.Body.Close()
	}
}

func TestWhatIsFlushedArrivesAtOnce(t *testing.T) {
	more := make(chan struct{})
	transport := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 2 {
			_, _ = io.WriteString(w, "event\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-more
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 9000))
	})
	resp, err := ask(t.Context(), t, transport, http.MethodGet, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	piece := make([]byte, 6)
	for range 2 {
		if _, err := io.ReadFull(resp.Body, piece); err != nil || string(piece) != "event\n" {
			t.Fatalf("%q %v", piece, err)
		}
		more <- struct{}{}
	}
	if rest, err := io.ReadAll(resp.Body); len(rest) != 9000 || err != nil || resp.ContentLength != -1 {
		t.Errorf("%d bytes more, %v, length %d", len(rest), err, resp.ContentLength)
	}
}

func TestWhoLeavesEndsTheOtherSide(t *testing.T) {
	ended := make(chan error, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		_, err := io.WriteString(w, strings.Repeat("x", 9000))
		ended <- err
	}
	t.Run("by closing the body", func(t *testing.T) {
		resp, err := ask(t.Context(), t, inProcess(t, handler), http.MethodGet, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if err := <-ended; err == nil {
			t.Error("the handler could write on")
		}
	})
	t.Run("by its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := ask(ctx, t, inProcess(t, handler), http.MethodGet, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("reading on gave %v", err)
		}
		<-ended
	})
	t.Run("before there is an answer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		silent := inProcess(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		if resp, err := ask(ctx, t, silent, http.MethodPost, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("answer %v, %v", resp, err)
		}
	})
}

func TestAHandlerThatBreaksOffIsAnError(t *testing.T) {
	before := inProcess(t, func(http.ResponseWriter, *http.Request) { panic("m4rk") })
	if _, err := ask(t.Context(), t, before, http.MethodGet, nil); err == nil || strings.Contains(err.Error(), "m4rk") {
		t.Errorf("error %v", err)
	}
	within := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	resp, err := ask(t.Context(), t, within, http.MethodGet, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", body, err)
	}
}

func TestAClosedTransportEndsEverything(t *testing.T) {
	transport := relay.NewInProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	resp, err := ask(t.Context(), t, transport, http.MethodGet, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	transport.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the answer ended well")
	}
	if _, err := ask(t.Context(), t, transport, http.MethodGet, nil); err == nil {
		t.Error("a closed transport still asks")
	}
}
