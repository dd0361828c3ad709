package demoserver

import (
	"net/http"

	"mcp-toolsearch/internal/evalcatalog"
)

// Options say what a server serves. The zero value is the demo: the 500 tools of
// the evaluation catalog, stateless, both eras, no token needed.
type Options struct {
	// Tools replaces the evaluation catalog when not nil.
	Tools []evalcatalog.Tool
	// Fixtures adds the tools of Fixtures(): progress, elicitation, sampling,
	// multi round trip, images, big integers and others that tests need.
	Fixtures bool
	// Stateful serves the legacy era with sessions. The default serves the
	// modern era and the legacy one without sessions.
	Stateful bool
	// JSONResponse answers with application/json instead of an event stream.
	// Progress is then lost: the SDK drops it.
	JSONResponse bool
	// PageSize is the number of tools in a page; 0 means 1,000.
	PageSize int
	// Tokens are the bearer tokens let in. Empty: no token is asked for.
	Tokens []string
	// ResourceMetadataURL goes into the challenge of a 401, when not empty.
	ResourceMetadataURL string
	// Visible decides whether the caller with this bearer token ("" when it
	// sent none) may see and call a tool. Nil: all tools.
	Visible func(token, tool string) bool
	// Instructions are the server's own; empty means a short default.
	Instructions string
	// Name is the server's name in serverInfo; empty means "demo-tools".
	Name string
}

// New makes the handler of one MCP endpoint. It serves every path it is mounted
// at. The error says which tool is malformed.
func New(o Options) (http.Handler, error) {
	return http.NotFoundHandler(), nil
}
