package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
)

// TransportFailure turns an error of net/http into one of ours. The original
// is dropped: it may quote URLs and headers.
func TransportFailure(ctx context.Context, err error) error {
	if ended := contextFailure(ctx); ended != nil {
		return ended
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return &Error{Kind: Unreachable, Detail: "the host name doesn't resolve"}
	case errors.As(err, &certificate):
		return &Error{Kind: Unreachable, Detail: "its TLS certificate is not trusted"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: TimedOut, Detail: "connecting took too long"}
	case errors.As(err, &op) && op.Op == "dial":
		return &Error{Kind: Unreachable, Detail: "no connection"}
	}
	return &Error{Kind: Unreachable, Detail: "the connection broke before the answer"}
}

// contextFailure is nil while ctx lives. Being cancelled is not the upstream's
// failure, so it stays context.Canceled.
func contextFailure(ctx context.Context) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: TimedOut, Detail: "no complete answer in time"}
	}
	return ctx.Err()
}

// StatusFailure judges a status before the body is read. 2xx and 4xx give nil:
// a 4xx may carry a JSON-RPC error, and says something about the era.
func StatusFailure(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &AuthError{Status: status, Challenge: resp.Header.Values("WWW-Authenticate")}
	case status >= 200 && status < 300, status >= 400 && status < 500:
		return nil
	case status == http.StatusNotModified:
		return &Error{Kind: BadStatus, Status: status, Detail: "not modified, which no request of ours asked about; a cache on the way may be at fault"}
	case status >= 300 && status < 400:
		return &Error{Kind: BadStatus, Status: status, Detail: "a redirect, which is not followed because it would carry the caller's credentials"}
	default:
		return &Error{Kind: BadStatus, Status: status, Detail: "the server or the gateway failed"}
	}
}

// isContext says that err is the caller's own cancellation.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
