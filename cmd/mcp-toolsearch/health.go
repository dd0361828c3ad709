package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthcheck asks a running sidecar whether it is ready: for container images without a shell or curl.
func healthcheck(ctx context.Context, t terminal, args []string) error {
	s, words, err := settingsOf(t, "healthcheck", args, nil)
	if err != nil {
		return err
	}
	if err := stray("healthcheck", words); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(s.AdminListen)
	if err != nil {
		return usageError{fmt.Errorf("--admin-listen: %q is not host:port", s.AdminListen)}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return fmt.Errorf("nothing answers on the admin listener %s: is the sidecar running, with this --admin-listen? (%w)", s.AdminListen, err)
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the sidecar on %s is not ready (HTTP %d)", s.AdminListen, resp.StatusCode)
	}
	_, err = fmt.Fprintln(t.out, "ready")
	return err
}
