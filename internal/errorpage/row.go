package errorpage

import "mcp-toolsearch/sidecar/wire"

// Row is one refusal or fault.
type Row struct {
	Reason string // label in metrics and logs
	Cause  string
	Code   int    // JSON-RPC code; 0 for a result with isError and for answers that are no JSON-RPC
	Modern int    // HTTP status in the modern era
	Legacy int    // HTTP status in the legacy eras
	Text   string // "…" stands for what varies
	Next   string // what whoever reads it does next
}

// refused is a result with isError: HTTP 200 in both eras.
func refused(reason, cause, text, next string) Row {
	return Row{Reason: reason, Cause: cause, Modern: 200, Legacy: 200, Text: text, Next: next}
}

// malformed is a fault of the envelope or of the transport: HTTP 400 in both eras.
func malformed(reason, cause string, code int, text, next string) Row {
	return Row{Reason: reason, Cause: cause, Code: code, Modern: 400, Legacy: 400, Text: text, Next: next}
}

// invalid is a well-formed request that asks for what there isn't: HTTP 400 in the modern era, 200 in the others.
func invalid(reason, cause, text, next string) Row {
	return Row{Reason: reason, Cause: cause, Code: wire.CodeInvalidParams, Modern: 400, Legacy: 200, Text: text, Next: next}
}

// Refusals are the results with isError, which clients show to the model.
func Refusals() []Row {
	return []Row{
		refused("wrong_door", "a tool that may write was called through call_read_tool or call_read_tools", "… may change something: run it with call_write_tool.", "call it with call_write_tool, or have the operator list it in --read-tools when its server says nothing about it"),
		refused("unknown_tool", "no tool of this name in the caller's catalog, also after listing again (at most once in 30 s)", "There is no tool …. …Find tools with search_tools.…", "search"),
		refused("near_name", "the name is clearly a typo of one tool", "There is no tool …. Did you mean …? Nothing was run: call again with the exact name.…", "call again with the exact name"),
		refused("missing_name", "a call tool got no inner name, or got it in another place", "…name…", "send {\"name\":…,\"arguments\":{…}}"),
		refused("bad_call", "the arguments of one of the five don't fit: no query, no names, too many calls, arguments under another key, or beside the name where they would be lost (without any in their place, or when the tool takes them; what clients add, like toolCallId and keys that start with _, is ignored), an arguments_json that is no object", "…", "correct what the text names"),
		refused("bad_arguments", "the inner arguments don't fit the tool's input schema", "… was not run: its arguments don't fit.\n…", "correct every line; the schema is attached up to 24,000 bytes"),
		refused("self_call", "one of the five was called through a call tool", "… can't be run through another call tool: call it directly, and give a tool found with search_tools as the name here.", "call it directly"),
		refused("direct_call", "a tool of the catalog was called by its own name (with direct-calls=refuse)", "… is run through …: {\"name\":…,\"arguments\":{...}}. Nothing was run.", "use the call tool that it names"),
		refused("header_unsafe", "arguments that travel as Mcp-Param-* headers are too long together with the name", "… was not run: what is sent as headers (its name…) must be at most 6000 bytes together. Send shorter values.", "send shorter values"),
		refused("catalog_unavailable", "the tools could not be listed: the upstream is down, slow, refuses, or is no MCP server", "The tools could not be listed: …. Nothing was run; try again in a moment.", "try again; the operator finds the kind in mcp_toolsearch_catalog_listings_total"),
	}
}

// Faults are the JSON-RPC errors, in the order in which a request meets them.
func Faults() []Row {
	return append(append(transportFaults(), envelopeFaults()...), callFaults()...)
}

func transportFaults() []Row {
	return []Row{
		{"no_route", "the path is not a search path of --routes", wire.CodeInvalidRequest, 404, 404, "this path is not a search route: use one of --routes, or add this one there", "the operator corrects --routes or the gateway"},
		malformed("empty_body", "a POST without a body", wire.CodeParse, "the request has no body: send one JSON-RPC message", "send a message"),
		{"body_without_post", "a request with a body that is not a POST", wire.CodeInvalidRequest, 405, 405, "the request has a body but is not a POST: send JSON-RPC messages by POST", "use POST"},
		{"content_encoding", "a compressed body", wire.CodeInvalidRequest, 415, 415, "the body has a Content-Encoding: send it uncompressed", "send it plain"},
		{"charset", "a body in another charset", wire.CodeInvalidRequest, 415, 415, "the body's charset is not UTF-8: send UTF-8 JSON", "send UTF-8"},
		{"body_too_large", "a body over --max-body", wire.CodeInvalidRequest, 413, 413, "the request body is larger than … bytes: send a smaller one", "send less, or raise --max-body and the gateway's buffer"},
		malformed("header_repeated", "Mcp-Method, Mcp-Name or MCP-Protocol-Version appears twice", wire.CodeHeaderMismatch, "… appears more than once: send it once", "send it once"),
		malformed("header_spelling", "one of these headers is spelled with underscores", wire.CodeHeaderMismatch, "… is spelled with underscores: send it with hyphens", "use hyphens"),
		{"header_missing", "a modern request lacks one of these headers", wire.CodeHeaderMismatch, 400, 0, "… is missing: send it with every request of this protocol version", "send it"},
		{"header_mismatch", "one of these headers differs from the body", wire.CodeHeaderMismatch, 400, 0, "… does not match the body's …: make them equal", "make them equal"},
		{"header_malformed", "Mcp-Name is broken Base64", wire.CodeHeaderMismatch, 400, 0, "Mcp-Name is malformed Base64: encode the name's UTF-8 as =?base64?...?=", "encode it anew"},
		malformed("unsupported_version", "MCP-Protocol-Version names a version that is not known", wire.CodeUnsupportedVersion, "this protocol version is not supported: use one of data.supported", "use one of data.supported"),
	}
}

func envelopeFaults() []Row {
	const parse, request = wire.CodeParse, wire.CodeInvalidRequest
	return []Row{
		malformed("invalid_json", "the body is not valid UTF-8 JSON", parse, "the body is not valid UTF-8 JSON near byte …: correct it", "correct it"),
		malformed("truncated", "the body ends inside the JSON", parse, "the body ends inside the JSON: send the whole message", "send the whole message"),
		malformed("trailing_data", "something stands after the message", parse, "there is data after the JSON-RPC message: send one message a request", "send one message"),
		malformed("byte_order_mark", "the body starts with a byte order mark", parse, "the body starts with a byte order mark: send plain UTF-8 JSON", "leave it out"),
		malformed("duplicate_name", "an object has two members of one name, at any depth", request, "an object in the body has two members of the same name: send each name once", "send each name once"),
		malformed("look_alike_key", "a key that some readers would take for one of the protocol's", request, "a key looks like … but is spelled otherwise: use the exact key", "use the exact key"),
		malformed("prototype_key", "a key that readers in JavaScript take for an object's prototype", request, "a key is __proto__, which readers in JavaScript don't take for a key: use another one", "use another key"),
		malformed("too_deep", "nested deeper than 200 levels", request, "the body nests deeper than … levels: flatten it", "flatten it"),
		malformed("not_an_object", "the body is a number, a text, …", request, "the body is not a JSON-RPC message: send one JSON object", "send an object"),
		malformed("jsonrpc_version", "jsonrpc is not \"2.0\"", request, "jsonrpc is not \"2.0\": send \"jsonrpc\":\"2.0\"", "send it"),
		malformed("invalid_id", "the id is null, a fraction, an object, …", request, "the id is neither a string nor an integer within ±(2^53-1): send one of those", "send a string or an integer"),
		malformed("invalid_method", "the method is no text or empty", request, "the method is not a non-empty string: send a method name", "send a method"),
		malformed("look_alike_method", "a method that some readers would take for tools/call", request, "the method looks like \"tools/call\" but is spelled otherwise: use the exact name", "use the exact name"),
		malformed("no_method", "neither a method nor a result or error", request, "the message has neither a method nor a result or error: send a method", "send a method"),
		malformed("request_and_response", "a method and a result or error", request, "the message has both a method and a result or error: send one of them", "send one of them"),
		malformed("result_and_error", "a result and an error", request, "the message has both a result and an error: send one of them", "send one of them"),
		malformed("response_without_id", "a response without an id", request, "the response has no id: repeat the request's id", "repeat the id"),
		malformed("invalid_params_type", "params is no object", request, "params is not an object: MCP has named parameters only", "send an object"),
		malformed("call_without_id", "tools/call as a notification", request, "tools/call has no id: send it as a request", "send an id"),
		malformed("empty_batch", "an empty array", request, "the batch is empty: send at least one message", "send a message"),
		malformed("batch_element", "an element of an array that is no object", request, "an element of the batch is not a JSON-RPC message: send objects only", "send objects"),
	}
}

func callFaults() []Row {
	return []Row{
		{"batch", "an array in the modern era", wire.CodeInvalidRequest, 400, 0, "batches ended with protocol version 2025-03-26: send one message a request", "send one message"},
		{"batch_array", "an array after 2025-03-26, or with a message of ours in it", wire.CodeInvalidRequest, 0, 400, "batches are not taken here: send each message as a request of its own (several reads at once: call_read_tools)", "send each by itself"},
		{"missing_meta", "a modern request without a required member of _meta", wire.CodeInvalidParams, 400, 0, "params._meta lacks …: send … in it", "send it"},
		{"param_header_mismatch", "an Mcp-Param-* header of a call differs from the argument that it mirrors", wire.CodeHeaderMismatch, 400, 0, "an Mcp-Param header does not match the call's arguments: send the argument's value once, or leave the header out", "leave it out"},
		invalid("missing_tool_name", "tools/call without params.name", "params.name is missing: tools/call needs the name of a tool as a string", "send it"),
		invalid("unknown_tool", "tools/call of a name that is neither one of the five nor in the caller's catalog", "unknown tool: this server lists search_tools, describe_tools, call_read_tool, call_read_tools, call_write_tool; find others with search_tools", "search"),
		invalid("unknown_cursor", "tools/list with a cursor", "there is only one page of tools: ask without a cursor", "ask without one"),
		{"overloaded", "a limit on work at a time is reached: requests, bytes of bodies, listings, or memory (see [limits](limits.md)); with Retry-After, and with id null when the request was not read", wire.CodeInternal, 503, 503, "too much is being done here just now, and nothing of this was: try again in a moment", "try again; the operator finds the limit in mcp_toolsearch_limit_reached_total"},
		{"authorization", "the upstream refused the caller: 401 or 403 with its WWW-Authenticate, whose resource_metadata leads to the search route's own document", wire.CodeInvalidRequest, 401, 401, "the upstream …", "log in, or ask for the scope"},
	}
}

// Metadata are the answers on the protected-resource path, which are no JSON-RPC.
func Metadata() []Row {
	return []Row{
		{"no_metadata", "the aggregate route has none, or the path is not a search route's", 0, 404, 404, "…", "none is needed, or the operator sets it up"},
		{"metadata_unavailable", "the upstream is down or answers something else", 0, 503, 503, "the aggregate route's metadata can't be read just now", "try again"},
		{"metadata_method", "not GET, HEAD or OPTIONS", 0, 405, 405, "the metadata is read by GET", "use GET"},
	}
}

// Door are the errors of the HTTP door's own, in the order in which a request meets them.
func Door() []Row {
	const request, internal = wire.CodeInvalidRequest, wire.CodeInternal
	return []Row{
		{"host_refused", "the Host header names none of --allowed-hosts, or no loopback name while the door is bound to loopback", request, 403, 403, "this host name is not served here: connect to one of --allowed-hosts, or on the same machine to localhost", "connect by an allowed name, or the operator adds it"},
		{"origin_refused", "a browser's page from an origin that is neither listed nor this machine's own", request, 403, 403, "this Origin may not connect: add it to --allowed-origins", "the operator adds the origin"},
		{"loop", "the request has passed this door before, or more than four others", internal, 508, 508, "this request has been here before: --upstream leads back to this program; set it to your MCP server or gateway", "the operator corrects --upstream"},
		{"token_missing", "no Authorization header where --token-file asks for a token", request, 401, 401, "this server wants a token: send the one of --token-file as Authorization: Bearer", "configure the client with the token"},
		{"token_refused", "another token than the one of --token-file", request, 401, 401, "this token is not the one of --token-file: send that as Authorization: Bearer", "configure the client with the token"},
		{"path_not_served", "a path that is none of the door's", request, 404, 404, "nothing is served at this path: the five tools are at …, all tools at …", "connect to one of these"},
		{"method_refused", "another method than GET, POST, DELETE, OPTIONS or HEAD", request, 405, 405, "this method is no part of MCP: send JSON-RPC messages by POST", "use POST"},
		{"body_slow", "a body that did not arrive within 60 s", request, 408, 408, "the request's body did not arrive in time: send it at once", "send it at once"},
		{"upstream_unreachable", "nothing takes connections at --upstream, or its certificate is not trusted", internal, 502, 502, "the upstream can't be reached, and nothing was run: try again in a moment; if it stays, check --upstream and that the server runs", "try again; the operator checks --upstream"},
		{"certificate_refused", "the upstream ended the TLS handshake because of our certificate, or because there is none", internal, 502, 502, "the upstream refused our TLS certificate, or wants one, and nothing was run: the operator sets --upstream-cert and --upstream-key to a pair that it trusts", "the operator sets a pair that the upstream trusts"},
		{"upstream_timed_out", "a connection to --upstream did not come about within 5 s", internal, 504, 504, "the upstream did not take the connection in time: try again in a moment; if it stays, check --upstream", "try again; the operator checks --upstream"},
		{"upstream_broke_off", "the connection ended before the answer's headers, or inside an answer held for an edit", internal, 502, 502, "the upstream broke off before it answered: what was asked may have been done; look before you try again", "look, then try again"},
		{"upstream_failed", "502, 503 or 504 of something in front of the upstream, with a body that is no JSON", internal, 502, 502, "the upstream answered HTTP …, which is no MCP: try again in a moment; if it stays, look at the gateway or server behind --upstream", "try again; the status is the upstream's"},
	}
}
