package upstream

import "mcp-toolsearch/sidecar/wire"

// legacyVersion is what initialize asks for: the newest version with sessions.
const legacyVersion = "2025-11-25"

func (c *Client) clientInfo() string {
	return `{"name":"mcp-toolsearch","version":` + string(wire.Quote(c.opt.Version)) + `}`
}

// meta is the _meta every modern request carries (spec 2026-07-28 basic/index):
// no capabilities, so that nothing is asked of us.
func (c *Client) meta() []byte {
	return []byte(`{"io.modelcontextprotocol/protocolVersion":"` + wire.ModernVersion +
		`","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":` + c.clientInfo() + `}`)
}

func request(id []byte, method string, params []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"method":"`+method+`","params":`...)
	b = append(b, params...)
	return append(b, '}')
}

func notification(method string, params []byte) []byte {
	b := []byte(`{"jsonrpc":"2.0","method":"` + method + `"`)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// listParams are the params of tools/list; cursor is a raw token, nil at first.
func listParams(meta, cursor []byte) []byte {
	b := []byte{'{'}
	if meta != nil {
		b = append(append(b, `"_meta":`...), meta...)
	}
	if cursor != nil {
		if meta != nil {
			b = append(b, ',')
		}
		b = append(append(b, `"cursor":`...), cursor...)
	}
	return append(b, '}')
}

func callParams(meta []byte, name string, arguments []byte) []byte {
	b := []byte{'{'}
	if meta != nil {
		b = append(append(append(b, `"_meta":`...), meta...), ',')
	}
	b = append(append(b, `"name":`...), wire.Quote(name)...)
	if arguments == nil {
		arguments = []byte("{}")
	}
	return append(append(append(b, `,"arguments":`...), arguments...), '}')
}

func (c *Client) initializeParams() []byte {
	return []byte(`{"protocolVersion":"` + legacyVersion + `","capabilities":{},"clientInfo":` + c.clientInfo() + `}`)
}
