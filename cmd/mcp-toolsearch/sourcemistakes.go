package main

import (
	"errors"
	"fmt"
	"net/url"
)

// sourceMistakes are those of the servers to merge, and of what belongs to them.
func (s *Settings) sourceMistakes() []error {
	mistakes := []error{oneOf("--transport", s.Transport, "http", "stdio")}
	for name, text := range map[string]string{"--upstream-timeout-a11y": s.A11yTimeout, "--catalog-ttl-sec": s.CatalogTTLSec} {
		if _, err := seconds(text); text != "" && err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", name, err))
		}
	}
	if p := s.UpstreamProxy; p != "" && p != "env" {
		if u, err := url.Parse(p); err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" || u.Host == "" {
			mistakes = append(mistakes, errors.New("--upstream-proxy: the value is neither env nor the URL of a proxy: write it like http://proxy:3128"))
		}
	}
	if _, err := s.sessionKey(); err != nil {
		mistakes = append(mistakes, err)
	}
	if !s.merges() {
		return mistakes
	}
	src, err := s.sources()
	if err != nil {
		return append(mistakes, flat(err)...)
	}
	if s.TokenFile != "" && !operator(src.list) {
		mistakes = append(mistakes, errors.New("--token-file takes a client's Authorization header for itself, and auth: caller passes it on: keep one of them"))
	}
	return mistakes
}

// flat takes joined errors apart.
func flat(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flat(e)...)
	}
	return all
}
