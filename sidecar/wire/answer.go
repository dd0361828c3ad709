package wire

import "strconv"

// Answer is a JSON-RPC message of an upstream. Its slices alias Body.
type Answer struct {
	Body         []byte
	ID           []byte // raw token, whatever its type; nil when absent
	Method       string // of a request or notification of the upstream, else ""
	Result       Span   // raw result, any JSON value
	Error        Span   // the error object, or whatever stands in its place
	ErrorCode    int    // 0 when absent or not an integer
	ErrorMessage string
}

// ScanAnswer reads one message of an upstream leniently: any valid JSON object
// goes; of repeated members the last counts, as it does for both SDKs; unknown
// members and ill-formed text are accepted. Errors hold nothing of the body.
func ScanAnswer(body []byte) (*Answer, error) {
	a := &Answer{Body: body}
	err := eachMember(body, func(key string, raw []byte, at Span) {
		switch key {
		case "id":
			a.ID = raw
		case "method":
			a.Method, _ = String(raw)
		case "result":
			a.Result = at
		case "error":
			a.Error = at
		}
	})
	if err != nil {
		return nil, err
	}
	if IsNull(a.Error.In(body)) && !a.Result.Absent() {
		a.Error = Span{}
	}
	if !a.Error.Absent() {
		a.readError()
	}
	return a, nil
}

func (a *Answer) readError() {
	// A value that isn't an object leaves code and message empty.
	_ = eachMember(a.Error.In(a.Body), func(key string, raw []byte, _ Span) {
		switch key {
		case "code":
			a.ErrorCode, _ = strconv.Atoi(string(raw))
		case "message":
			a.ErrorMessage, _ = String(raw)
		}
	})
}
