package upstreamtest

import (
	"encoding/json"
	"net/http"
	"time"
)

// Request is what the server received: HTTP and, when the body was one JSON-RPC
// object, its parts as raw JSON.
type Request struct {
	HTTPMethod, Path, Host string
	Header                 http.Header
	Body                   []byte
	At                     time.Time

	Response  bool            // a JSON-RPC response (to a request of the server's)
	Method    string          // JSON-RPC method; "" for a response, a batch, no body
	ID        json.RawMessage // nil when absent
	Params    json.RawMessage
	Name      string          // params.name
	Arguments json.RawMessage // params.arguments
	Meta      json.RawMessage // params._meta
	Cursor    string          // params.cursor
}

// Modern says whether the request's version header is the modern era's.
func (r Request) Modern() bool { return r.Header.Get("Mcp-Protocol-Version") >= "2026" }

func parse(hr *http.Request, body []byte) Request {
	r := Request{
		HTTPMethod: hr.Method, Path: hr.URL.Path, Host: hr.Host,
		Header: hr.Header.Clone(), Body: body, At: time.Now(),
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &m) != nil {
		return r
	}
	r.ID, r.Method, r.Params = m.ID, m.Method, m.Params
	r.Response = m.Method == "" && (m.Result != nil || m.Error != nil)
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta"`
		Cursor    string          `json:"cursor"`
	}
	if json.Unmarshal(m.Params, &p) == nil {
		r.Name, r.Arguments, r.Meta, r.Cursor = p.Name, p.Arguments, p.Meta, p.Cursor
	}
	return r
}
