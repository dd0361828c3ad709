package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/upstream"
)

// fails lists nothing but its error.
type fails struct{ err error }

func (f *fails) List(context.Context, upstream.Target, caller.Caller, upstream.ListOptions) (*upstream.Listing, error) {
	return nil, f.err
}

func TestAListingThatFailsIsToldOnceAMinuteForEachKind(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		lister := &fails{}
		m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
		l := newListingLog(lister, m, slog.New(slog.NewTextHandler(&log, nil)), []Route{{"/s", "/all"}, {"/t", "/other"}})
		list := func(err error) {
			lister.err = err
			if _, got := l.List(t.Context(), upstream.Target{URL: "http://g:1/all"}, caller.Caller{}, upstream.ListOptions{}); got != err {
				t.Errorf("the error became %v, want %v", got, err)
			}
		}
		status := &upstream.Error{Kind: upstream.BadStatus, Status: 503, Detail: "the server or the gateway failed"}
		list(status)
		list(status)
		list(&upstream.AuthError{Status: 401, Challenge: []string{"m4rk"}})
		list(context.Canceled)
		list(nil)
		l.Listed("loop", 0, 0, time.Second, "")
		l.Listed("ok", 3, 9, time.Second, "")
		time.Sleep(warnEvery - time.Second) // of the bubble's clock
		list(status)
		if n := strings.Count(log.String(), "kind=bad_status"); n != 1 {
			t.Errorf("told %d times within a minute, want once", n)
		}
		time.Sleep(time.Second)
		list(status)
	})
	text := log.String()
	for want, n := range map[string]int{"level=WARN": 4, `path=/all kind=bad_status next="check the aggregate path in the gateway and the server's log, or --upstream is not the gateway's own address" status=503`: 2,
		"path=/all kind=auth": 1, `path="/all /other" kind=loop`: 1, "m4rk": 0, "cancel": 0} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q is %d times in the log, want %d: %s", want, got, n, text)
		}
	}
}

func TestEveryKindOfFailureHasItsNextStep(t *testing.T) {
	steps := map[string]string{}
	for _, kind := range []string{"unreachable", "timed_out", "garbage", "bad_status", "auth", "too_large", "endless", "loop", "refused"} {
		step := nextStep(kind)
		if other, ok := steps[step]; ok || step == "" {
			t.Errorf("%s and %s have the same next step %q", kind, other, step)
		}
		steps[step] = kind
	}
}

// TestEveryKindOfFailureIsASeriesAtTheStart: package metrics may not know package upstream.
func TestEveryKindOfFailureIsASeriesAtTheStart(t *testing.T) {
	m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for k := upstream.Unreachable; k.String() != "unknown"; k++ {
		if want := `mcp_toolsearch_catalog_listings_total{outcome="` + k.String() + `"} 0`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestNamesThatDifferArePrintedDifferently(t *testing.T) {
	for name, want := range map[string]string{"mail_find": "mail_find", "": "", "naudotojų_sąrašas": "naudotojų_sąrašas", "a ": `"a "`, " a": `" a"`, "a\u00a0b": `"a\u00a0b"`,
		"a\u200bb": `"a\u200bb"`, "a  b": `"a  b"`, "a b": "a b", `"a "`: `"\"a \""`, "a\x1b": `"a\x1b"`, "a\ufffd": "a\ufffd", "a\xff": `"a\xff"`, "\ta": `"\ta"`} {
		if got := printable(name); got != want {
			t.Errorf("%q is printed as %s, want %s", name, got, want)
		}
	}
}
