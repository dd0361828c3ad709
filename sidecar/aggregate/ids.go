package aggregate

import (
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// Servers number their own requests to a client, each from 1. So that the
// client's response finds its way, an id becomes the text "server:raw id". The
// same is done to the tokens under which a server wants progress, and to the
// ids of events.

// outward is the id token under which a client sees a server's request.
func outward(server string, id []byte) []byte {
	return wire.Quote(server + ":" + string(id))
}

// inward takes an id token apart that outward made; false for any other.
func inward(token []byte) (server string, id []byte, ok bool) {
	text, ok := wire.Text(token)
	if !ok {
		return "", nil, false
	}
	server, raw, ok := strings.Cut(text, ":")
	if !ok || server == "" || !isToken(raw) {
		return "", nil, false
	}
	return server, []byte(raw), true
}

// isToken says that raw can stand where a JSON string or number stands: it was
// read from a server's message, but comes back from a client.
func isToken(raw string) bool {
	if raw == "" || raw != strings.TrimSpace(raw) {
		return false
	}
	if raw[0] == '"' {
		_, ok := wire.String([]byte(raw))
		return ok
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return false
	}
	elements, err := wire.Elements([]byte("[" + raw + "]"))
	return err == nil && len(elements) == 1
}

// outwardRequest rewrites a server's request to the client: its id, and the
// token under which it wants progress. Anything else comes back as it is.
func outwardRequest(server string, message []byte) []byte {
	a, err := wire.ScanAnswer(message)
	if err != nil || a.Method == "" || a.ID == nil || wire.IsNull(a.ID) {
		return message
	}
	out, err := wire.SetField(message, "id", outward(server, a.ID))
	if err != nil { // it has a name twice: no client would answer it either
		return message
	}
	return withToken(out, func(token []byte) []byte { return outward(server, token) })
}

// withToken changes params._meta.progressToken, where there is one.
func withToken(message []byte, change func([]byte) []byte) []byte {
	params := field(message, "params")
	meta := field(params, "_meta")
	token := field(meta, "progressToken")
	if token == nil || wire.IsNull(token) {
		return message
	}
	meta, err := wire.SetField(meta, "progressToken", change(token))
	if err == nil {
		params, err = wire.SetField(params, "_meta", meta)
	}
	if err != nil {
		return message
	}
	if out, err := wire.SetField(message, "params", params); err == nil {
		return out
	}
	return message
}

// inwardResponse is a client's response as the server that asked wants it.
func inwardResponse(m *wire.Message) (server string, body []byte, ok bool) {
	server, id, ok := inward(m.ID)
	if !ok {
		return "", nil, false
	}
	body, err := wire.SetField(m.Body, "id", id)
	return server, body, err == nil
}

// inwardProgress is a client's notifications/progress about a server's request.
func inwardProgress(m *wire.Message) (server string, body []byte, ok bool) {
	params := m.Params.In(m.Body)
	server, token, ok := inward(field(params, "progressToken"))
	if !ok {
		return "", nil, false
	}
	params, err := wire.SetField(params, "progressToken", token)
	if err != nil {
		return "", nil, false
	}
	body, err = wire.SetField(m.Body, "params", params)
	return server, body, err == nil
}

// outwardEventID is the id of an event as the client sees it.
func outwardEventID(server, id string) string { return server + ":" + id }

// inwardEventID takes a Last-Event-ID apart.
func inwardEventID(id string) (server, own string, ok bool) {
	server, own, ok = strings.Cut(id, ":")
	return server, own, ok && server != ""
}
