package envoy

import (
	"bytes"
	_ "embed" // the configuration template
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"text/template"
)

// Address is where something listens: a host and port, or a Unix socket's path (which starts with a slash).
type Address string

// Host is the address's host; empty for a Unix socket.
func (a Address) Host() string {
	host, _, err := net.SplitHostPort(string(a))
	if err != nil {
		return ""
	}
	return host
}

// Port is the address's port; 0 for a Unix socket.
func (a Address) Port() int {
	_, port, err := net.SplitHostPort(string(a))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0
	}
	return n
}

// Discovery is the Envoy cluster type for the address: names are resolved, numbers and sockets are not.
func (a Address) Discovery() string {
	if _, err := netip.ParseAddr(a.Host()); err == nil || a.socket() {
		return "STATIC"
	}
	return "STRICT_DNS"
}

// YAML is the address as an Envoy configuration has it.
func (a Address) YAML() string {
	if a.socket() {
		return fmt.Sprintf("{ pipe: { path: %q } }", string(a))
	}
	return fmt.Sprintf("{ socket_address: { address: %q, port_value: %d } }", a.Host(), a.Port())
}

func (a Address) socket() bool { return strings.HasPrefix(string(a), "/") }

// Pair is one search route and the aggregate route that it stands in front of.
type Pair struct {
	// Search is the path where clients come in, for example /mcp/search.
	Search string
	// Aggregate is the path where calls go out, for example /mcp/all.
	Aggregate string
	// Upstream is the MCP server, or the gateway that merges several.
	Upstream Address
	// Rewrite is the path that the upstream serves, for example /mcp.
	Rewrite string
}

// Config is what varies in the shipped configuration.
type Config struct {
	// Listen is Envoy's own address; port 0 takes a free one.
	Listen Address
	// AdminPort is the port of Envoy's admin listener on loopback; 0 takes a free one.
	AdminPort int
	// Sidecar is where mcp-toolsearch serves ext_proc.
	Sidecar Address
	// Door is where mcp-toolsearch serves batches (--batch-door); empty where it doesn't.
	Door Address
	// Pairs are the routes.
	Pairs []Pair
	// MessageTimeout is how long Envoy waits for each answer of the sidecar, for example "10s".
	MessageTimeout string
	// IdleTimeout is how long an answer may be silent, for example "600s".
	IdleTimeout string
	// BufferBytes bounds a request body.
	BufferBytes int
}

// Default is the shipped configuration.
func Default() Config {
	return Config{
		Listen:         "0.0.0.0:8080",
		AdminPort:      9901,
		Sidecar:        "127.0.0.1:9201",
		Pairs:          []Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: "127.0.0.1:8081", Rewrite: "/mcp"}},
		MessageTimeout: "10s",
		IdleTimeout:    "600s",
		BufferBytes:    8 << 20,
	}
}

// LocalReply is the JSON-RPC error that stands in for an answer of Envoy's own.
type LocalReply struct {
	Status, Code int
	Message      string
}

// LocalReplies are the answers of Envoy's own that become JSON-RPC errors. Never 400 or 200: those are the sidecar's.
func (Config) LocalReplies() []LocalReply {
	return []LocalReply{
		{413, -32600, "The request is larger than this gateway takes. Send less at once."},
		{500, -32603, "The gateway failed on this request. A call may have run: look before you repeat one that writes. If it stays, tell the operator."},
		{502, -32603, "The MCP server behind this gateway broke off. A call may have run: look before you repeat one that writes. If it stays, tell the operator."},
		{503, -32603, "Tool search or the MCP server behind this gateway is not available. A call may have run: look before you repeat one that writes. Try again shortly."},
		{504, -32603, "Tool search or the MCP server behind this gateway did not answer in time. A call may have run: look before you repeat one that writes, or ask for less at once."},
	}
}

//go:embed envoy.yaml.tmpl
var configTemplate string

// Render writes the Envoy configuration.
func Render(c Config) ([]byte, error) {
	t, err := template.New("envoy.yaml").Option("missingkey=error").Parse(configTemplate)
	if err != nil {
		return nil, fmt.Errorf("the Envoy configuration template: %w", err)
	}
	if len(c.Pairs) == 0 {
		return nil, fmt.Errorf("an Envoy configuration needs at least one pair of routes")
	}
	var out bytes.Buffer
	if err := t.Execute(&out, c); err != nil {
		return nil, fmt.Errorf("the Envoy configuration template: %w", err)
	}
	return out.Bytes(), nil
}
