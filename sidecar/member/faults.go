package member

import (
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// The faults of translating between the eras.

func batchArray() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "batch_array",
		Message: "batches are not taken here: send each message as a request of its own"}
}

func notARequest() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "not_a_request",
		Message: "this protocol version has requests and notifications only: send one of those"}
}

func unknownMethod(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeMethodNotFound, Reason: "unknown_method", ID: id,
		Message: "this method is not known here: use one of the protocol's in this version"}
}

// unreadableParams can't be after a strict scan.
func unreadableParams(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "invalid_params_type", ID: id,
		Message: "params is not an object: MCP has named parameters only"}
}

func stateUnknown(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidParams, Reason: "request_state", ID: id,
		Message: "the call that asked for this no longer waits here: call again without requestState"}
}

func callCancelled(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Reason: "call_cancelled", ID: id, Message: "the call was cancelled"}
}

func questionRefused(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Reason: "question_refused", ID: id,
		Message: "the client refused what the server asked for during the call"}
}

func questionTimeout(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Reason: "question_timeout", ID: id,
		Message: "the client did not answer in time what the server asked for during the call: call again"}
}

func questionUnreadable(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Reason: "question_unreadable", ID: id,
		Message: "what the server asked for during the call is not readable: report it to the server's maintainers"}
}

func questionsEndless(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInternal, Reason: "questions_endless", ID: id,
		Message: "the server asked for more without end during the call: report it to the server's maintainers"}
}

func tooManySubscriptions(id []byte) *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "too_many_subscriptions", ID: id,
		Message: "one resource more can't be watched: unsubscribe from others first"}
}
