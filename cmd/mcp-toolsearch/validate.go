package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/relay"
)

// shortestWait is the least time in which an upstream can be expected to answer.
const shortestWait = 100 * time.Millisecond

// mistakes checks what types can't: every mistake starts with its flag and says what to set.
func (s *Settings) mistakes() []error {
	_, err := caller.NewIdentifier(s.CallerHeaders)
	if err != nil {
		err = fmt.Errorf("--caller-headers: %w", err)
	}
	var all []error
	all = append(all, s.upstreamMistake())
	all = append(all, s.connectionMistakes()...)
	all = append(all, s.routeMistakes()...)
	all = append(all, s.doorMistakes()...)
	all = append(all, s.sourceMistakes()...)
	all = append(all, globMistakes("--write-tools", s.WriteTools)...)
	all = append(all, globMistakes("--read-tools", s.ReadTools)...)
	all = append(all, s.batchDoorMistake(), oneOf("--direct-calls", s.DirectCalls, "refuse", "relay"), err,
		oneOf("--log-level", s.LogLevel, "debug", "info", "warn", "error"), oneOf("--log-format", s.LogFormat, "text", "json"))
	all = append(all, s.numberMistakes()...)
	all = append(all, s.fileMistakes()...)
	all = append(all, s.tracingMistakes()...)
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

func globMistakes(name string, globs []string) []error {
	var mistakes []error
	for _, g := range globs {
		if err := catalog.CheckGlob(g); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", name, err))
		}
	}
	return mistakes
}

func oneOf(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is not one of %s", name, value, strings.Join(allowed, ", "))
}

// routeMistakes are also those that would make a search route call itself.
func (s *Settings) routeMistakes() []error {
	if len(s.Routes) == 0 {
		return []error{errors.New("--routes is empty: set at least one pair, like /mcp/search=/mcp/all")}
	}
	searches := map[string]bool{}
	var mistakes []error
	for _, r := range s.Routes {
		if searches[r.Search] {
			mistakes = append(mistakes, fmt.Errorf("--routes: the search path %s is there twice: keep one of the pairs", r.Search))
		}
		searches[r.Search] = true
	}
	for _, r := range s.Routes {
		if searches[r.Aggregate] && s.Reroute && s.extproc() {
			mistakes = append(mistakes, fmt.Errorf("--routes: %s is a search path and an aggregate path: calls would come back here; give the aggregate route a path of its own", r.Aggregate))
		}
	}
	if s.PublicURL != "" && !isOrigin(s.PublicURL) {
		mistakes = append(mistakes, fmt.Errorf("--public-url: %q must be scheme://host without a path, like https://tools.example.com", s.PublicURL))
	}
	return mistakes
}

// doorMistakes are those of the listeners.
func (s *Settings) doorMistakes() []error {
	if s.local() {
		return nil // nothing listens
	}
	mistakes := []error{listenMistake("--admin-listen", s.AdminListen, false)}
	if s.extproc() {
		mistakes = append(mistakes, listenMistake("--extproc-listen", s.ExtprocListen, true))
	}
	if s.Port != "" && !isPort(s.Port) {
		return append(mistakes, fmt.Errorf("--port: %q is no port: write a number from 1 to 65535, like 8092", s.Port))
	}
	if address := s.listen(); address == ":"+s.hostPort && s.Listen == "" && s.hostPort != "" && !isPort(s.hostPort) {
		return append(mistakes, fmt.Errorf("PORT: %q is no port: write a number from 1 to 65535, like 8092, or set --listen", s.hostPort))
	}
	if s.listen() == "" {
		if !s.extproc() {
			mistakes = append(mistakes, errors.New("--extproc-listen is off and --listen is empty: set one of them, like --listen=127.0.0.1:8092"))
		}
		return mistakes
	}
	if err := listenMistake("--listen", s.listen(), false); err != nil {
		return append(mistakes, err)
	}
	if s.MaxBodies < s.MaxBody {
		mistakes = append(mistakes, errors.New("--max-bodies is smaller than --max-body: a request of that size would never be taken; raise --max-bodies"))
	}
	if err := relay.CheckOrigins(s.AllowedOrigins); err != nil {
		mistakes = append(mistakes, fmt.Errorf("--allowed-origins: %w", err))
	}
	if err := relay.CheckHosts(s.AllowedHosts); err != nil {
		mistakes = append(mistakes, fmt.Errorf("--allowed-hosts: %w", err))
	}
	if _, err := s.doorSecrets(); err != nil {
		mistakes = append(mistakes, flat(err)...)
	}
	if u, err := url.Parse(s.Upstream); err == nil && s.Upstream != "" && ownAddress(u, s.listen()) {
		mistakes = append(mistakes, fmt.Errorf("--upstream: %s is --listen itself: calls would come back here; set it to your MCP server or gateway", u.Scheme+"://"+u.Host))
	}
	return mistakes
}

// ownAddress says whether a URL leads to the address that is listened on: the same port, on the same name or on two
// names of this machine.
func ownAddress(u *url.URL, listen string) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host, own, err := net.SplitHostPort(listen)
	if err != nil || port != own {
		return false
	}
	local := func(name string) bool {
		ip := net.ParseIP(name)
		return name == "" || name == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
	}
	return u.Hostname() == host || local(u.Hostname()) && local(host)
}

func (s *Settings) numberMistakes() []error {
	var mistakes []error
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"--search-schemas", s.SearchSchemas, 0}, {"--search-tokens", s.SearchTokens, 200}, {"--max-instructions", s.MaxInstructions, 0},
		{"--max-pages", s.MaxPages, 1}, {"--max-tools", s.MaxTools, 1}, {"--max-callers", s.MaxCallers, 1},
		{"--batch-calls", s.BatchCalls, 1}, {"--batch-parallel", s.BatchParallel, 1}, {"--max-processes", s.MaxProcesses, 1},
		{"--max-listings", s.MaxListings, 1}, {"--max-waiting-listings", s.MaxWaiting, 1}, {"--max-requests", s.MaxRequests, 1},
		{"--max-streams", s.MaxStreams, 1}, {"--max-connections", s.MaxConnections, 1},
	} {
		if n.value < n.least {
			mistakes = append(mistakes, fmt.Errorf("%s: %d is too small: set at least %d", n.name, n.value, n.least))
		}
	}
	if s.BatchCalls > 20 {
		mistakes = append(mistakes, fmt.Errorf("--batch-calls: %d is too large: call_read_tools' schema says 20", s.BatchCalls))
	}
	for _, d := range []struct {
		name         string
		value, least time.Duration
	}{
		{"--catalog-ttl", s.CatalogTTL, 0}, {"--catalog-max-stale", s.CatalogMaxStale, 0}, {"--list-timeout", s.ListTimeout, shortestWait},
		{"--batch-timeout", s.BatchTimeout, shortestWait}, {"--drain-timeout", s.DrainTimeout, 0},
	} {
		if d.value <= 0 {
			mistakes = append(mistakes, fmt.Errorf("%s: %s is no positive duration: write it like 30s or 10m", d.name, d.value))
		} else if d.value < d.least {
			mistakes = append(mistakes, fmt.Errorf("%s: %s is too short for any server: set at least %s", d.name, d.value, d.least))
		}
	}
	if s.DrainNotice < 0 {
		mistakes = append(mistakes, fmt.Errorf("--drain-notice: %s is negative: write it like 2s, or 0s for none", s.DrainNotice))
	}
	if s.CatalogMaxStale > 0 && s.CatalogMaxStale < s.CatalogTTL {
		mistakes = append(mistakes, fmt.Errorf("--catalog-max-stale: %s is below --catalog-ttl, %s: set at least that", s.CatalogMaxStale, s.CatalogTTL))
	}
	return mistakes
}
