package member

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// Relay passes one HTTP request of a client on as it is: body, session id and
// protocol headers untouched, with the member's own credentials put in. h are
// the client's headers; of others than the protocol's the allow-list of
// Client.Header holds. The answer's headers come back, but for hop-by-hop and
// cookies. It is for a client whose era the server speaks.
func (m *Member) Relay(ctx context.Context, c Client, method string, body []byte, h http.Header) (*Answer, error) {
	out := m.identityOf(c.Header)()
	for name, values := range h {
		if relayed(name) {
			out[name] = slices.Clone(values)
		}
	}
	m.setAgent(out)
	limit := m.o.Server.Timeout
	if method == http.MethodGet || h.Get("Mcp-Method") == "subscriptions/listen" {
		limit = 0
	}
	if h.Get("Mcp-Method") == "" && method == http.MethodPost && isListen(body) {
		limit = 0
	}
	reqCtx, patient := withPatience(ctx, limit)
	resp, err := m.do(reqCtx, method, out, body)
	if err != nil {
		patient.end()
		return nil, err
	}
	if method == http.MethodPost && wantsAnswer(body) {
		if err := m.nothing(resp); err != nil {
			leaveAlone(resp, patient)
			return nil, err
		}
	}
	a := m.pass(reqCtx, resp, patient, func() {}, nil)
	a.Header = resp.Header.Clone()
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Trailer", "Te", "Set-Cookie"} {
		a.Header.Del(name)
	}
	return a, nil
}

// relayed tells the protocol's own headers.
func relayed(name string) bool {
	switch name {
	case "Accept", "Content-Type", "Last-Event-Id":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// wantsAnswer tells what has an answer to get.
func wantsAnswer(body []byte) bool {
	id := member(body, "id")
	return id != nil && !wire.IsNull(id) && member(body, "method") != nil
}

// isListen looks at a body without a method header.
func isListen(body []byte) bool {
	method, _ := wire.String(member(body, "method"))
	return method == "subscriptions/listen"
}
