package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"mcp-toolsearch/sidecar/servers"
)

// merges says whether MCP servers are to be merged in this process.
func (s *Settings) merges() bool { return s.Config != "" || s.variables() }

// variables says whether the environment, or flags in its place, name servers.
func (s *Settings) variables() bool {
	return s.Upstreams != "" || s.UpstreamURLs != "" || s.UpstreamURL != ""
}

// sources are the servers to merge and where they came from.
type sources struct {
	file     *servers.File    // nil without --config
	fromEnv  []servers.Server // those of variables: a changed file leaves them
	list     []servers.Server // all
	warnings []string
}

// tell writes what predecessors' users look for at the start: a line for each server, with no token in it.
func (src *sources) tell(log *slog.Logger) {
	for _, warning := range src.warnings {
		log.Warn(warning)
	}
	for _, sv := range src.list {
		auth := "no"
		if sv.HasCredentials() {
			auth = "yes"
		}
		log.Info("upstream", "server", sv.Name, "at", sv.Where(), "auth", auth)
	}
}

// operator says that no server gets a caller's own credentials: all callers share what there is.
func operator(list []servers.Server) bool {
	return !slices.ContainsFunc(list, func(sv servers.Server) bool { return sv.Auth == servers.Caller })
}

// sources reads them. The error lists every mistake.
func (s *Settings) sources() (*sources, error) {
	a11y, _ := seconds(s.A11yTimeout) // checked apart
	src := &sources{}
	src.fromEnv, src.warnings = servers.FromEnv(servers.Env{Upstreams: s.Upstreams, UpstreamURLs: s.UpstreamURLs, UpstreamURL: s.UpstreamURL,
		UpstreamTokens: s.UpstreamTokens, LitellmMasterKey: s.LitellmKey, A11yTimeout: a11y})
	src.fromEnv = slices.DeleteFunc(src.fromEnv, func(sv servers.Server) bool {
		own := s.leadsHere(sv)
		if own {
			src.warnings = append(src.warnings, fmt.Sprintf("%s leads to this program itself; it is skipped", sv.Where()))
		}
		return own
	})
	src.list = src.fromEnv
	if s.Config == "" {
		if len(src.list) == 0 {
			return nil, errors.Join(append([]error{errors.New("--upstreams: there is no server that can be used: write URLs like http://mail:8080/mcp")}, texts(src.warnings)...)...)
		}
		return src, servers.Check(src.list, s.ShareCaller)
	}
	mode, known := false, false
	file, list, err := servers.Open(s.Config, s.getenv, func(list []servers.Server) error {
		all := servers.Join(list, src.fromEnv)
		if known && operator(all) != mode {
			return errors.New("auth: caller was added or removed: restart the program to change what callers see")
		}
		return errors.Join(servers.Check(all, s.ShareCaller), s.loops(all))
	})
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			return nil, fileMistake("--config", s.Config, err)
		}
		return nil, err
	}
	src.file, src.list = file, servers.Join(list, src.fromEnv)
	mode, known = operator(src.list), true
	return src, nil
}

func texts(list []string) []error {
	errs := make([]error, len(list))
	for i, text := range list {
		errs[i] = errors.New(text)
	}
	return errs
}

// loops are servers of a file that are this program itself.
func (s *Settings) loops(list []servers.Server) error {
	var mistakes []error
	for _, sv := range list {
		if s.leadsHere(sv) {
			mistakes = append(mistakes, fmt.Errorf("server %s leads to this program itself: calls would come back here; remove it", sv.Name))
		}
	}
	return errors.Join(mistakes...)
}

func (s *Settings) leadsHere(sv servers.Server) bool {
	u, err := url.Parse(sv.URL)
	return err == nil && sv.URL != "" && ownAddress(u, s.listen())
}

// getenv finds the variables of a file of servers.
func (s *Settings) getenv(name string) (string, bool) {
	value, ok := s.environ[name]
	return value, ok
}

// The times of merged servers' tools.
const (
	operatorTTL = 30 * time.Minute
	longAge     = 100 * 365 * 24 * time.Hour
)

// aggregateTTL is how long merged tools are used before they are listed again; below zero: until something asks for it.
func (s *Settings) aggregateTTL(operator bool) time.Duration {
	if s.CatalogTTLSec != "" {
		if ttl, _ := seconds(s.CatalogTTLSec); ttl > 0 { // checked apart
			return ttl
		}
		return -1
	}
	if operator && !s.set["CATALOG_TTL"] {
		return operatorTTL
	}
	return s.CatalogTTL
}

// seconds reads a number of seconds, or a duration.
func seconds(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= longAge.Seconds() {
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longAge {
		return 0, fmt.Errorf("%q is no number of seconds: write it like 1800", text)
	}
	return d, nil
}

// Where the HTTP door is when nothing is said.
const (
	defaultPort = "8092"
	loopback    = "127.0.0.1:"
)

// listen is the address of the HTTP door; "" is none. Variables of the program that this one replaces mean all
// interfaces, as they did there.
func (s *Settings) listen() string {
	switch {
	case s.local():
		return ""
	case s.Listen != "":
		return s.Listen
	case s.Port != "":
		return ":" + s.Port
	case !s.merges() && s.wholeUpstream == "":
		return ""
	case s.hostPort != "":
		return ":" + s.hostPort
	case s.variables():
		return ":" + defaultPort
	}
	return loopback + defaultPort
}

// adoptPath takes an --upstream with a path, where no routes are given, as the whole URL of one aggregate route.
func (s *Settings) adoptPath() {
	u, err := url.Parse(s.Upstream)
	if err != nil || s.merges() || s.set["ROUTES"] || u.Host == "" || u.Path == "" || u.Path == "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return
	}
	if pathMistake(u.EscapedPath()) != "" || len(s.Routes) == 0 {
		return
	}
	s.wholeUpstream = s.Upstream
	s.Upstream = u.Scheme + "://" + u.Host
	s.Routes = []Route{{Search: s.Routes[0].Search, Aggregate: u.Path}}
}
