package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"

	"mcp-toolsearch/sidecar/caller"
)

// validate checks what types can't. It reports every mistake, each with what to set.
func (s *Settings) validate() error {
	var mistakes []error
	add := func(err error) {
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	add(s.validateUpstream())
	add(s.validateRoutes())
	add(s.validateListen())
	for name, globs := range map[string][]string{"--write-tools": s.WriteTools, "--read-tools": s.ReadTools} {
		for _, g := range globs {
			if _, err := path.Match(g, ""); err != nil {
				add(fmt.Errorf("%s: %q is not a glob: close its bracket, or escape it with a backslash", name, g))
			}
		}
	}
	add(oneOf("--direct-calls", s.DirectCalls, "refuse", "relay"))
	add(oneOf("--log-level", s.LogLevel, "debug", "info", "warn", "error"))
	add(oneOf("--log-format", s.LogFormat, "text", "json"))
	_, err := caller.NewIdentifier(s.CallerHeaders)
	if err != nil {
		add(fmt.Errorf("--caller-headers: %w", err))
	}
	mistakes = append(mistakes, s.validateNumbers()...)
	return errors.Join(mistakes...)
}

func oneOf(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is not one of %s", name, value, strings.Join(allowed, ", "))
}

func (s *Settings) validateUpstream() error {
	if s.Upstream == "" {
		return fmt.Errorf("--upstream is missing: set it (or %sUPSTREAM) to the gateway's address, like http://127.0.0.1:10000", envPrefix)
	}
	u, err := url.Parse(s.Upstream)
	switch {
	case err != nil:
		return fmt.Errorf("--upstream: %q is not a URL: write it like http://127.0.0.1:10000", s.Upstream)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--upstream: the scheme of %q must be http or https, like http://127.0.0.1:10000", s.Upstream)
	case u.Host == "":
		return fmt.Errorf("--upstream: %q has no host: write it like http://127.0.0.1:10000", s.Upstream)
	case u.User != nil:
		return errors.New("--upstream must not hold a user or password: the caller's own headers are sent")
	case strings.HasPrefix(u.Host, "0.0.0.0"):
		return errors.New("--upstream: 0.0.0.0 is an address to listen on, not to connect to: use 127.0.0.1 or the host's name")
	}
	return nil
}

// validateRoutes also refuses the mistakes that would make a search route call itself.
func (s *Settings) validateRoutes() error {
	if len(s.Routes) == 0 {
		return errors.New("--routes is empty: set at least one pair, like /mcp/search=/mcp/all")
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
		if searches[r.Aggregate] && s.Reroute {
			mistakes = append(mistakes, fmt.Errorf("--routes: %s is a search path and an aggregate path: calls would come back here; give the aggregate route a path of its own", r.Aggregate))
		}
	}
	if u, err := url.Parse(s.Upstream); err == nil && strings.Trim(u.Path, "/") != "" {
		mistakes = append(mistakes, fmt.Errorf("--upstream: leave out the path %s: the paths come from --routes", u.Path))
	}
	if u, err := url.Parse(s.PublicURL); s.PublicURL != "" && (err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "") {
		mistakes = append(mistakes, fmt.Errorf("--public-url: %q must be scheme://host without a path, like https://tools.example.com", s.PublicURL))
	}
	return errors.Join(mistakes...)
}

func (s *Settings) validateListen() error {
	var mistakes []error
	check := func(name, address string, unix bool) {
		if unix && strings.HasPrefix(address, "unix://") {
			if !strings.HasPrefix(address, "unix:///") {
				mistakes = append(mistakes, fmt.Errorf("%s: a socket's path must be absolute, like unix:///run/toolsearch/extproc.sock", name))
			}
			return
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %q is not host:port: write it like 127.0.0.1:9201", name, address))
		}
	}
	check("--extproc-listen", s.ExtprocListen, true)
	check("--admin-listen", s.AdminListen, false)
	return errors.Join(mistakes...)
}

func (s *Settings) validateNumbers() []error {
	var mistakes []error
	atLeast := func(name string, value, least int64) {
		if value < least {
			mistakes = append(mistakes, fmt.Errorf("%s: %d is too small: set at least %d", name, value, least))
		}
	}
	atLeast("--search-schemas", int64(s.SearchSchemas), 0)
	atLeast("--search-tokens", int64(s.SearchTokens), 200)
	atLeast("--max-instructions", int64(s.MaxInstructions), 0)
	atLeast("--max-pages", int64(s.MaxPages), 1)
	atLeast("--max-tools", int64(s.MaxTools), 1)
	atLeast("--max-callers", int64(s.MaxCallers), 1)
	atLeast("--batch-calls", int64(s.BatchCalls), 1)
	atLeast("--batch-parallel", int64(s.BatchParallel), 1)
	if s.BatchCalls > 20 {
		mistakes = append(mistakes, fmt.Errorf("--batch-calls: %d is too large: call_read_tools' schema says 20", s.BatchCalls))
	}
	for name, d := range map[string]int64{"--catalog-ttl": int64(s.CatalogTTL), "--catalog-max-stale": int64(s.CatalogMaxStale),
		"--list-timeout": int64(s.ListTimeout), "--drain-timeout": int64(s.DrainTimeout)} {
		if d <= 0 {
			mistakes = append(mistakes, fmt.Errorf("%s must be a positive duration, like 30s or 10m", name))
		}
	}
	if s.CatalogMaxStale < s.CatalogTTL {
		mistakes = append(mistakes, errors.New("--catalog-max-stale must not be below --catalog-ttl"))
	}
	return mistakes
}
