package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/tlsfiles"
)

// shortestSecret is the least length of a token or a key in a file: shorter ones can be guessed.
const shortestSecret = 16

// secretFile reads a secret: the whole file without blanks around it.
func secretFile(name, path string) ([]byte, error) {
	data, err := readUpTo(path, 64<<10)
	if err != nil {
		return nil, fileMistake(name, path, err)
	}
	secret := bytes.TrimSpace(data)
	switch {
	case len(secret) < shortestSecret:
		return nil, fmt.Errorf("%s: %s holds less than %d characters: make a secret with openssl rand -hex 32", name, path, shortestSecret)
	case bytes.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%s: %s holds more than one word of plain letters: make a secret with openssl rand -hex 32", name, path)
	}
	return secret, nil
}

// sessionKey seals the sessions of merged servers; nil without a file.
func (s *Settings) sessionKey() ([]byte, error) {
	if s.SessionKeyFile == "" {
		return nil, nil
	}
	return secretFile("--session-key-file", s.SessionKeyFile)
}

// kept is something read from files that is read again when they change.
type kept[T any] struct {
	what string
	read func() (*T, error)
	now  atomic.Pointer[T]
	told string // the last mistake that was told
}

// keep reads the files for the first time.
func keep[T any](what string, read func() (*T, error)) (*kept[T], error) {
	k := &kept[T]{what: what, read: read}
	first, err := read()
	k.now.Store(first)
	return k, err
}

// look reads again; what can't be used is told once, and what was there stays.
func (k *kept[T]) look(log *slog.Logger) {
	next, err := k.read()
	if err == nil {
		k.told = ""
		k.now.Store(next)
		return
	}
	if k.told != err.Error() {
		log.Error(k.what+" can't be read again: the one from before stays until it is corrected", "error", err.Error())
	}
	k.told = err.Error()
}

// doorSecrets are what the HTTP door reads from files.
type doorSecrets struct {
	token       *kept[[]byte]   // nil without --token-file
	certificate *tlsfiles.Files // nil without --tls-cert
}

// doorSecrets reads them.
func (s *Settings) doorSecrets() (*doorSecrets, error) {
	d := &doorSecrets{}
	var token, certificate error
	if s.TokenFile != "" {
		d.token, token = keep("the token of --token-file", func() (*[]byte, error) {
			secret, err := secretFile("--token-file", s.TokenFile)
			return &secret, err
		})
	}
	d.certificate, certificate = s.doorFiles()
	return d, errors.Join(token, certificate)
}

// bearer gives the door its token; nil where none is asked for.
func (d *doorSecrets) bearer() func() string {
	if d.token == nil {
		return nil
	}
	return func() string { return string(*d.token.now.Load()) }
}

// tls gives the door its certificate; nil is plain HTTP.
func (d *doorSecrets) tls() *tls.Config {
	if d.certificate == nil {
		return nil
	}
	return d.certificate.Server("h2", "http/1.1")
}

// watch reads the files again every so often until ctx ends.
func (d *doorSecrets) watch(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if d.token != nil {
			d.token.look(log)
		}
	}
}

// readUpTo reads a file that is no larger than so many bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d bytes: name another file", path, most)
	}
	return data, err
}
