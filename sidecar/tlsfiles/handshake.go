package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
)

// Failure says why a handshake failed, without anything that came from the other side.
type Failure struct {
	// Reason is one of [Reasons].
	Reason string
	// Next is what to do about it.
	Next string
}

// failures are all there are.
func failures() map[string]string {
	return map[string]string{
		"no_certificate":  "the client shows no certificate: give it one, signed by an authority that is trusted here",
		"not_trusted":     "the client's certificate is of no authority that is trusted here: check which authority signs it, and what the file of authorities holds",
		"expired":         "the client's certificate has ended, or its time has not come: renew it, and check both clocks",
		"not_admitted":    "the client's certificate has none of the names that are let in: add its name, or refuse it knowingly",
		"ours_expired":    "the client says that our certificate has ended: renew it; the file is read again by itself",
		"ours_not_wanted": "the client doesn't trust our certificate: check that it trusts the authority that signed it, and the name that it expects",
		"version":         "no common version of TLS: let the client speak 1.2 or newer, or lower --tls-min-version",
		"no_tls":          "the client speaks without TLS: switch TLS on there",
		"no_alpn":         "the client doesn't say that it speaks HTTP/2: in Envoy set alpn_protocols: [h2] under common_tls_context",
		"closed":          "the client left during the handshake",
		"other":           "compare what TLS the two sides are set to",
	}
}

// Reasons are all reasons of failures, in no order.
func Reasons() []string {
	var all []string
	for r := range failures() {
		all = append(all, r)
	}
	return all
}

// FailureOf classifies the error of a listener's handshake.
func FailureOf(err error) Failure {
	reason := reasonOf(err)
	return Failure{Reason: reason, Next: failures()[reason]}
}

func reasonOf(err error) string {
	var header tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	var remote *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, ErrNotAdmitted):
		return "not_admitted"
	case errors.As(err, &header):
		return "no_tls"
	case errors.As(err, &verification):
		if ended(err) {
			return "expired"
		}
		return "not_trusted"
	case errors.As(err, &remote) && remote.Op == "remote error":
		return alertReason(remote.Err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &timeout):
		return "closed"
	case strings.Contains(err.Error(), "didn't provide a certificate"): // crypto/tls has no value for it
		return "no_certificate"
	case strings.Contains(err.Error(), "missing selected ALPN"): // of grpc
		return "no_alpn"
	case strings.Contains(err.Error(), "unsupported versions"):
		return "version"
	}
	return "other"
}

// ended says that a certificate was refused for its time alone.
func ended(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

// OursRefused says that a server ended the handshake because of our certificate, or because we showed none. Nothing of a
// request was read then: with TLS 1.3 the request may have been sent, but not behind a handshake that was finished.
func OursRefused(err error) bool {
	var remote *net.OpError
	if !errors.As(err, &remote) || remote.Op != "remote error" {
		return false
	}
	if strings.HasSuffix(remote.Err.Error(), "handshake failure") {
		return true // what servers say with TLS 1.2 where no certificate is shown
	}
	reason := alertReason(remote.Err.Error())
	return reason == "ours_expired" || reason == "ours_not_wanted" || reason == "no_certificate"
}

// alertReason reads an alert of the other side (RFC 8446 §6). crypto/tls gives its text alone.
func alertReason(alert string) string {
	switch strings.TrimPrefix(alert, "tls: ") {
	case "expired certificate":
		return "ours_expired"
	case "bad certificate", "unsupported certificate", "revoked certificate", "unknown certificate", "unknown certificate authority", "access denied":
		return "ours_not_wanted"
	case "protocol version not supported":
		return "version"
	case "certificate required":
		return "no_certificate"
	}
	return "other"
}
