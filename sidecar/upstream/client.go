package upstream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	defaultListTimeout = 30 * time.Second
	defaultMaxPages    = 100
	defaultMaxTools    = 20_000
	defaultMaxBytes    = 64 << 20
	defaultMaxAnswer   = 4 << 20

	// partingTimeout bounds what is sent after the work is done or given up:
	// ending a session, cancelling a call, answering a server's request.
	partingTimeout = 2 * time.Second
)

// Client lists and calls upstreams. It is safe for concurrent use and owns no
// goroutines.
type Client struct {
	opt   Options
	http  *http.Client
	eras  *eraMemory
	ids   string // random prefix: ids of ours can't collide with a client's in its session
	count atomic.Uint64
}

// New makes a client; zero options get their defaults.
func New(o Options) *Client {
	o = o.withDefaults()
	var seed [6]byte
	_, _ = rand.Read(seed[:]) // it never fails (crypto/rand)
	return &Client{
		opt: o, eras: newEraMemory(maxTargets), ids: "ts-" + hex.EncodeToString(seed[:]) + "-",
		http: &http.Client{
			Transport: o.Transport,
			// A redirect would carry the caller's credentials to a place nobody configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (o Options) withDefaults() Options {
	o.ListTimeout = orDefault(o.ListTimeout, defaultListTimeout)
	o.MaxPages = orDefault(o.MaxPages, defaultMaxPages)
	o.MaxTools = orDefault(o.MaxTools, defaultMaxTools)
	o.MaxBytes = orDefault(o.MaxBytes, defaultMaxBytes)
	o.MaxAnswerBytes = orDefault(o.MaxAnswerBytes, defaultMaxAnswer)
	if o.Version == "" {
		o.Version = "dev"
	}
	o.Transport = Transport(o.Transport)
	return o
}

func orDefault[T int | int64 | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

// MaxHeaderBytes is how large the headers of an upstream's answer may be.
const MaxHeaderBytes = 256 << 10

// Transport makes sure that the transport doesn't ask for gzip: limits
// count bytes on the wire, and a small answer must not grow without bound. nil
// gives one of our own, which uses no proxy.
func Transport(rt http.RoundTripper) http.RoundTripper {
	if rt == nil {
		return &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       90 * time.Second,
			ExpectContinueTimeout: time.Second,
			ForceAttemptHTTP2:     true,
			DisableCompression:    true,

			MaxResponseHeaderBytes: MaxHeaderBytes,
		}
	}
	t, ok := rt.(*http.Transport)
	if !ok || t.DisableCompression {
		return rt
	}
	t = t.Clone()
	t.DisableCompression = true
	return t
}

// CloseIdleConnections closes connections kept for the next request.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// newID is a JSON string token that no other request carries.
func (c *Client) newID() []byte {
	return []byte(`"` + c.ids + strconv.FormatUint(c.count.Add(1), 10) + `"`)
}

// parting is a context for the last words of a request: it outlives ctx for a
// short time and keeps its values.
func parting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), partingTimeout)
}
