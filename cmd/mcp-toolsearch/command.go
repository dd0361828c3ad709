package main

import (
	"net/http"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/stdio"
)

// command is the way to a local command, and what ends its processes. None runs before it is used.
func (c *core) command(sv servers.Server) (http.RoundTripper, func()) {
	environ := make([]string, 0, len(c.environ))
	for name, value := range c.environ {
		environ = append(environ, name+"="+value)
	}
	t := stdio.New(stdio.Options{Server: sv, Environ: environ, BodyBytes: int(c.MaxBody), MaxProcesses: c.MaxProcesses, Logger: c.log, LogStderr: c.LogStderr})
	return t, t.Close
}
