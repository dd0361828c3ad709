package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/tlsfiles"
)

// extprocFiles are those of the ext_proc listener; nil without TLS.
func (s *Settings) extprocFiles() (*tlsfiles.Files, error) {
	if s.ExtprocCert == "" && s.ExtprocKey == "" && s.ExtprocClientCA == "" {
		return nil, nil
	}
	if s.ExtprocCert == "" {
		return nil, errors.New("--extproc-tls-cert is missing: the ext_proc listener needs a certificate of its own to ask for others'")
	}
	return tlsfiles.Open(s.files(tlsfiles.Options{What: "the certificate of the ext_proc listener", Role: "extproc", Names: s.ExtprocClientNames},
		"--extproc-tls-cert", s.ExtprocCert, "--extproc-tls-key", s.ExtprocKey, "--extproc-client-ca", s.ExtprocClientCA))
}

// doorFiles are those of the HTTP door; nil without TLS.
func (s *Settings) doorFiles() (*tlsfiles.Files, error) {
	if s.TLSCert == "" && s.TLSKey == "" && s.TLSClientCA == "" {
		return nil, nil
	}
	if s.TLSCert == "" && s.TLSKey == "" {
		return nil, errors.New("--tls-cert is missing: the HTTP door needs a certificate of its own to ask for others' (--tls-client-ca)")
	}
	return tlsfiles.Open(s.files(tlsfiles.Options{What: "the certificate of --tls-cert", Role: "http"},
		"--tls-cert", s.TLSCert, "--tls-key", s.TLSKey, "--tls-client-ca", s.TLSClientCA))
}

// upstreamFiles are those of requests to upstreams. For merged servers the system's authorities count too.
func (s *Settings) upstreamFiles() (*tlsfiles.Files, error) {
	return tlsfiles.Open(s.files(tlsfiles.Options{What: "the certificate for upstreams", Role: "upstream", System: s.merges()},
		"--upstream-cert", s.UpstreamCert, "--upstream-key", s.UpstreamKey, "--upstream-ca", s.UpstreamCA))
}

func (s *Settings) files(o tlsfiles.Options, certName, cert, keyName, key, caName, ca string) tlsfiles.Options {
	o.Cert, o.Key, o.CA = tlsfiles.Named{Setting: certName, Path: cert}, tlsfiles.Named{Setting: keyName, Path: key}, tlsfiles.Named{Setting: caName, Path: ca}
	o.Plain, o.MinVersion = fileMistake, tls.VersionTLS12
	if s.TLSMinVersion == "1.3" {
		o.MinVersion = tls.VersionTLS13
	}
	return o
}

// carry makes a transport whose certificates are kept current while the core lives.
func (c *core) carry(base *http.Transport, name string) (*tlsfiles.Transport, error) {
	files, err := c.upstreamFiles()
	if err != nil {
		return nil, err
	}
	c.tls.Add(files)
	return files.Transport(base, name), nil
}

// carryTo makes the transport of a merged server that needs other certificates than the others. What it doesn't say is
// that of all. end lets go of it.
func (c *core) carryTo(sv servers.Server) (_ http.RoundTripper, end func()) {
	files, err := tlsfiles.Open(c.serverFiles(sv))
	if err != nil { // the files were good a moment ago, when the configuration was read
		c.log.Error("the certificates of a server can't be used: nothing is sent to it before the configuration is read again", "server", sv.Name, "error", err.Error())
		return noTransport{}, func() {}
	}
	remove := c.tls.Add(files)
	t := files.Transport(c.webTransport(), sv.TLS.ServerName)
	return t, func() { remove(); t.CloseIdleConnections() }
}

func (s *Settings) serverFiles(sv servers.Server) tlsfiles.Options {
	o := tlsfiles.Options{What: "the certificate for a server", Role: "upstream", Server: sv.Name, System: sv.TLS.CA == ""}
	cert, key, ca := "tlsCert", "tlsKey", "tlsCA"
	if sv.TLS.Cert == "" {
		cert, key, sv.TLS.Cert, sv.TLS.Key = "--upstream-cert", "--upstream-key", s.UpstreamCert, s.UpstreamKey
	}
	if sv.TLS.CA == "" {
		ca, sv.TLS.CA = "--upstream-ca", s.UpstreamCA
	}
	return s.files(o, cert, sv.TLS.Cert, key, sv.TLS.Key, ca, sv.TLS.CA)
}

// noTransport sends nothing.
type noTransport struct{}

// RoundTrip implements [http.RoundTripper].
func (noTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("its certificates can't be used")}
}

// extprocPlace is where Envoy connects.
func (c *core) extprocPlace() (extproc.Place, error) {
	mode, err := c.socketMode()
	if err != nil {
		return extproc.Place{}, err
	}
	p := extproc.Place{Address: c.ExtprocListen, HandshakeFailed: c.metrics.HandshakeFailed, SocketMode: mode, SocketGroup: c.ExtprocSocketGroup}
	files, err := c.extprocFiles()
	if files != nil {
		c.tls.Add(files)
		p.TLS = files.Server("h2")
	}
	return p, err
}

// socketMode reads --extproc-socket-mode.
func (s *Settings) socketMode() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(s.ExtprocSocketMode, 8, 32)
	if err != nil || mode > 0o777 || mode&0o600 != 0o600 {
		return 0, fmt.Errorf("--extproc-socket-mode: %q are no permissions of a socket: write 0600 (the owner), 0660 (the group too) or 0666 (everybody)", s.ExtprocSocketMode)
	}
	return fs.FileMode(mode), nil
}

// tlsMistakes are those of the listeners' and upstreams' TLS, and of the socket.
func (s *Settings) tlsMistakes() []error {
	mistakes := []error{oneOf("--tls-min-version", s.TLSMinVersion, "1.2", "1.3")}
	_, mode := s.socketMode()
	_, upstreams := s.upstreamFiles()
	mistakes = append(mistakes, mode, upstreams)
	if s.ExtprocSocketGroup != "" {
		if _, err := extproc.GroupID(s.ExtprocSocketGroup); err != nil {
			mistakes = append(mistakes, fmt.Errorf("--extproc-socket-group: %w", err))
		}
	}
	if !s.extproc() {
		return flat(errors.Join(mistakes...))
	}
	files, err := s.extprocFiles()
	mistakes = append(mistakes, err)
	if files == nil && err == nil && len(s.ExtprocClientNames) > 0 || len(s.ExtprocClientNames) > 0 && s.ExtprocClientCA == "" {
		mistakes = append(mistakes, errors.New("--extproc-client-names needs --extproc-client-ca: a name that no authority has signed says nothing"))
	}
	return flat(errors.Join(mistakes...))
}
