package wire

import "strconv"

// ResultBody is a JSON-RPC response with a result, which must be one raw JSON
// object. In the modern era a result without resultType gets
// "resultType":"complete" as its first member (spec 2026-07-28, basic/index).
func ResultBody(id []byte, era Era, result []byte) []byte {
	if era == Modern {
		result = withResultType(result)
	}
	out := append(open(id), `,"result":`...)
	out = append(out, result...)
	return append(out, '}')
}

// ErrorBody is a JSON-RPC response with an error; data is raw JSON or nil.
func ErrorBody(id []byte, code int, message string, data []byte) []byte {
	out := append(open(id), `,"error":{"code":`...)
	out = strconv.AppendInt(out, int64(code), 10)
	out = append(out, `,"message":`...)
	out = append(out, Quote(message)...)
	if len(data) > 0 {
		out = append(out, `,"data":`...)
		out = append(out, data...)
	}
	return append(out, "}}"...)
}

// TextResult is a tools/call result of one text block.
func TextResult(text string, isError bool) []byte {
	out := append([]byte(`{"content":[{"type":"text","text":`), Quote(text)...)
	out = append(out, `}],"isError":`...)
	out = strconv.AppendBool(out, isError)
	return append(out, '}')
}

func open(id []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	return append([]byte(`{"jsonrpc":"2.0","id":`), id...)
}

func withResultType(result []byte) []byte {
	has, members := false, 0
	err := eachMember(result, func(key string, _ []byte, _ Span) {
		members++
		has = has || key == "resultType"
	})
	if err != nil || has {
		return result
	}
	member := []byte(`"resultType":"complete"`)
	if members > 0 {
		member = append(member, ',')
	}
	brace := 0
	for result[brace] != '{' {
		brace++
	}
	return splice(result, Span{brace + 1, brace + 1}, member)
}
