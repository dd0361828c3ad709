package upstreamtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// exchange is one request being answered.
type exchange struct {
	s  *Server
	w  http.ResponseWriter
	hr *http.Request
	r  Request
	b  Behaviour
}

func (s *Server) answer(x *exchange) {
	f, broken := s.take(x.r.Method)
	s.mu.Lock()
	x.b = s.behaviour
	next := s.next
	s.mu.Unlock()
	if broken && x.fail(f) {
		return
	}
	if next != nil {
		x.hr.Body = io.NopCloser(bytes.NewReader(x.r.Body))
		next.ServeHTTP(x.w, x.hr)
		return
	}
	switch {
	case strings.Contains(x.r.Path, "/.well-known/"):
		x.wellKnown()
	case x.r.HTTPMethod == http.MethodDelete:
		x.endSession()
	case x.r.HTTPMethod != http.MethodPost:
		x.w.WriteHeader(http.StatusMethodNotAllowed)
	case x.r.Modern():
		x.modern()
	default:
		x.legacy()
	}
}

// take gives the fault that breaks a request of a method now, if any.
func (s *Server) take(method string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := method
	f := s.faults[key]
	if f == nil {
		key = ""
		f = s.faults[key]
	}
	if f == nil {
		return Fault{}, false
	}
	if f.Skip > 0 {
		f.Skip--
		return Fault{}, false
	}
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			delete(s.faults, key)
		}
	}
	return *f, true
}

func (x *exchange) wellKnown() {
	x.s.mu.Lock()
	document := x.s.metadata
	x.s.mu.Unlock()
	if document == "" {
		http.NotFound(x.w, x.hr)
		return
	}
	x.w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(x.w, document)
}

func (x *exchange) endSession() {
	id := x.r.Header.Get("Mcp-Session-Id")
	if id == "" {
		x.w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	x.s.mu.Lock()
	known := x.s.sessions[id]
	delete(x.s.sessions, id)
	x.s.mu.Unlock()
	if !known {
		http.Error(x.w, "session not found", http.StatusNotFound)
		return
	}
	x.w.WriteHeader(http.StatusNoContent)
}

func (x *exchange) modern() {
	if x.b.Eras == LegacyOnly {
		x.refuse()
		return
	}
	if x.r.ID == nil {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	if text := x.headerFault(); text != "" {
		x.error(http.StatusBadRequest, -32020, text, "")
		return
	}
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(x.r.Meta, &meta)
	for _, field := range []string{"protocolVersion", "clientCapabilities"} {
		if meta["io.modelcontextprotocol/"+field] == nil {
			x.error(http.StatusBadRequest, -32602, "missing _meta "+field, "")
			return
		}
	}
	switch x.r.Method {
	case "server/discover":
		x.result(x.discover())
	case "tools/list":
		x.list()
	case "tools/call":
		x.call()
	default:
		x.error(http.StatusNotFound, -32601, "method not found", "")
	}
}

// headerFault says what is wrong with the routing headers of a modern request.
func (x *exchange) headerFault() string {
	h := x.r.Header
	for _, name := range []string{"Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version"} {
		if len(h.Values(name)) > 1 {
			return name + " repeated"
		}
	}
	if h.Get("Mcp-Method") != x.r.Method {
		return "Mcp-Method mismatch"
	}
	if x.r.Method == "tools/call" && decode(h.Get("Mcp-Name")) != x.r.Name {
		return "Mcp-Name mismatch"
	}
	return ""
}

// decode undoes the Base64 form of a header value.
func decode(v string) string {
	inner, ok := strings.CutPrefix(v, "=?base64?")
	inner, ended := strings.CutSuffix(inner, "?=")
	if !ok || !ended {
		return v
	}
	text, err := base64.StdEncoding.DecodeString(inner)
	if err != nil {
		return v
	}
	return string(text)
}

func (x *exchange) refuse() {
	const old = `{"supported":["2025-11-25","2025-06-18","2025-03-26"],"requested":"2026-07-28"}`
	switch x.b.Refusal {
	case RefuseVersion:
		x.error(http.StatusBadRequest, -32022, "unsupported protocol version", old)
	case RefuseUnsupported:
		x.error(http.StatusOK, -32022, "unsupported protocol version", old)
	case RefuseSession:
		x.r.ID = nil
		x.error(http.StatusBadRequest, -32600, "Bad Request: Missing session ID", "")
	case RefusePlain:
		http.Error(x.w, "Bad Request: unsupported protocol version", http.StatusBadRequest)
	case RefuseEmpty:
		x.w.WriteHeader(http.StatusBadRequest)
	case RefuseNotFound:
		x.w.WriteHeader(http.StatusNotFound)
	case RefuseNotAllowed:
		x.w.WriteHeader(http.StatusMethodNotAllowed)
	case RefuseMethod:
		x.error(http.StatusOK, -32601, "method not found", "")
	}
}

func (x *exchange) legacy() {
	switch {
	case x.b.Eras == ModernOnly:
		x.error(http.StatusBadRequest, -32022, "unsupported protocol version", `{"supported":["2026-07-28"]}`)
	case x.r.Response:
		x.w.WriteHeader(http.StatusAccepted)
	case x.r.Method == "":
		http.Error(x.w, "batches are not supported", http.StatusBadRequest)
	case x.r.Method == "initialize":
		x.initialize()
	case !x.inSession():
	case x.r.ID == nil:
		x.w.WriteHeader(http.StatusAccepted)
	case x.r.Method == "tools/list":
		x.list()
	case x.r.Method == "tools/call":
		x.call()
	case x.r.Method == "ping":
		x.result("{}")
	default:
		x.error(http.StatusOK, -32601, "method not found", "")
	}
}

// inSession answers and says false when the request's session is missing or
// unknown.
func (x *exchange) inSession() bool {
	id := x.r.Header.Get("Mcp-Session-Id")
	x.s.mu.Lock()
	known := x.s.sessions[id]
	x.s.mu.Unlock()
	switch {
	case x.b.Stateless || known:
		return true
	case id == "":
		http.Error(x.w, "missing session", http.StatusBadRequest)
	default:
		http.Error(x.w, "session not found", http.StatusNotFound)
	}
	return false
}

func (x *exchange) initialize() {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(x.r.Params, &p)
	version := x.b.LegacyVersion
	if version == "" {
		version = "2025-11-25"
		if p.ProtocolVersion == "2025-06-18" || p.ProtocolVersion == "2025-03-26" {
			version = p.ProtocolVersion
		}
	}
	if !x.b.Stateless {
		x.s.mu.Lock()
		x.s.made++
		id := fmt.Sprintf("session-%d", x.s.made)
		x.s.sessions[id] = true
		x.s.mu.Unlock()
		x.w.Header().Set("Mcp-Session-Id", id)
	}
	x.result(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"upstreamtest","version":"1"}%s}`,
		version, x.instructions()))
}

func (x *exchange) discover() string {
	return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private",` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"upstreamtest","version":"1"}}` + x.instructions() + `}`
}

func (x *exchange) instructions() string {
	if x.b.Instructions == "" {
		return ""
	}
	quoted, _ := json.Marshal(x.b.Instructions)
	return `,"instructions":` + string(quoted)
}
