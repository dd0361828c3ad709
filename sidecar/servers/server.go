package servers

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// Auth says whose credentials a server gets.
type Auth int

// The ways to authorise.
const (
	// None: no credentials but what the configured headers hold. The zero value.
	None Auth = iota
	// Operator: the configured headers hold the operator's credentials.
	Operator
	// Caller: the caller's own identity headers are passed on.
	Caller
)

// String is the word of the configuration: none, operator or caller.
func (a Auth) String() string {
	switch a {
	case Operator:
		return "operator"
	case Caller:
		return "caller"
	}
	return "none"
}

// The times of a server that says none itself.
const (
	// DefaultTimeout bounds a call.
	DefaultTimeout = 180 * time.Second
	// DefaultTimeoutA11y bounds a call of a server whose URL has "a11y" in it:
	// such servers drive a browser over whole sites.
	DefaultTimeoutA11y = 280 * time.Second
	// DefaultListTimeout bounds a listing, all pages.
	DefaultListTimeout = 120 * time.Second
	// DefaultOpenTimeout bounds initialize or server/discover.
	DefaultOpenTimeout = 20 * time.Second
	// DefaultStartTimeout is that of a command: the first start of one that npx
	// or uvx runs downloads it.
	DefaultStartTimeout = 90 * time.Second
)

// Server is one MCP server: an HTTP endpoint or a local command. It may hold
// secrets; printing one in any way shows its name and kind alone.
type Server struct {
	// Name is the server's name as people say it: the key of the file, or
	// made from the URL. Unique in a list; of A-Z a-z 0-9 _ and -.
	Name string
	// URL is the http or https endpoint; "" for a command.
	URL string
	// Command is the program to start; "" for a URL.
	Command string
	// Args are the command's arguments.
	Args []string
	// Env is set for the command beside what it gets anyhow.
	Env map[string]string
	// Cwd is the command's working folder; "" is ours.
	Cwd string
	// Header is sent to this server only, in canonical form.
	Header http.Header
	// Auth says whose credentials the server gets.
	Auth Auth
	// Timeout bounds a call, ListTimeout a listing with all pages, OpenTimeout
	// an initialize or a server/discover.
	Timeout, ListTimeout, OpenTimeout time.Duration
	// Prefix and two underscores go before the names of its tools and prompts;
	// "" is none.
	Prefix string
	// ReadTools and WriteTools are globs on its own tool names: what counts as
	// read-only where it gives no hint, and what counts as a write whatever it
	// says.
	ReadTools, WriteTools []string
	// TLS is what it needs of TLS beside what all servers get.
	TLS TLS
	// ForwardHeaders are further headers of a client's request that it gets,
	// in canonical form.
	ForwardHeaders []string
}

// credentialHeader tells the header names that carry credentials.
func credentialHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "api-key", "apikey", "token", "secret", "cookie", "credential", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// HasCredentials says whether we send credentials of the operator's to the
// server: what the start-up line prints as auth=yes or auth=no.
func (s Server) HasCredentials() bool {
	if s.Auth == Operator {
		return true
	}
	for name := range s.Header {
		if credentialHeader(name) {
			return true
		}
	}
	return false
}

// Where is the server's place without anything that may be secret: scheme,
// host and path of a URL, where path parts that may be keys are three dots; the
// file name of a command.
func (s Server) Where() string {
	if s.URL == "" {
		return filepath.Base(s.Command)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "?"
	}
	parts := strings.Split(u.Path, "/")
	for i, part := range parts {
		if !generic(part) && !word(part) {
			parts[i] = "..."
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}

// Origin is scheme://host:port of a URL, with the port always there and all in
// lower case; "" for a command.
func (s Server) Origin() string {
	u, err := url.Parse(s.URL)
	if err != nil || s.URL == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// String names the server and its kind.
func (s Server) String() string {
	if s.URL != "" {
		return "server " + s.Name + " (http)"
	}
	return "server " + s.Name + " (stdio)"
}

// GoString is String: %#v shows no more.
func (s Server) GoString() string { return s.String() }

// Format is String under every verb.
func (s Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) } // a fmt.State's Write doesn't fail

// LogValue is String in a log record.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON is String in JSON.
func (s Server) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalText is String for other encoders.
func (s Server) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
