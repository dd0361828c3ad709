package inverseshim

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// door is the meta-tool that direct calls are turned into.
const door = "call_write_tool"

// New makes the proxy: calls and everything else go to search, tools/list goes to list.
func New(search, list *url.URL) http.Handler {
	toSearch, toList := proxy(search), proxy(list)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			toSearch.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		method, name := methodAndName(body)
		next := toSearch
		switch method {
		case "tools/list":
			next = toList
		case "tools/call":
			if changed, ok := Rewrite(body); ok {
				body = changed
				exchangeName(r.Header, name)
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		next.ServeHTTP(w, r)
	})
}

// proxy relays to exactly the target URL, events at once, with the client's own Host.
func proxy(target *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.URL.Scheme, p.Out.URL.Host, p.Out.URL.Path = target.Scheme, target.Host, target.Path
		p.Out.Host = p.In.Host
	}}
}

// exchangeName sets Mcp-Name to the door when it named the tool that was called.
func exchangeName(h http.Header, tool string) {
	if values := h.Values("Mcp-Name"); len(values) == 1 && strings.Trim(values[0], " \t") == tool {
		h.Set("Mcp-Name", door)
	}
}

func methodAndName(body []byte) (method, name string) {
	top, err := members(body, 0)
	if err != nil {
		return "", ""
	}
	method = text(top["method"].in(body))
	if params, ok := top["params"]; ok {
		if inner, err := members(params.in(body), params.start); err == nil {
			name = text(inner["name"].in(body))
		}
	}
	return method, name
}

// Rewrite turns a tools/call into one of call_write_tool; false when the body isn't a tools/call with a name.
func Rewrite(body []byte) ([]byte, bool) {
	top, err := members(body, 0)
	if err != nil || text(top["method"].in(body)) != "tools/call" {
		return nil, false
	}
	params, ok := top["params"]
	if !ok {
		return nil, false
	}
	inner, err := members(params.in(body), params.start)
	name, named := inner["name"]
	if err != nil || !named {
		return nil, false
	}
	nested := `{"name":` + string(name.in(body))
	arguments, given := inner["arguments"]
	if given {
		nested += `,"arguments":` + string(arguments.in(body))
	}
	nested += "}"
	if !given {
		return splice(body, edit{name, `"` + door + `","arguments":` + nested}), true
	}
	edits := []edit{{name, `"` + door + `"`}, {arguments, nested}}
	if arguments.start < name.start {
		edits[0], edits[1] = edits[1], edits[0]
	}
	return splice(body, edits...), true
}

// span is where a value stands in a body.
type span struct{ start, end int }

func (s span) in(body []byte) []byte { return body[s.start:s.end] }

type edit struct {
	at   span
	with string
}

// splice replaces parts of a body; edits are in order.
func splice(body []byte, edits ...edit) []byte {
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(out, body[from:e.at.start]...)
		out = append(out, e.with...)
		from = e.at.end
	}
	return append(out, body[from:]...)
}

// members finds the values of a JSON object's members; offset is where the object starts in the whole body.
func members(object []byte, offset int) (map[string]span, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	open, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if open.Kind() != '{' {
		return nil, fmt.Errorf("no object but %v", open.Kind())
	}
	found := map[string]span{}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := offset + int(dec.InputOffset())
		found[name] = span{end - len(value), end}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	return found, nil
}

// text decodes a JSON string; "" for anything else.
func text(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(out)
}
