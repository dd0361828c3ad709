package main

import (
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/servers"
)

// command is the way to a local command, and what ends it.
func (c *core) command(sv servers.Server) (http.RoundTripper, func()) {
	return notYet(sv.Name), func() {}
}

// notYet says that commands are not started yet.
type notYet string

// RoundTrip implements [http.RoundTripper].
func (n notYet) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("server " + string(n) + " is a command: commands are not started yet")
}
