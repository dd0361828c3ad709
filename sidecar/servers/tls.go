package servers

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/net/http/httpguts"

	"mcp-toolsearch/sidecar/tlsfiles"
)

// TLS is what one server needs of TLS. What is not said is that of all servers. The paths are not secret, but what stands
// in their place by mistake may be.
type TLS struct {
	// CA is the file of the authorities that sign its certificate; no other authority counts then, the system's neither.
	CA string
	// Cert and Key are the files of the certificate that it is shown; both or none.
	Cert, Key string
	// ServerName is asked for and checked in the place of the host's name.
	ServerName string
}

func (s *settings) tlsText(m member) string {
	s.tls[m.key.Value] = m.value
	return s.text(m)
}

// checkTLS: the keys about TLS fit each other and the URL, and their files can be used now.
func (s *settings) checkTLS() {
	for _, key := range []string{"tlsCA", "tlsCert", "tlsKey", "tlsServerName"} { // one mistake is enough
		n := s.tls[key]
		switch {
		case n == nil:
			continue
		case s.given["command"]:
			s.wrong(n, "server %s is a command: %s is for a url", s.Name, key)
			return
		case s.URL != "" && !strings.HasPrefix(s.URL, "https:"):
			s.wrong(n, "server %s has %s, but its url is not https: write https, or leave it out", s.Name, key)
			return
		}
	}
	if cert, key := s.tls["tlsCert"], s.tls["tlsKey"]; (cert == nil) != (key == nil) {
		if cert == nil {
			cert = key
		}
		s.wrong(cert, "tlsCert and tlsKey of server %s belong together: write both, or none", s.Name)
		return
	}
	if n := s.tls["tlsServerName"]; n != nil && s.TLS.ServerName != "" && (!httpguts.ValidHostHeader(s.TLS.ServerName) || strings.ContainsAny(s.TLS.ServerName, ":/")) {
		s.wrong(n, "tlsServerName of server %s is no name of a host: write it without scheme and port", s.Name)
	}
	if s.disabled {
		return
	}
	s.checkFiles("tlsCA", tlsfiles.Options{CA: tlsfiles.Named{Setting: "tlsCA", Path: s.TLS.CA}})
	if s.TLS.Cert != "" && s.TLS.Key != "" {
		s.checkFiles("tlsCert", tlsfiles.Options{Cert: tlsfiles.Named{Setting: "tlsCert", Path: s.TLS.Cert}, Key: tlsfiles.Named{Setting: "tlsKey", Path: s.TLS.Key}})
	}
}

// unreadable is a file that can't be read.
type unreadable struct{ key, why string }

func (u *unreadable) Error() string { return u.why }

// checkFiles opens files as they are opened later. No path is repeated: a key may have been pasted in its place.
func (s *settings) checkFiles(key string, o tlsfiles.Options) {
	o.Plain = func(setting, _ string, err error) error {
		why := "names a file that can't be read: check its permissions, and that it is a file"
		if errors.Is(err, fs.ErrNotExist) {
			why = "names a file that is not there: correct the path (it starts at the folder that this program runs in), or put the file there"
		}
		return &unreadable{setting, why}
	}
	_, err := tlsfiles.Open(o)
	if err == nil || s.tls[key] == nil {
		return
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			s.fileMistake(key, o, err)
		}
		return
	}
	s.fileMistake(key, o, err)
}

func (s *settings) fileMistake(key string, o tlsfiles.Options, err error) {
	var file *unreadable
	if errors.As(err, &file) {
		s.wrong(s.tls[file.key], "%s of server %s %s", file.key, s.Name, file.why)
		return
	}
	text := err.Error()
	for _, named := range []tlsfiles.Named{o.CA, o.Cert, o.Key} {
		if named.Path != "" {
			text = strings.ReplaceAll(text, ": "+named.Path+" ", ": the file ")
			text = strings.ReplaceAll(text, " "+named.Path+" ", " the other ")
			text = strings.ReplaceAll(text, " in "+named.Path, " in the file")
		}
	}
	at, why, _ := strings.Cut(text, ": ")
	n := s.tls[at]
	if n == nil {
		at, n = key, s.tls[key]
	}
	s.wrong(n, "%s of server %s: %s", at, s.Name, why)
}
