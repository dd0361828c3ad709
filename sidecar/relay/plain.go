package relay

import (
	"bytes"
	"net"
	"net/http"
	"strconv"

	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/wire"
)

// net/http answers what it can't read by itself, as plain text and before any handler sees it. jsonListener's connections
// give these answers the form that MCP clients can read. Behind TLS they stay as they are: there the bytes are sealed
// when they come by here, but for the answer to a client that speaks no TLS.
type jsonListener struct {
	*net.TCPListener
	tls  bool
	gate *bounds.Gate
}

// Accept implements [net.Listener].
func (l jsonListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return nil, err
		}
		if l.gate.Enter() {
			return &jsonConn{TCPConn: conn, placed: placed{gate: l.gate}}, nil
		}
		refuseConnection(conn, l.tls)
	}
}

// jsonConn is a connection on which net/http's own plain-text errors become JSON-RPC errors.
type jsonConn struct {
	*net.TCPConn
	placed
}

// Close implements [net.Conn].
func (c *jsonConn) Close() error {
	c.leave()
	return c.TCPConn.Close()
}

// plainEnd is the end of the head of all those answers; no handler's answer has just these headers.
const plainEnd = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// plainToTLS is all of net/http's answer to plain HTTP where TLS is spoken.
const plainToTLS = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"

// Write implements [net.Conn].
func (c *jsonConn) Write(p []byte) (int, error) {
	answer := jsonAnswer(p)
	if answer == nil {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(answer); err != nil {
		return 0, err
	}
	return len(p), nil
}

// jsonAnswer is the JSON-RPC form of a plain-text error of net/http; nil for all else.
func jsonAnswer(p []byte) []byte {
	if string(p) == plainToTLS {
		return faultAnswer(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest,
			Message: "this address speaks TLS, and the request came without: connect by https://"})
	}
	const statusAt, statusEnd = len("HTTP/1.1 "), len("HTTP/1.1 400")
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 ")) || len(p) < statusEnd {
		return nil
	}
	head, _, found := bytes.Cut(p, []byte(plainEnd))
	status, err := strconv.Atoi(string(p[statusAt:statusEnd]))
	if !found || err != nil || bytes.IndexByte(head, '\n') >= 0 || status < http.StatusBadRequest {
		return nil
	}
	return faultAnswer(plainFault(status))
}

// faultAnswer is a whole HTTP answer, after which the connection ends.
func faultAnswer(f *wire.Fault) []byte {
	body, again := f.Body(), ""
	if f.Status == http.StatusServiceUnavailable {
		again = "\r\nRetry-After: " + bounds.RetryAfter
	}
	return append([]byte("HTTP/1.1 "+strconv.Itoa(f.Status)+" "+http.StatusText(f.Status)+again+"\r\nContent-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\nConnection: close\r\n\r\n"), body...)
}

// plainFault says what net/http refused, as far as its status tells.
func plainFault(status int) *wire.Fault {
	f := &wire.Fault{Code: wire.CodeInvalidRequest, Status: status, Message: "this is no HTTP request that can be read: correct its first line and headers"}
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		f.Message = "the request's headers are larger than 64 KiB together: send less in them"
	case http.StatusNotImplemented:
		f.Message = "the request's Transfer-Encoding is not known: send the body as it is, or chunked"
	case http.StatusHTTPVersionNotSupported:
		f.Message = "this version of HTTP is not spoken here: use HTTP/1.1 or HTTP/2"
	}
	return f
}
