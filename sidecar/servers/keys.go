package servers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"
)

// keysOfServer are the keys of a server and what reads them.
func keysOfServer() map[string]func(*settings, member) {
	return map[string]func(*settings, member){
		"command":        func(s *settings, m member) { s.Command = s.text(m) },
		"args":           func(s *settings, m member) { s.Args = s.texts(m) },
		"env":            (*settings).readEnv,
		"cwd":            func(s *settings, m member) { s.Cwd = s.text(m) },
		"url":            (*settings).readURL,
		"headers":        (*settings).readHeaders,
		"type":           func(s *settings, m member) { s.kind, s.kindAt = s.text(m), m.value },
		"disabled":       func(s *settings, m member) { s.disabled = s.truth(m) },
		"auth":           (*settings).readAuth,
		"timeout":        func(s *settings, m member) { s.Timeout = s.duration(m) },
		"listTimeout":    func(s *settings, m member) { s.ListTimeout = s.duration(m) },
		"openTimeout":    func(s *settings, m member) { s.OpenTimeout = s.duration(m) },
		"prefix":         (*settings).readPrefix,
		"readTools":      func(s *settings, m member) { s.ReadTools = s.texts(m) },
		"writeTools":     func(s *settings, m member) { s.WriteTools = s.texts(m) },
		"forwardHeaders": (*settings).readForward,
		"tlsCA":          func(s *settings, m member) { s.TLS.CA = s.tlsText(m) },
		"tlsCert":        func(s *settings, m member) { s.TLS.Cert = s.tlsText(m) },
		"tlsKey":         func(s *settings, m member) { s.TLS.Key = s.tlsText(m) },
		"tlsServerName":  func(s *settings, m member) { s.TLS.ServerName = s.tlsText(m) },
	}
}

// scalar is the text of a value with its variables filled in; ok is false when
// it is something else, which is noted.
func (s *settings) scalar(n *yaml.Node, what string) (text string, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		s.wrong(n, "%s of server %s must be a text", what, s.Name)
		return "", false
	}
	text, err := expand(n.Value, s.getenv)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			s.wrong(n, "%s of server %s %s", what, s.Name, line)
		}
		return "", false
	}
	if strings.ContainsRune(text, 0) {
		s.wrong(n, "%s of server %s has a zero byte in it", what, s.Name)
		return "", false
	}
	return text, true
}

func (s *settings) text(m member) string {
	text, ok := s.scalar(m.value, m.key.Value)
	if ok && strings.TrimSpace(text) == "" {
		s.wrong(m.value, "%s of server %s is empty: write a value or leave it out", m.key.Value, s.Name)
	}
	return text
}

func (s *settings) texts(m member) []string {
	if m.value.Kind != yaml.SequenceNode {
		s.wrong(m.value, "%s of server %s must be a list", m.key.Value, s.Name)
		return nil
	}
	var list []string
	for _, n := range m.value.Content {
		if text, ok := s.scalar(n, "an entry in "+m.key.Value); ok {
			list = append(list, text)
		}
	}
	return list
}

func (s *settings) truth(m member) bool {
	text, ok := s.scalar(m.value, m.key.Value)
	value, err := strconv.ParseBool(text)
	if ok && err != nil {
		s.wrong(m.value, "%s of server %s must be true or false", m.key.Value, s.Name)
	}
	return value
}

// Bounds of the times.
const (
	shortest = 100 * time.Millisecond
	longest  = time.Hour
)

// duration reads "90s", "3m", or a number of seconds.
func (s *settings) duration(m member) time.Duration {
	text, ok := s.scalar(m.value, m.key.Value)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if n, isNumber := strconv.ParseFloat(text, 64); isNumber == nil {
		if n > longest.Seconds() || n < shortest.Seconds() { // before it could overflow
			n = 0
		}
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d < shortest || d > longest {
		s.wrong(m.value, "%s of server %s must be a time from 100ms to 1h like 90s or 3m; a plain number is seconds", m.key.Value, s.Name)
		return 0
	}
	return d
}

func (s *settings) readEnv(m member) {
	s.Env = map[string]string{}
	for _, v := range s.members(m.value, "env of server "+s.Name) {
		if v.key.Value == "" || strings.ContainsAny(v.key.Value, "=\x00") {
			s.wrong(v.key, "env of server %s has a name that no variable can have", s.Name)
			continue
		}
		if text, ok := s.scalar(v.value, "the variable "+v.key.Value); ok {
			s.Env[v.key.Value] = text
		}
	}
}

func (s *settings) readURL(m member) {
	if s.URL != "" {
		s.wrong(m.key, "server %s has two URLs: keep one", s.Name)
		return
	}
	text, ok := s.scalar(m.value, m.key.Value)
	if !ok {
		return
	}
	u, user, err := address(strings.TrimSpace(text))
	if err != nil {
		s.wrong(m.value, "%s of server %s %s", m.key.Value, s.Name, err)
		return
	}
	s.URL = u.String()
	if value := basic(user); value != "" && s.Header.Get("Authorization") == "" {
		s.Header.Set("Authorization", value)
	}
}

// ownHeader are the request headers that the protocol and the connection need
// for themselves.
func ownHeader(name string) bool {
	return strings.HasPrefix(name, "Mcp-") || slices.Contains([]string{"Host", "Connection", "Content-Length", "Content-Type", "Content-Encoding",
		"Transfer-Encoding", "Te", "Trailer", "Upgrade", "Keep-Alive", "Proxy-Connection", "Accept", "Accept-Encoding", "Last-Event-Id", "Via", "Expect"}, name)
}

func (s *settings) headerName(n *yaml.Node, text, what string) (name string, ok bool) {
	name = http.CanonicalHeaderKey(strings.TrimSpace(text))
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		s.wrong(n, "%s of server %s has a name that no header can have", what, s.Name)
		return "", false
	case ownHeader(name):
		s.wrong(n, "%s of server %s has %s, which the connection itself needs: leave it out", what, s.Name, name)
		return "", false
	}
	return name, true
}

func (s *settings) readHeaders(m member) {
	for _, h := range s.members(m.value, "headers of server "+s.Name) {
		name, ok := s.headerName(h.key, h.key.Value, "headers")
		if !ok {
			continue
		}
		value, ok := s.scalar(h.value, "the header "+name)
		value = strings.TrimSpace(value)
		switch {
		case !ok:
		case !httpguts.ValidHeaderFieldValue(value) || value == "":
			s.wrong(h.value, "the header %s of server %s is empty or has a character that no header can carry", name, s.Name)
		default:
			s.Header.Set(name, value)
		}
	}
}

func (s *settings) readForward(m member) {
	for _, text := range s.texts(m) {
		name, ok := s.headerName(m.value, text, "forwardHeaders")
		switch {
		case !ok:
		case name == "Authorization" || name == "Cookie" || name == "Proxy-Authorization":
			s.wrong(m.value, "forwardHeaders of server %s has %s: a caller's credentials go on with auth: caller alone", s.Name, name)
		default:
			s.ForwardHeaders = append(s.ForwardHeaders, name)
		}
	}
}

func (s *settings) readAuth(m member) {
	s.auth = m.value
	text, ok := s.scalar(m.value, m.key.Value)
	switch {
	case !ok:
	case text == "none":
	case text == "operator":
		s.Auth = Operator
	case text == "caller":
		s.Auth = Caller
	default:
		s.wrong(m.value, "auth of server %s must be none, operator or caller", s.Name)
		s.auth = nil
	}
}

// maxPrefix is the longest prefix: hosts of models allow tool names of 64 characters.
const maxPrefix = 32

func (s *settings) readPrefix(m member) {
	text := strings.TrimSuffix(s.text(m), "__")
	if text == "" {
		return
	}
	if Clean(text) != text || len(text) > maxPrefix {
		s.wrong(m.value, "prefix of server %s must be 1 to %d letters, digits, - or _, like the server's name; two underscores are put after it", s.Name, maxPrefix)
		return
	}
	s.Prefix = text
}
