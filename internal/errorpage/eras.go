package errorpage

import "mcp-toolsearch/sidecar/wire"

// Eras are the errors of translating between the eras, which a client gets
// whose own era its server doesn't speak.
func Eras() []Row {
	const request, internal = wire.CodeInvalidRequest, wire.CodeInternal
	return []Row{
		{"not_a_request", "a response or an array of a modern client", request, 400, 0, "this protocol version has requests and notifications only: send one of those", "send one of those"},
		{"too_many_subscriptions", "a legacy client subscribes to a 1,001st resource, or to one whose URI is longer than 8 KiB", request, 0, 400, "one resource more can't be watched: unsubscribe from others first", "unsubscribe from others"},
		{"request_state", "the answer to a question whose call is over, or waits at another replica", wire.CodeInvalidParams, 400, 0, "the call that asked for this no longer waits here: call again without requestState", "call again"},
		{"call_cancelled", "notifications/cancelled of a legacy client", internal, 0, 200, "the call was cancelled", "none"},
		{"question_refused", "a legacy client answers a modern server's question with an error", internal, 0, 200, "the client refused what the server asked for during the call", "answer, or call another tool"},
		{"question_timeout", "a legacy client doesn't answer within 10 minutes", internal, 0, 200, "the client did not answer in time what the server asked for during the call: call again", "call again"},
		{"question_unreadable", "a modern server's question repeats a name", internal, 0, 200, "what the server asked for during the call is not readable: report it to the server's maintainers", "report it"},
		{"questions_endless", "a modern server asks more than 50 times in a call", internal, 0, 200, "the server asked for more without end during the call: report it to the server's maintainers", "report it"},
	}
}
