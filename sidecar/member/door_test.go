package member

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/sidecar/wire"
)

// door serves a member to real clients, as the aggregate does.
type door struct {
	m       *Member
	mu      sync.Mutex
	clients map[string]Client
}

func serve(t *testing.T, m *Member) string {
	t.Helper()
	web := httptest.NewServer(&door{m: m, clients: map[string]Client{}})
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	if r.Header.Get("Mcp-Protocol-Version") >= wire.ModernVersion {
		msg, fault := wire.Scan(raw, wire.Limits{})
		if fault == nil {
			fault = wire.CheckHeaders(r.Header, msg)
		}
		if fault != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(fault.StatusFor(wire.Modern))
			_, _ = w.Write(fault.Body())
			return
		}
		meta := msg.Meta.In(msg.Body)
		d.forward(w, r, raw, Client{Era: wire.Modern, Key: "caller", Header: r.Header, Capabilities: member(meta, metaCapabilities), Info: member(meta, metaInfo)})
		return
	}
	d.mu.Lock()
	c, known := d.clients[r.Header.Get("Mcp-Session-Id")]
	d.mu.Unlock()
	if known {
		d.forward(w, r, raw, c)
		return
	}
	msg, fault := wire.Scan(raw, wire.Limits{})
	switch {
	case fault != nil || msg.Method == "server/discover":
		w.WriteHeader(http.StatusBadRequest) // a legacy door
	case msg.Method != "initialize":
		w.WriteHeader(http.StatusNotFound)
	default:
		d.initialize(w, r, msg)
	}
}

func (d *door) initialize(w http.ResponseWriter, r *http.Request, msg *wire.Message) {
	params := msg.Params.In(msg.Body)
	version, _ := wire.String(member(params, "protocolVersion"))
	c := Client{Era: wire.Legacy, Version: version, Capabilities: member(params, "capabilities"), Info: member(params, "clientInfo"), Key: "client-" + randomText(8)}
	s, err := d.m.Session(r.Context(), c, "")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	result, err := s.initializeResult(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	d.mu.Lock()
	d.clients[c.Key] = c
	d.mu.Unlock()
	w.Header().Set("Mcp-Session-Id", c.Key)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(wire.ResultBody(msg.ID, wire.Legacy, result))
}

func (d *door) forward(w http.ResponseWriter, r *http.Request, raw []byte, c Client) {
	s, err := d.m.Session(r.Context(), c, "")
	var a *Answer
	switch {
	case err != nil:
	case r.Method == http.MethodDelete:
		s.End(r.Context())
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method == http.MethodGet:
		a, err = s.Stream(r.Context(), r.Header.Get("Last-Event-Id"))
	default:
		a, err = s.Post(r.Context(), raw, r.Header)
	}
	if err != nil {
		if !errors.Is(err, r.Context().Err()) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
		return
	}
	defer a.Body.Close()
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.Status)
	_ = http.NewResponseController(w).Flush()
	buf := make([]byte, 32<<10)
	for {
		n, err := a.Body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
		if err != nil {
			return
		}
	}
}

// features is a real server of one era only, or of both.
func features(t *testing.T, eras string) (url string, s *featureserver.Server) {
	t.Helper()
	s = featureserver.New(eras == "legacy")
	h := s.Handler
	if eras == "modern" {
		h = modernOnly(h)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL, s
}

// modernOnly refuses legacy requests as such a server does.
func modernOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get("Mcp-Protocol-Version") < wire.ModernVersion:
			raw, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(wire.ErrorBody(member(raw, "id"), wire.CodeUnsupportedVersion, "unsupported", []byte(`{"supported":["2026-07-28"]}`)))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// sdkClient connects a real client and collects what it is told.
type sdkClient struct {
	*mcp.ClientSession
	mu   sync.Mutex
	seen []string
}

func (c *sdkClient) saw(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, what)
}

func (c *sdkClient) has(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seen {
		if strings.Contains(s, what) {
			return true
		}
	}
	return false
}
