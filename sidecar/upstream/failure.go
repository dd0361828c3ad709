package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"

	"mcp-toolsearch/sidecar/tlsfiles"
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
		return certificateFailure(certificate)
	case tlsfiles.OursRefused(err):
		return &Error{Kind: Unreachable, Detail: "it refused our TLS certificate, or wants one, and nothing was run",
			advice: "set --upstream-cert and --upstream-key, or tlsCert and tlsKey of a server of --config, to a pair that it trusts"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: TimedOut, Detail: "connecting took too long"}
	case errors.As(err, &op) && op.Op == "dial":
		return &Error{Kind: Unreachable, Detail: "no connection"}
	}
	return &Error{Kind: Unreachable, Detail: "the connection broke before the answer"}
}

// certificateFailure says why a certificate is not trusted, without anything
// that stands in it, and what to do.
func certificateFailure(err error) *Error {
	var invalid x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	e := &Error{Kind: Unreachable, Detail: "its TLS certificate is not trusted", advice: "check its certificate with openssl s_client"}
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		e.Detail, e.advice = "its TLS certificate has expired, or is not valid yet", "renew it, and check the clock of this machine"
	case errors.As(err, &authority):
		e.Detail = "its TLS certificate is of an authority that is not known here"
		e.advice = "give the authority's certificate with --upstream-ca, or tlsCA of a server of --config, or have the server send its whole chain"
	case errors.As(err, &name):
		e.Detail = "its TLS certificate is for another name than the address has"
		e.advice = "use a name in the address that the certificate has, or give it a certificate for this one"
	}
	return e
}

// Advice is what to do next where the failure itself knows better than its
// kind; "" otherwise.
func (e *Error) Advice() string { return e.advice }

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
