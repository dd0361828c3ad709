package e2e

import (
	"bytes"
	"encoding/json"
	"index/suffixarray"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mark is in a header of every request that a test sends through [Taints.Transport], and in whatever else tests put it.
const Mark = "zzmarkzz"

// keptBody is how much of a body is looked at for values.
const keptBody = 256 << 10

// Taints are the values that requests and answers of the tests held: none of them may be recorded. It is safe for
// concurrent use.
type Taints struct {
	mu   sync.Mutex
	seen map[string]bool
}

// NewTaints knows no values yet.
func NewTaints() *Taints { return &Taints{seen: map[string]bool{}} }

// Transport notes the values of whatever passes, and marks each request.
func (t *Taints) Transport(next http.RoundTripper) http.RoundTripper { return &tainting{t, next} }

type tainting struct {
	taints *Taints
	next   http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *tainting) RoundTrip(r *http.Request) (*http.Response, error) {
	if operators(r.URL.Path) {
		return t.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Marked", Mark)
	t.taints.headers(r.Header)
	t.taints.Text(r.URL.RawQuery)
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			content, _ := io.ReadAll(io.LimitReader(body, keptBody)) // the request itself reads it again
			_ = body.Close()
			t.taints.Message(content)
		}
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	t.taints.headers(resp.Header)
	resp.Body = &watched{ReadCloser: resp.Body, taints: t.taints}
	return resp, nil
}

// operators tells the paths of the admin listener: what it answers is what may be recorded.
func operators(path string) bool {
	return path == "/metrics" || path == "/readyz" || path == "/refresh" || strings.HasPrefix(path, "/debug/")
}

// CloseIdleConnections does what [http.Client.CloseIdleConnections] asks for.
func (t *tainting) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// watched notes an answer's values when it ends.
type watched struct {
	io.ReadCloser
	taints *Taints
	kept   []byte
	once   sync.Once
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	w.kept = append(w.kept, b[:min(n, keptBody-len(w.kept))]...)
	return n, err
}

func (w *watched) Close() error {
	w.once.Do(func() { w.taints.Message(w.kept) })
	return w.ReadCloser.Close()
}

// headers notes the values of headers, but of those that hold no caller's text.
func (t *Taints) headers(h http.Header) {
	for name, values := range h {
		switch name {
		case "Accept", "Accept-Encoding", "Allow", "Content-Type", "Content-Length", "Date", "User-Agent", "Server", "Via", "Vary", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version",
			"Traceparent", "X-Request-Id", "Cache-Control", "Connection", "Retry-After", "Location":
			continue
		}
		if strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "X-Envoy-") {
			continue
		}
		for _, value := range values {
			t.Text(value)
		}
	}
}

// Message notes the strings of a JSON value, or of the events of a stream; anything else is one text.
func (t *Taints) Message(body []byte) {
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			t.Message(data)
		}
	}
	var v any
	if json.Unmarshal(body, &v) == nil {
		t.leaves("", v)
	}
}

// named are keys whose values are names: a tool's may stand in the log, and closed sets do.
var named = regexp.MustCompile(`^(name|names|method|server|protocolVersion|type|mimeType|meta_tool|title|uri|url|upstream|\$schema|tool|ref)$`)

func (t *Taints) leaves(key string, v any) {
	switch v := v.(type) {
	case string:
		if !named.MatchString(key) {
			t.Text(v)
		}
	case []any:
		for _, e := range v {
			t.leaves(key, e)
		}
	case map[string]any:
		for k, e := range v {
			t.leaves(k, e)
		}
	}
}

// run is a part of a text that every form of log writes the same way, long enough to be nobody's own word.
var run = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9 _.,'-]{9,60}`)

// address is what the log may hold too, and numbers say nothing.
var address = regexp.MustCompile(`^(127\.0\.0\.1|localhost|[0-9 .,_-]+$|application|20[0-9]{2}-)`)

// Text notes a text's distinctive parts.
func (t *Taints) Text(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) > 200_000 {
		return
	}
	for _, part := range run.FindAllString(text, 20) {
		if part = strings.TrimSpace(part); !address.MatchString(part) && len(part) >= 10 {
			t.seen[part] = true
		}
	}
}

// words are texts of the program's own that its source holds in parts: a server's name and the kind of its failure.
var words = regexp.MustCompile(`gave the same cursor twice$|^server \w+ [a-z_]+$`)

// values are the distinctive values, but those that are in the program's own source.
func (t *Taints) values(own string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	index := suffixarray.New([]byte(own))
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.seen)), func(value string) bool {
		return words.MatchString(value) || len(index.Lookup([]byte(value), 1)) > 0
	})
}
