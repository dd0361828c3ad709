package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"mcp-toolsearch/sidecar"
)

const (
	exampleUpstream = "http://127.0.0.1:8080"
	exampleServer   = "http://127.0.0.1:3000/mcp"
	maxSocketPath   = 107 // bytes of a Unix socket's address, without the zero at its end
	maxHostName     = 253 // RFC 1035 §2.3.4, without the root's dot
)

// Route is one pair of paths, written search=aggregate.
type Route sidecar.Route

// UnmarshalText reads "/mcp/search=/mcp/all".
func (r *Route) UnmarshalText(text []byte) error {
	search, aggregate, ok := strings.Cut(string(text), "=")
	if !ok || strings.Contains(aggregate, "=") {
		return fmt.Errorf("%q is not search path = aggregate path: write it like /mcp/search=/mcp/all", text)
	}
	for _, path := range []string{search, aggregate} {
		if wrong := pathMistake(path); wrong != "" {
			return fmt.Errorf("%q is not search path = aggregate path: %q %s: write it like /mcp/search=/mcp/all", text, path, wrong)
		}
	}
	*r = Route{Search: search, Aggregate: aggregate}
	return nil
}

// pathMistake says why no request would ever have this path as its gateway sends it on: normalised, without a query.
func pathMistake(path string) string {
	switch {
	case !strings.HasPrefix(path, "/"):
		return "does not begin with /"
	case strings.Contains(path, "%"):
		return "is percent-encoded, and paths are compared as they are written"
	case strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`?#\"<>^{|}`+"`", r) }):
		return "has a character that a path can't have"
	case strings.Contains(path, "//"):
		return "has an empty part (//)"
	case path != "/" && strings.HasSuffix(path, "/"):
		return "ends with /"
	}
	for _, part := range strings.Split(path, "/") {
		if part == "." || part == ".." {
			return "has a part " + part
		}
	}
	return ""
}

// endpoint reads a URL that can be connected to.
func endpoint(name, text, example string) (*url.URL, error) {
	shown := strconv.Quote(text)
	if strings.Contains(text, "@") {
		shown = "the value" // it may hold a password
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %s is not a URL: write it like %s", name, shown, example)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s: the scheme of %s must be http or https, like %s", name, shown, example)
	case u.User != nil:
		return nil, fmt.Errorf("%s must not hold a user or password: the caller's own headers are sent", name)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%s: %s has no host: write it like %s", name, shown, example)
	case strings.HasSuffix(u.Host, ":"), u.Port() != "" && !isPort(u.Port()):
		return nil, fmt.Errorf("%s: the port of %s must be a number from 1 to 65535, like %s", name, shown, example)
	case u.Hostname() == "0.0.0.0" || u.Hostname() == "::":
		return nil, fmt.Errorf("%s: %s is an address to listen on, not to connect to: use 127.0.0.1 or the host's name", name, u.Hostname())
	}
	return u, nil
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

func (s *Settings) upstreamMistake() error {
	switch {
	case s.merges() && s.Upstream != "":
		return errors.New("--upstream is one server, or a gateway that merges servers already: leave it out (to merge it with the others, name it in the file of --config or in --upstreams), or leave out --config and --upstreams")
	case s.merges():
		return nil
	case s.Upstream == "" && s.local():
		return fmt.Errorf("there is no MCP server: name yours with --config, the mcpServers file that clients have, or one server's whole URL with --upstream (%sUPSTREAM), like %s", envPrefix, exampleServer)
	case s.Upstream == "":
		return fmt.Errorf("--upstream is missing: set it (or %sUPSTREAM) to the gateway's address, like %s, or name MCP servers to merge with --config or --upstreams", envPrefix, exampleUpstream)
	}
	example := exampleUpstream
	if s.local() {
		example = exampleServer
	}
	u, err := endpoint("--upstream", s.Upstream, example)
	switch {
	case err != nil:
		return err
	case strings.Contains(s.Upstream, "?"):
		return fmt.Errorf("--upstream: leave out the query, what is after the question mark: write it like %s; a server that needs one can stand in the file of --config", example)
	case strings.Contains(s.Upstream, "#"):
		return fmt.Errorf("--upstream: leave out the fragment, what is after the #: write it like %s", example)
	case u.Path == "" || u.Path == "/":
		return nil
	case !s.set["ROUTES"]: // else the path would have been taken
		return fmt.Errorf("--upstream: the path %s %s: leave out the path, or correct it", u.EscapedPath(), pathMistake(u.EscapedPath()))
	}
	return fmt.Errorf("--upstream: leave out the path %s: the paths come from --routes", u.Path)
}

// local says that the door is stdio, whose users have servers and no gateway.
func (s *Settings) local() bool { return s.command == "stdio" || s.Transport == "stdio" }

// connectionMistakes are those of the connection to the upstream, but for its address.
func (s *Settings) connectionMistakes() []error {
	var mistakes []error
	if a := s.UpstreamAuthority; a != "" && !isAuthority(a) {
		mistakes = append(mistakes, fmt.Errorf("--upstream-authority: %q is not a host or host:port: write it like tools.example.com", a))
	}
	if n := s.UpstreamSNI; n != "" && !isServerName(n) {
		mistakes = append(mistakes, fmt.Errorf("--upstream-sni: %q is not a host's name: write it like tools.example.com", n))
	}
	return append(mistakes, s.tlsMistakes()...)
}

func isAuthority(text string) bool {
	u, err := url.Parse("http://" + text)
	return err == nil && u.Host == text && u.User == nil && u.Hostname() != "" && !strings.HasSuffix(text, ":") && (u.Port() == "" || isPort(u.Port()))
}

func isServerName(text string) bool {
	if net.ParseIP(text) != nil {
		return true
	}
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	}
	return len(text) <= maxHostName && !strings.ContainsFunc(text, odd) && !strings.HasPrefix(text, ".") && !strings.Contains(text, "..")
}

func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
}

func listenMistake(name, address string, unix bool) error {
	if path, ok := strings.CutPrefix(address, "unix://"); ok && unix {
		switch {
		case !strings.HasPrefix(path, "/"):
			return fmt.Errorf("%s: a socket's path must be absolute, like unix:///run/toolsearch/extproc.sock", name)
		case len(path) > maxSocketPath:
			return fmt.Errorf("%s: the socket's path is too long: at most %d bytes, it has %d; take a shorter folder", name, maxSocketPath, len(path))
		}
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil && port == "" {
		err = errors.New("no port")
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not host:port: write it like 127.0.0.1:9201", name, address)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("%s: the port of %q must be a number up to 65535, like 127.0.0.1:9201", name, address)
	}
	return nil
}
