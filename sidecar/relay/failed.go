package relay

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"mcp-toolsearch/sidecar/crash"
	"mcp-toolsearch/sidecar/tlsfiles"
	"mcp-toolsearch/sidecar/wire"
)

// gatewayError is an answer of something in front of the upstream that is no JSON-RPC.
type gatewayError struct {
	status int
	retry  string
}

func (e *gatewayError) Error() string { return fmt.Sprintf("the upstream answered HTTP %d", e.status) }

// failed answers for an upstream that doesn't.
func (x *exchange) failed(_ http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil { // the client left, or the door stops
		panic(http.ErrAbortHandler)
	}
	f := upstreamFault(err)
	var gateway *gatewayError
	if errors.As(err, &gateway) && gateway.retry != "" {
		x.w.Header().Set("Retry-After", gateway.retry)
	}
	f.ID = x.id()
	x.door.o.Observer.RelayFailed(f.Reason)
	x.door.o.Logger.Warn("the upstream gave no answer", "reason", f.Reason, "status", f.Status)
	x.write(f)
}

// id is that of the request in the body; nil when there is none.
func (x *exchange) id() []byte {
	m, fault := wire.Scan(x.body, wire.Limits{Bytes: x.door.o.BodyBytes, Depth: wire.DefaultLimits().Depth})
	if fault != nil || m.Kind != wire.Request {
		return nil
	}
	return m.ID
}

// refuseLoop answers a request that was here before, with its id: the answer goes back all the way to a client.
func (x *exchange) refuseLoop() {
	if x.r.ContentLength != 0 && !x.read() {
		return
	}
	x.refuse(&wire.Fault{Code: wire.CodeInternal, Status: http.StatusLoopDetected, Reason: "loop", ID: x.id(),
		Message: "this request has been here before: --upstream leads back to this program; set it to your MCP server or gateway"})
}

// upstreamFault says what happened, without the error's text: it may hold bytes of the upstream's.
func upstreamFault(err error) *wire.Fault {
	var gateway *gatewayError
	var network net.Error
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &gateway):
		return &wire.Fault{Code: wire.CodeInternal, Status: gateway.status, Reason: "upstream_failed",
			Message: fmt.Sprintf("the upstream answered HTTP %d, which is no MCP: try again in a moment; if it stays, look at the gateway or server behind --upstream", gateway.status)}
	case errors.As(err, &network) && network.Timeout():
		return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusGatewayTimeout, Reason: "upstream_timed_out",
			Message: "the upstream did not take the connection in time: try again in a moment; if it stays, check --upstream"}
	case tlsfiles.OursRefused(err):
		return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusBadGateway, Reason: "certificate_refused",
			Message: "the upstream refused our TLS certificate, or wants one, and nothing was run: the operator sets --upstream-cert and --upstream-key to a pair that it trusts"}
	case errors.As(err, &op) && op.Op == "dial", errors.As(err, &certificate):
		return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusBadGateway, Reason: "upstream_unreachable",
			Message: "the upstream can't be reached, and nothing was run: try again in a moment; if it stays, check --upstream and that the server runs"}
	}
	return &wire.Fault{Code: wire.CodeInternal, Status: http.StatusBadGateway, Reason: "upstream_broke_off",
		Message: "the upstream broke off before it answered: what was asked may have been done; look before you try again"}
}

// told logs what a request ran into in the program itself.
func (d *Door) told(r *crash.Report) {
	d.o.Logger.Error("a request made the HTTP door panic; it was cut off", "panic", r.What, "stack", r.Stack)
}
