package upstreamtest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
)

// fail breaks the exchange; false means the fault doesn't apply to it.
func (x *exchange) fail(f Fault) bool {
	switch f.Kind {
	case Hang:
		wait[struct{}](x, nil)
	case Garbage:
		x.body(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":`)
	case HTML:
		x.body(http.StatusOK, "text/html; charset=utf-8", "<!doctype html><title>Sign in</title>")
	case Status:
		x.status(f)
	case EndlessPages:
		x.s.mu.Lock()
		x.s.made++
		next := fmt.Sprintf("more-%d", x.s.made)
		x.s.mu.Unlock()
		x.morePages(next)
	case LoopedCursor:
		x.morePages("again")
	case CloseMidAnswer:
		x.w.Header().Set("Content-Type", "application/json")
		x.w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(x.w, `{"jsonrpc":"2.0",`)
		x.flush()
		panic(http.ErrAbortHandler)
	case CloseAtOnce:
		panic(http.ErrAbortHandler)
	case InvalidParams:
		x.error(x.badParams(), -32602, "invalid params", "")
	case ForgetSession:
		return x.forget()
	case WrongID:
		x.r.ID = []byte(`"nobody-sent-this"`)
		x.result(`{"tools":[]}`)
	case Trickle:
		x.startStream()
		_, _ = io.WriteString(x.w, ": still here\n\n")
		x.flush()
		wait[struct{}](x, nil)
	case Result:
		x.result(f.Body)
	default:
		return false
	}
	return true
}

func (x *exchange) status(f Fault) {
	maps.Copy(x.w.Header(), f.Header)
	if f.Body != "" && x.w.Header().Get("Content-Type") == "" {
		x.w.Header().Set("Content-Type", "application/json")
	}
	x.w.WriteHeader(f.Status)
	_, _ = io.WriteString(x.w, f.Body)
}

func (x *exchange) morePages(next string) {
	x.s.mu.Lock()
	tools := x.s.tools
	x.s.mu.Unlock()
	x.page(tools, next)
}

// forget loses the request's session and lets the usual check refuse it.
func (x *exchange) forget() bool {
	x.s.mu.Lock()
	delete(x.s.sessions, x.r.Header.Get("Mcp-Session-Id"))
	x.s.mu.Unlock()
	return false
}
