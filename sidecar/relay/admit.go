package relay

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// admit refuses what must reach nothing: a page of a foreign site (spec 2025-11-25 and 2026-07-28
// basic/transports/streamable-http, "Security Warning"), a name that was bound to this machine by its DNS.
func (d *Door) admit(r *http.Request) *wire.Fault {
	switch {
	case !d.hostAllowed(r.Host):
		return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusForbidden, Reason: "host_refused",
			Message: "this host name is not served here: connect to one of --allowed-hosts, or on the same machine to localhost"}
	case !d.originAllowed(r):
		return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusForbidden, Reason: "origin_refused",
			Message: "this Origin may not connect: add it to --allowed-origins"}
	}
	return nil
}

// hostAllowed checks the name that the client used. Without --allowed-hosts only a door on loopback knows its names.
func (d *Door) hostAllowed(host string) bool {
	host = strings.ToLower(host)
	name := hostname(host)
	switch {
	case d.hosts[host], d.hosts[name]:
		return true
	case d.o.Loopback:
		return loopback(name)
	}
	return len(d.hosts) == 0
}

// originAllowed checks a browser's Origin: one of the list, or a page of this machine that talks to this machine.
func (d *Door) originAllowed(r *http.Request) bool {
	values := r.Header.Values("Origin")
	switch len(values) {
	case 0:
		return true
	case 1:
	default:
		return false
	}
	if d.origins[values[0]] {
		return true
	}
	u, ok := serialized(values[0])
	return ok && loopback(u.Hostname()) && loopback(hostname(strings.ToLower(r.Host)))
}

// serialized reads a web origin as browsers write it (HTML standard, "serialization of an origin"): lower case, no port
// of the scheme's own, nothing behind. What no browser sends is no browser's.
func serialized(origin string) (*url.URL, bool) {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin) {
		return nil, false
	}
	port := u.Port()
	if port == "" {
		return u, !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.Atoi(port)
	return u, err == nil && n > 0 && n < 1<<16 && strconv.Itoa(n) == port && port != map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// hostname is a Host header without its port and without the brackets of an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopback tells the names of this machine itself (RFC 6761 §6.3 for localhost and names below it).
func loopback(name string) bool {
	name = strings.TrimSuffix(name, ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// originSet reads --allowed-origins. Browsers send origins in lower case and without the scheme's own port.
func originSet(origins []string) (map[string]bool, error) {
	set := map[string]bool{}
	for _, text := range origins {
		origin := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "/"))
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(origin, "*") {
			return nil, fmt.Errorf("%q is no origin: write scheme://host or scheme://host:port, like https://app.example.com", text)
		}
		if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
			origin = strings.TrimSuffix(origin, ":"+u.Port())
		}
		set[origin] = true
	}
	return set, nil
}

// hostSet reads --allowed-hosts.
func hostSet(hosts []string) (map[string]bool, error) {
	set := map[string]bool{}
	for _, text := range hosts {
		host := strings.ToLower(strings.TrimSpace(text))
		if u, err := url.Parse("http://" + host); err != nil || host == "" || u.Host != host || strings.Contains(host, "*") {
			return nil, fmt.Errorf("%q is no host: write host or host:port, like tools.example.com", text)
		}
		if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
			host = hostname(host)
		}
		set[host] = true
	}
	return set, nil
}

// CheckOrigins says what is wrong with a list of origins.
func CheckOrigins(origins []string) error {
	_, err := originSet(origins)
	return err
}

// CheckHosts says what is wrong with a list of hosts.
func CheckHosts(hosts []string) error {
	_, err := hostSet(hosts)
	return err
}

// allowOrigin lets a page of an admitted origin read the answers (fetch standard, "CORS protocol"). Without
// credentials: a caller is known by headers that the page sets itself.
func (d *Door) allowOrigin(h http.Header, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" || strings.HasPrefix(r.URL.Path, "/.well-known/") { // the metadata is readable for all
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, X-Mcp-Tool-Repaired")
}

// preflight tells a browser's question whether it may send a request.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" &&
		!strings.HasPrefix(r.URL.Path, "/.well-known/")
}

// allowRequest answers a preflight. The headers asked for are repeated: those of tools' parameters are known to the
// client alone.
func allowRequest(h http.Header, r *http.Request) {
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
		h.Set("Access-Control-Allow-Headers", names)
	}
	h.Set("Access-Control-Max-Age", "600")
}
