package tlsfiles

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// maxFile bounds a file that is read: bundles of all public authorities have a third of it.
const maxFile = 1 << 20

// Named is a file and the setting that names it, for messages.
type Named struct{ Setting, Path string }

// Options say which files there are and what they are for.
type Options struct {
	// What are these files, in the words of a log line: "the certificate of the HTTP door".
	What string
	// Role and Server tell them apart in metrics. Role is one of a closed set; Server is the operator's name of a merged
	// server, or "".
	Role, Server string
	// Cert and Key are a chain and its key, in PEM form. Both or none.
	Cert, Key Named
	// CA holds the authorities that sign the other side's certificates; none where its path is empty.
	CA Named
	// System has the system's authorities count beside those of CA.
	System bool
	// Names are those that a client's certificate must have one of: DNS names, or URIs such as spiffe://host/name. Empty:
	// any. They count for a server's side alone.
	Names []string
	// MinVersion is the least version of TLS, as crypto/tls numbers it; 0 is 1.2.
	MinVersion uint16
	// Plain says in plain words why a file can't be read; nil is the error as it is.
	Plain func(setting, path string, err error) error
	// Now is the time; nil is time.Now.
	Now func() time.Time
}

// Files are certificates, keys and authorities that may change. It is safe for concurrent use, but for looking.
type Files struct {
	o   Options
	now atomic.Pointer[state]

	// Those below belong to who looks.
	last  [sha256.Size]byte // the content that was judged last
	bad   error             // why that can't be used
	told  string            // the last mistake that was told
	ended notice
}

// state is one content of the files.
type state struct {
	pair        *tls.Certificate
	authorities *x509.CertPool
	pairEnds    time.Time
	pairLasts   time.Duration
	caEnds      time.Time
}

// Open reads the files. The error says which can't be used and why; several are joined.
func Open(o Options) (*Files, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Plain == nil {
		o.Plain = func(setting, _ string, err error) error { return fmt.Errorf("%s: %w", setting, err) }
	}
	if (o.Cert.Path == "") != (o.Key.Path == "") {
		return nil, fmt.Errorf("%s and %s belong together: set both, or none", o.Cert.Setting, o.Key.Setting)
	}
	f := &Files{o: o}
	content, err := f.read()
	if err != nil {
		return nil, err
	}
	first, err := f.judge(content)
	if err != nil {
		return nil, err
	}
	f.last = content.sum()
	f.now.Store(first)
	return f, nil
}

// content is what the files hold.
type content struct{ cert, key, ca []byte }

func (c content) sum() [sha256.Size]byte {
	return sha256.Sum256(bytes.Join([][]byte{c.cert, c.key, c.ca}, []byte{0}))
}

func (f *Files) read() (content, error) {
	var c content
	var mistakes []error
	for _, one := range []struct {
		from Named
		to   *[]byte
	}{{f.o.Cert, &c.cert}, {f.o.Key, &c.key}, {f.o.CA, &c.ca}} {
		if one.from.Path == "" {
			continue
		}
		data, err := readFile(one.from.Path)
		if err != nil {
			mistakes = append(mistakes, f.o.Plain(one.from.Setting, one.from.Path, err))
		}
		*one.to = data
	}
	return c, errors.Join(mistakes...)
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the file is larger than %d bytes: name a file of certificates", maxFile)
	}
	return data, err
}

// judge makes what the files hold usable, or says why it isn't.
func (f *Files) judge(c content) (*state, error) {
	s := &state{}
	return s, errors.Join(f.judgePair(s, c), f.judgeAuthorities(s, c.ca))
}

func (f *Files) judgePair(s *state, c content) error {
	if f.o.Cert.Path == "" {
		return nil
	}
	cert, key := f.o.Cert, f.o.Key
	chain, err := certificates(c.cert)
	if err != nil {
		return fmt.Errorf("%s: %s %w: name a file with -----BEGIN CERTIFICATE----- in it", cert.Setting, cert.Path, err)
	}
	pair, err := tls.X509KeyPair(c.cert, c.key)
	switch {
	case err != nil && strings.Contains(err.Error(), "does not match"):
		return fmt.Errorf("%s: %s and %s are no pair of certificate and key: name the files of one pair", cert.Setting, cert.Path, key.Path)
	case err != nil:
		return fmt.Errorf("%s: %s holds no private key that can be used: it must be in PEM form and without a passphrase", key.Setting, key.Path)
	}
	s.pair, s.pairEnds, s.pairLasts = &pair, chain[0].NotAfter, chain[0].NotAfter.Sub(chain[0].NotBefore)
	for _, above := range chain[1:] { // one that ends earlier ends the chain
		if above.NotAfter.Before(s.pairEnds) {
			s.pairEnds = above.NotAfter
		}
	}
	if f.o.Now().After(s.pairEnds) {
		return fmt.Errorf("%s: the certificate in %s ended at %s: renew it", cert.Setting, cert.Path, s.pairEnds.UTC().Format(time.RFC3339))
	}
	return nil
}

func (f *Files) judgeAuthorities(s *state, data []byte) error {
	if f.o.CA.Path == "" {
		return nil
	}
	list, err := certificates(data)
	if err != nil {
		return fmt.Errorf("%s: %s %w: name a file with -----BEGIN CERTIFICATE----- in it", f.o.CA.Setting, f.o.CA.Path, err)
	}
	s.authorities = x509.NewCertPool()
	if f.o.System {
		if system, err := x509.SystemCertPool(); err == nil {
			s.authorities = system
		}
	}
	for _, one := range list {
		s.authorities.AddCert(one)
	}
	var ended bool
	if s.caEnds, ended = nextEnd(list, f.o.Now()); ended && !f.o.System {
		return fmt.Errorf("%s: every authority in %s has ended, the last at %s: put a current one there", f.o.CA.Setting, f.o.CA.Path, s.caEnds.UTC().Format(time.RFC3339))
	}
	return nil
}

// nextEnd is when the next of the certificates ends that haven't: an old authority may be left in a bundle. When all have
// ended it is the last of these times.
func nextEnd(list []*x509.Certificate, now time.Time) (at time.Time, ended bool) {
	var next, last time.Time
	for _, one := range list {
		if one.NotAfter.After(last) {
			last = one.NotAfter
		}
		if one.NotAfter.After(now) && (next.IsZero() || one.NotAfter.Before(next)) {
			next = one.NotAfter
		}
	}
	if next.IsZero() {
		return last, true
	}
	return next, false
}

// Observer hears what becomes of files. The metrics implement it.
type Observer interface {
	// CertificateEnds says when certificates end; what is "certificate" or "authority".
	CertificateEnds(role, server, what string, at time.Time)
	// CertificateReloaded counts changed files; outcome is "taken" or "refused".
	CertificateReloaded(role, server, outcome string)
	// CertificateGone says that the files aren't used any more.
	CertificateGone(role, server string)
}

// look reads again what may have changed.
func (f *Files) look(log *slog.Logger, seen Observer) {
	defer f.remind(log)
	content, err := f.read()
	if err != nil {
		f.refuse(err, log, seen)
		return
	}
	if sum := content.sum(); sum != f.last {
		f.last = sum
		next, err := f.judge(content)
		if f.bad = err; err != nil {
			return // it may be half written: what is the same next time is told
		}
		f.told = ""
		f.now.Store(next)
		f.report(seen)
		seen.CertificateReloaded(f.o.Role, f.o.Server, "taken")
		log.Info(f.o.What+" changed and is in use", f.attributes()...)
		return
	}
	if f.bad != nil {
		f.refuse(f.bad, log, seen)
		return
	}
	f.told = ""
}

// refuse tells a mistake once.
func (f *Files) refuse(err error, log *slog.Logger, seen Observer) {
	if f.told == err.Error() {
		return
	}
	f.told = err.Error()
	seen.CertificateReloaded(f.o.Role, f.o.Server, "refused")
	log.Error(f.o.What+" changed and can't be used: what was there before stays until it is corrected", "error", err.Error())
}

func (f *Files) report(seen Observer) {
	s := f.now.Load()
	if s.pair != nil {
		seen.CertificateEnds(f.o.Role, f.o.Server, "certificate", s.pairEnds)
	}
	if s.authorities != nil && !s.caEnds.IsZero() {
		seen.CertificateEnds(f.o.Role, f.o.Server, "authority", s.caEnds)
	}
}

func (f *Files) attributes() []any {
	s := f.now.Load()
	var a []any
	if f.o.Server != "" {
		a = append(a, "server", f.o.Server)
	}
	if s.pair != nil {
		a = append(a, "ends", s.pairEnds.UTC().Format(time.RFC3339))
	}
	return a
}
