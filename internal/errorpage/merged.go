package errorpage

import "mcp-toolsearch/sidecar/wire"

// Merged are the errors of several servers merged here. Those of the envelope
// are in Faults.
func Merged() []Row {
	const request, internal = wire.CodeInvalidRequest, wire.CodeInternal
	return []Row{
		{"session_unknown", "a session id that was not sealed with this key, was changed, or was ended here", request, 0, 404, "this session is not known here, or has ended: initialize again", "initialize again; in a fleet the operator gives all replicas one --session-key-file"},
		{"session_missing", "DELETE without a session id", request, 0, 400, "there is no session to end: send its Mcp-Session-Id", "send the id"},
		{"http_method", "another method than POST; GET without a session, or where no server has a stream", request, 405, 405, "this HTTP method is not served here: send messages with POST", "use POST"},
		{"merge_loop", "the request has been at this merge before, or has passed more than six doors of this kind", internal, 508, 508, "this request has been here before: one of the configured servers leads back to this program; take it out, or give the address of the MCP server itself", "the operator corrects the list of servers"},
		{"unknown_method", "a method that is none of the protocol's in this version", wire.CodeMethodNotFound, 404, 200, "this method is not known here: use one of the protocol's in this version", "use another"},
		invalid("merged_cursor", "a listing with a cursor", "there is only one page: ask without a cursor", "ask without one"),
		invalid("name_missing", "tools/call or prompts/get without params.name", "params.name is missing: … needs a name as a string", "send it"),
		invalid("unknown_name", "a tool or prompt that no server lists, also after listing again (at most once in 10 s)", "no server has this name: use one that … lists, exactly as it stands there", "list, and use an exact name"),
		invalid("missing_uri", "a request about a resource without params.uri", "params.uri is missing: … needs the address of a resource as a string", "send it"),
		invalid("unknown_address", "a resource that no server lists, that fits no template and has no kin in a list", "no server has this resource: use an address that resources/list gives, or one that fits a template of resources/templates/list", "list, and use one of these"),
		invalid("missing_ref", "completion/complete of neither a prompt nor a resource", "params.ref names neither a prompt nor a resource: send one of them", "send one"),
		invalid("unknown_task", "a task that no server knows", "no server knows this task: it may have ended long ago; call the tool again", "call the tool again"),
		{"unknown_response", "a response to no request of a server's", request, 400, 400, "no request of this id was sent to this client, or its server is gone: nothing waits for the response", "none: the call has ended"},
		{"server_failed", "the server that owns it can't be reached, was silent for too long, or left the configuration; for tools/call it is a result with isError and the same text", internal, 200, 200, "server … …", "try again when it is up; the log says why it isn't"},
		{"servers_down", "a listing while no server could be listed, ever", internal, 503, 200, "none of the configured servers could be listed: try again in a moment; if it stays, the program's log says what is wrong with each", "try again; the operator looks at the log"},
		{"stopping", "the program stops while it answers", internal, 503, 200, "the program is stopping: try again in a moment", "try again"},
	}
}
