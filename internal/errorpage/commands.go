package errorpage

import "mcp-toolsearch/sidecar/wire"

// Commands are the errors of servers that are local commands.
func Commands() []Row {
	const request, internal = wire.CodeInvalidRequest, wire.CodeInternal
	return []Row{
		{"server_not_started", "the command of --config can't be started", internal, 503, 503, "the MCP server … could not be started (…): nothing was run; correct its command, args and cwd, or install it", "the operator corrects --config"},
		{"server_ended", "the command ended on its own before it answered initialize", internal, 503, 503, "the MCP server … ended by itself (…) before it was ready: nothing was run; see its last words in the log with --log-server-stderr, or run its command by hand", "the operator runs the command by hand, or sets --log-server-stderr"},
		{"server_keeps_ending", "it has done so several times: it is started at longer and longer intervals, up to 30 s", internal, 503, 503, "the MCP server … could not be kept running … times in a row (last: …): nothing was run; it is started again in … s at the earliest: run its command by hand to see what it lacks", "the same; Retry-After says when it is started again"},
		{"server_busy", "16 processes of the command run, and each has a call", internal, 429, 429, "all … processes of the MCP server … are working: nothing was run; try again in a moment", "try again"},
		{"server_broke_off", "the command ended in mid-call", internal, 200, 200, "the MCP server … before it answered: what was asked may have been done; look before you try again", "look, then try again"},
		{"server_not_asked", "the command ended before it had read the request", internal, 200, 200, "the MCP server … before it got the request: nothing was run; try again", "try again"},
		{"answer_too_large", "a line of the command's over 16 MiB", internal, 200, 200, "the answer of the MCP server … is larger than this program takes: it was run, and its answer dropped; ask for less", "ask for less"},
		{"cancel_unanswered", "notifications/cancelled for a call that gets no answer within 2 s after it", internal, 0, 200, "the client has cancelled this request, and the server gave no answer to it", "none"},
		{"session_ended", "the session's process has ended: idle for 30 minutes, to make room, or by itself", request, 0, 404, "this session is not there, or has ended: send initialize again without a session id", "clients send initialize again by themselves"},
		{"no_session", "a request without a session id that isn't initialize", request, 0, 400, "there is no session: send initialize first, and its Mcp-Session-Id with everything after", "send initialize first"},
		{"id_in_use", "two requests of one session with the same id at the same time", request, 0, 400, "a request with this id is still running in this session: use another id", "use another id"},
		{"command_batch", "a JSON-RPC batch", request, 400, 400, "a local server takes no batches: send one message a request", "send one message a request"},
		{"command_method", "another HTTP method than POST, or in the legacy eras GET and DELETE", request, 405, 405, "this method means nothing here: send JSON-RPC messages by POST", "use POST"},
	}
}
