package extproc

import (
	"log/slog"
	"net"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"mcp-toolsearch/sidecar/tlsfiles"
)

// credentials are how a connection is secured. A unix socket is by its permissions.
func (p Place) credentials(log *slog.Logger) credentials.TransportCredentials {
	if p.TLS == nil {
		return insecure.NewCredentials()
	}
	return &handshakes{TransportCredentials: credentials.NewTLS(p.TLS), log: log, failed: p.HandshakeFailed}
}

// handshakes say why they fail: Envoy connects again every second, and shows its own clients nothing but 503.
type handshakes struct {
	credentials.TransportCredentials
	log    *slog.Logger
	failed func(reason string)
	told   atomic.Pointer[string] // the last reason, until a handshake works
}

// ServerHandshake implements [credentials.TransportCredentials].
func (h *handshakes) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := h.TransportCredentials.ServerHandshake(raw)
	if err == nil {
		h.told.Store(nil)
		return conn, info, nil
	}
	why := tlsfiles.FailureOf(err)
	if h.failed != nil {
		h.failed(why.Reason)
	}
	if last := h.told.Swap(&why.Reason); why.Reason != "closed" && (last == nil || *last != why.Reason) {
		h.log.Warn("TLS handshakes on the ext_proc listener fail", "reason", why.Reason, "next", why.Next)
	}
	return conn, info, err
}
