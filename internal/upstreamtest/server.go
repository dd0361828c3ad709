package upstreamtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Server is a scripted MCP server. All methods are safe for concurrent use and
// take effect with the next request.
type Server struct {
	http *httptest.Server
	done chan struct{} // closed when the server closes

	mu        sync.Mutex
	behaviour Behaviour
	tools     []string
	perCaller map[string][]string
	scripts   map[string]Script
	faults    map[string]*Fault
	metadata  string
	requests  []Request
	sessions  map[string]bool
	next      http.Handler  // answers in this server's place; nil for none
	made      int           // sessions and cursors so far
	responses int           // JSON-RPC responses received so far
	changed   chan struct{} // closed and renewed at every recorded request
}

// New starts a server with a catalog of raw JSON tool objects, served as they
// are. It closes with the test.
func New(tb testing.TB, tools ...string) *Server {
	tb.Helper()
	s := &Server{
		done: make(chan struct{}), tools: tools, perCaller: map[string][]string{}, scripts: map[string]Script{},
		faults: map[string]*Fault{}, sessions: map[string]bool{}, changed: make(chan struct{}),
	}
	s.http = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// Close ends the server and everything that hangs in it.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.done:
		s.mu.Unlock()
		return
	default:
		close(s.done)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the server's MCP endpoint; any other path serves too.
func (s *Server) URL() string { return s.http.URL + "/mcp" }

// Origin is the URL without a path.
func (s *Server) Origin() string { return s.http.URL }

// Configure changes the behaviour.
func (s *Server) Configure(change func(*Behaviour)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.behaviour)
}

// SetTools replaces the catalog of callers without one of their own.
func (s *Server) SetTools(tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
}

// SetToolsFor gives the callers with this Authorization header their own
// catalog.
func (s *Server) SetToolsFor(authorization string, tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.perCaller[authorization] = tools
}

// Script sets how a tool answers calls. It need not be in the catalog.
func (s *Server) Script(tool string, script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[tool] = script
}

// Fail breaks requests of a JSON-RPC method; "" means every request, also
// those without a body. A method has one fault at a time.
func (s *Server) Fail(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = &f
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
}

// LoseSessions forgets every legacy session, as a restart does.
func (s *Server) LoseSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
}

// Sessions is the number of legacy sessions that are open.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// SetMetadata is the document served on well-known paths; "" gives 404.
func (s *Server) SetMetadata(document string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metadata = document
}

// Requests are all requests since the start or Reset, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// RequestsOf are the requests of one JSON-RPC method.
func (s *Server) RequestsOf(method string) []Request {
	var of []Request
	for _, r := range s.Requests() {
		if r.Method == method {
			of = append(of, r)
		}
	}
	return of
}

// Changed is closed when the next request arrives: take it, look at Requests,
// then wait on it.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Reset forgets the recorded requests.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// ServeHTTP lets a test mount the server elsewhere too.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	r := parse(hr, body)
	s.record(r)
	s.answer(&exchange{s: s, w: w, hr: hr, r: r})
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if r.Response {
		s.responses++
	}
	close(s.changed)
	s.changed = make(chan struct{})
}
