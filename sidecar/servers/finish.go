package servers

import (
	"path"
	"strings"
)

// finish checks what belongs together and fills in what wasn't said.
func (s *settings) finish() {
	s.checkKind()
	s.checkAuth()
	s.checkGlobs()
	s.checkTLS()
	s.setTimes()
	if len(s.Header) == 0 {
		s.Header = nil
	}
}

// checkKind: a server is a URL or a command, and its type agrees.
func (s *settings) checkKind() {
	kind := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s.kind))
	url, command := s.given["url"], s.given["command"]
	switch {
	case kind == "sse" || kind == "ws" || kind == "websocket":
		s.wrong(s.kindAt, "type %s of server %s is a transport that is not spoken here: give the server's streamable HTTP URL, with type http", kind, s.Name)
	case kind != "" && kind != "stdio" && kind != "http" && kind != "streamablehttp":
		s.wrong(s.kindAt, "type of server %s must be stdio or http", s.Name)
	case command && url:
		s.wrong(s.at, "server %s has a command and a url: keep one", s.Name)
	case command && kind != "" && kind != "stdio":
		s.wrong(s.kindAt, "server %s has a command: its type is stdio", s.Name)
	case url && kind == "stdio":
		s.wrong(s.kindAt, "server %s has a url: its type is http", s.Name)
	case !command && kind == "stdio":
		s.wrong(s.at, "server %s has no command: write the program to start", s.Name)
	case !url && !command:
		s.wrong(s.at, "server %s has neither url nor command: write one of them, like url: http://host:8080/mcp", s.Name)
	case url && (s.given["args"] || s.given["env"] || s.given["cwd"]):
		s.wrong(s.at, "server %s has a url: args, env and cwd are those of a command", s.Name)
	case command && (s.given["headers"] || s.given["forwardHeaders"]):
		s.wrong(s.at, "server %s is a command: it gets no headers; give it what it needs under env", s.Name)
	}
}

// checkAuth: what auth says and what the headers hold agree.
func (s *settings) checkAuth() {
	credentials := ""
	for name := range s.Header {
		if credentialHeader(name) && (credentials == "" || name < credentials) {
			credentials = name
		}
	}
	switch {
	case s.auth == nil && credentials != "":
		s.Auth = Operator
	case s.auth == nil:
	case s.given["command"] && s.Auth != None:
		s.wrong(s.auth, "auth of server %s must be none: a command gets no headers; give it what it needs under env", s.Name)
	case s.Auth == None && credentials != "":
		s.wrong(s.auth, "auth of server %s is none, but its headers have %s: write operator, or leave one out", s.Name, credentials)
	case s.Auth == Caller && s.Header.Get("Authorization") != "":
		s.wrong(s.auth, "auth of server %s is caller, but its headers have Authorization: keep one", s.Name)
	case s.Auth == Operator && !s.given["headers"] && len(s.Header) == 0:
		s.wrong(s.auth, "auth of server %s is operator, but it has no headers: write the credentials there, as ${NAME}", s.Name)
	}
}

// slash stands for "/" in a match: a tool's name is no path.
const slash = "\x00"

func (s *settings) checkGlobs() {
	for key, globs := range map[string][]string{"readTools": s.ReadTools, "writeTools": s.WriteTools} {
		for _, g := range globs {
			if _, err := path.Match(g, ""); err != nil || g == "" {
				s.wrong(s.at, "%s of server %s has an entry that is no pattern for tool names: write *, ? and [a-z] as in mail_*", key, s.Name)
			}
		}
	}
}

// Match tells whether a tool's own name fits one of the patterns: *, ? and
// [a-z], where * crosses slashes too.
func Match(globs []string, tool string) bool {
	tool = strings.ReplaceAll(tool, "/", slash)
	for _, g := range globs {
		if ok, _ := path.Match(strings.ReplaceAll(g, "/", slash), tool); ok { // checked when it was read
			return true
		}
	}
	return false
}

func (s *settings) setTimes() {
	if s.Timeout == 0 {
		s.Timeout = Env{}.timeout(s.URL)
	}
	if s.ListTimeout == 0 {
		s.ListTimeout = DefaultListTimeout
	}
	if s.OpenTimeout == 0 {
		s.OpenTimeout = DefaultOpenTimeout
		if s.Command != "" {
			s.OpenTimeout = DefaultStartTimeout
		}
	}
}
