package servers

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Env are the variables that say which servers there are, as they stand in the
// environment.
type Env struct {
	// Upstreams is "url|token,url2": the token after the first bar is optional.
	Upstreams string
	// UpstreamURLs and UpstreamURL are lists of URLs; they count only without
	// Upstreams.
	UpstreamURLs, UpstreamURL string
	// UpstreamTokens are the tokens of UpstreamURLs by position; an empty one is
	// none.
	UpstreamTokens string
	// LitellmMasterKey is the token of URLs with "litellm" in them that have none.
	LitellmMasterKey string
	// A11yTimeout bounds a call of URLs with "a11y" in them; 0 is
	// DefaultTimeoutA11y.
	A11yTimeout time.Duration
}

// Format keeps the tokens out of every verb.
func (e Env) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "servers.Env") } // a fmt.State's Write doesn't fail

// MarshalText keeps them out of log records and encoders.
func (e Env) MarshalText() ([]byte, error) { return []byte("servers.Env"), nil }

// entry is one address as it stands in a variable.
type entry struct {
	from       string // the variable and the place in it
	url, token string
}

// FromEnv reads the list of servers from variables. An entry that can't be
// used is skipped and a warning, which holds no token.
func FromEnv(e Env) (list []Server, warnings []string) {
	taken := map[string]bool{}
	seen := map[entry]bool{}
	for _, at := range e.entries() {
		if at.token == "" && strings.Contains(at.url, "litellm") {
			at.token = strings.TrimSpace(e.LitellmMasterKey)
		}
		same := entry{url: at.url, token: at.token}
		if seen[same] {
			continue
		}
		seen[same] = true
		u, user, err := address(at.url)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s%s %s; it is skipped", at.from, shown(at.url), err))
			continue
		}
		if host := u.Hostname(); host == "0.0.0.0" || host == "::" {
			warnings = append(warnings, fmt.Sprintf("%s: %s is an address to listen on: connect to the host's name, or to 127.0.0.1 on the same machine", at.from, host))
		}
		s := Server{Name: unique(nameOf(u), u.Port(), taken), URL: u.String(), Header: http.Header{},
			Timeout: e.timeout(at.url), ListTimeout: DefaultListTimeout, OpenTimeout: DefaultOpenTimeout}
		if warning := s.authorise(at, user); warning != "" {
			warnings = append(warnings, warning)
			continue
		}
		list = append(list, s)
	}
	return list, warnings
}

// authorise puts the entry's credentials into the headers.
func (s *Server) authorise(at entry, user *url.Userinfo) (warning string) {
	value := basic(user)
	if at.token != "" {
		value = "Bearer " + at.token
	}
	if value == "" {
		return ""
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return at.from + ": its token has a character that no header can carry; it is skipped"
	}
	s.Header.Set("Authorization", value)
	s.Auth = Operator
	return ""
}

// basic is the Authorization of a URL's user and password (RFC 7617).
func basic(user *url.Userinfo) string {
	if user == nil {
		return ""
	}
	password, _ := user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
}

func (e Env) timeout(address string) time.Duration {
	if !strings.Contains(address, "a11y") {
		return DefaultTimeout
	}
	if e.A11yTimeout > 0 {
		return e.A11yTimeout
	}
	return DefaultTimeoutA11y
}

// entries are the addresses in their order. Without Upstreams those of the
// older variables, whose tokens go by the position of the address; an address
// that came before is left out there, with its token.
func (e Env) entries() []entry {
	var list []entry
	if strings.TrimSpace(e.Upstreams) != "" {
		for i, text := range split(e.Upstreams) {
			address, token, _ := strings.Cut(text, "|")
			list = append(list, entry{from: fmt.Sprintf("UPSTREAMS, entry %d", i+1), url: strings.TrimSpace(address), token: strings.TrimSpace(token)})
		}
		return list
	}
	list = named("UPSTREAM_URLS", e.UpstreamURLs)
	list = append(list, named("UPSTREAM_URL", e.UpstreamURL)...)
	tokens := strings.Split(e.UpstreamTokens, ",")
	for i := range min(len(list), len(tokens)) {
		list[i].token = strings.TrimSpace(tokens[i])
	}
	var once []entry
	for _, at := range list {
		if !has(once, at.url) {
			once = append(once, at)
		}
	}
	return once
}

// named are the addresses of one variable without their tokens.
func named(variable, text string) []entry {
	var list []entry
	for i, address := range split(text) {
		list = append(list, entry{from: fmt.Sprintf("%s, entry %d", variable, i+1), url: address})
	}
	return list
}

func has(list []entry, address string) bool {
	for _, at := range list {
		if at.url == address {
			return true
		}
	}
	return false
}

// split is a list's entries without blanks around them and without empty ones.
func split(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// shown is the host of an address that can't be used, after a colon. What
// doesn't look like an address isn't shown: it may be a part of a token.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil || !strings.Contains(text, "://") || u.Host == "" {
		return ": what stands there"
	}
	return ": the address with the host " + u.Host
}
