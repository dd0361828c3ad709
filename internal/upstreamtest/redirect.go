package upstreamtest

import (
	"net/http/httputil"
	"net/url"
)

// Redirect lets another server answer from now on, at origin (scheme://host:port): requests are still recorded, and
// faults still break them.
func (s *Server) Redirect(origin string) {
	u, err := url.Parse(origin)
	if err != nil {
		panic(err) // a test's own address
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(u) }}
}
