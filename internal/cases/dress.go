package cases

import (
	"encoding/json"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// LegacyVersion is the protocol version that legacy requests are dressed in.
const LegacyVersion = "2025-11-25"

// Dress gives a request without an era what a client of that era adds: headers, and in the modern era _meta (spec
// 2026-07-28 basic/index, basic/transports/streamable-http). session is for the legacy era; "" leaves it out.
func Dress(request []byte, era wire.Era, session string) (body []byte, h http.Header, err error) {
	h = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if era == wire.Legacy {
		h.Set("Mcp-Protocol-Version", LegacyVersion)
		if session != "" {
			h.Set("Mcp-Session-Id", session)
		}
		return request, h, nil
	}
	var m struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(request, &m); err != nil {
		return nil, nil, err
	}
	if m.Params == nil {
		m.Params = json.RawMessage("{}")
	}
	params, err := wire.SetField(m.Params, "_meta", []byte(`{"io.modelcontextprotocol/protocolVersion":"`+wire.ModernVersion+`","io.modelcontextprotocol/clientCapabilities":{}}`))
	if err != nil {
		return nil, nil, err
	}
	h.Set("Mcp-Protocol-Version", wire.ModernVersion)
	h.Set("Mcp-Method", m.Method)
	var named struct{ Name, URI string }
	if json.Unmarshal(params, &named) == nil && named.Name+named.URI != "" {
		h.Set("Mcp-Name", wire.EncodeValue(named.Name+named.URI)) // a message has one of them
	}
	body, err = wire.SetField(request, "params", params)
	return body, h, err
}
