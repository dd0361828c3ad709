package wire

import (
	"fmt"
	"net/http"
)

// JSON-RPC 2.0 section 5.1, and MCP 2026-07-28 basic/index "Error Codes".
const (
	CodeParse              = -32700 // not JSON
	CodeInvalidRequest     = -32600 // not a JSON-RPC message we accept
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020 // headers and body disagree
	CodeMissingCapability  = -32021 // the client lacks a capability
	CodeUnsupportedVersion = -32022 // data: supported, requested
)

// Fault is a protocol error: a message that can't be acted on. It is never
// what a model should read; those are results with isError.
type Fault struct {
	Code    int    // JSON-RPC error code
	Status  int    // HTTP status for a modern request; 0 means the code's own
	Reason  string // stable snake_case label for metrics
	Message string // what happened and what to do next; holds nothing of the request's values
	Data    []byte // raw JSON for error.data, or nil
	ID      []byte // raw id token to answer, or nil
}

// Error returns the message with its code; it holds no value of the request.
func (f *Fault) Error() string { return fmt.Sprintf("%s (%s, %d)", f.Message, f.Reason, f.Code) }

// StatusFor is the HTTP status to answer with. Modern: Status, or by the code
// 404 for an unknown method, 200 for an internal error, else 400 (spec
// 2026-07-28 streamable-http, "Sending Messages"). Legacy: an answer to a
// well-formed request is 200, whatever it says; faults of the transport (JSON,
// envelope, headers, size) keep their status.
func (f *Fault) StatusFor(era Era) int {
	if era == Legacy {
		switch f.Code {
		case CodeMethodNotFound, CodeInvalidParams, CodeInternal, CodeMissingCapability:
			return http.StatusOK
		}
	}
	if f.Status != 0 {
		return f.Status
	}
	switch f.Code {
	case CodeMethodNotFound:
		return http.StatusNotFound
	case CodeInternal:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// Body is the JSON-RPC error object; its id is null when ID is nil.
func (f *Fault) Body() []byte { return ErrorBody(f.ID, f.Code, f.Message, f.Data) }

func parseFault(reason, message string) *Fault {
	return &Fault{Code: CodeParse, Status: http.StatusBadRequest, Reason: reason, Message: message}
}

func invalid(reason, message string) *Fault {
	return &Fault{Code: CodeInvalidRequest, Status: http.StatusBadRequest, Reason: reason, Message: message}
}

func mismatch(reason, message string) *Fault {
	return &Fault{Code: CodeHeaderMismatch, Status: http.StatusBadRequest, Reason: reason, Message: message}
}
