package upstream

import (
	"context"
	"errors"

	"mcp-toolsearch/sidecar/caller"
)

// Client lists and calls upstreams. It is safe for concurrent use and owns no
// goroutines.
type Client struct{ opt Options }

// New makes a client; zero options get their defaults.
func New(o Options) *Client { return &Client{opt: o} }

var errUnfinished = errors.New("unfinished")

// List reads the whole tools/list of t as who.
func (c *Client) List(ctx context.Context, t Target, who caller.Caller, opt ListOptions) (*Listing, error) {
	return nil, errUnfinished
}

// Call sends one tools/call to t as who.
func (c *Client) Call(ctx context.Context, t Target, who caller.Caller, call Call) (*CallAnswer, error) {
	return nil, errUnfinished
}

// Metadata gets a JSON document of at most 64 KiB from t's own origin.
func (c *Client) Metadata(ctx context.Context, t Target, url string) ([]byte, error) {
	return nil, errUnfinished
}
