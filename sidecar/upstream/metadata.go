package upstream

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

const (
	maxMetadataBytes = 64 << 10
	metadataTimeout  = 10 * time.Second
)

// Metadata gets a JSON object of at most 64 KiB from t's own origin, without
// any credentials: a protected-resource document (RFC 9728) is public. address
// is an absolute URL on that origin or a path on it.
func (c *Client) Metadata(ctx context.Context, t Target, address string) ([]byte, error) {
	at, err := sameOrigin(t, address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	r := &route{c: c, target: Target{URL: at, Authority: t.Authority}}
	h := http.Header{"Accept": {"application/json"}}
	r.setShared(h)
	resp, err := r.send(ctx, http.MethodGet, h, nil)
	if err != nil {
		return nil, err
	}
	defer Drain(resp)
	if resp.StatusCode != http.StatusOK {
		return nil, &Error{Kind: BadStatus, Status: resp.StatusCode, Detail: "no protected-resource metadata"}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadataBytes+1))
	switch {
	case err != nil:
		return nil, TransportFailure(ctx, err)
	case len(body) > maxMetadataBytes:
		return nil, &Error{Kind: TooLarge, Status: resp.StatusCode, Detail: "the metadata is longer than 64 KiB", advice: "shorten the document"}
	case mediaType(resp) != "application/json" || !wire.IsObject(body):
		return nil, garbage(resp, "the metadata is not a JSON object")
	}
	if _, err := wire.Fields(body); err != nil {
		return nil, garbage(resp, "the metadata is not a JSON object")
	}
	return body, nil
}

// sameOrigin resolves an address that a challenge named; another origin is
// refused: what an upstream says must not choose where we go.
func sameOrigin(t Target, address string) (string, error) {
	base, err := parseTarget(t)
	if err != nil {
		return "", err
	}
	ref, err := url.Parse(address)
	if err != nil {
		return "", &Error{Kind: Garbage, Detail: "the metadata's address is not a URL"}
	}
	at := base.ResolveReference(ref)
	if at.Scheme != base.Scheme || at.Host != base.Host || at.User != nil {
		return "", &Error{Kind: Refused, Detail: "the metadata's address is on another origin"}
	}
	return at.String(), nil
}
