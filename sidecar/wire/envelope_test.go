package wire_test

import (
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	result := func(era wire.Era, r string) string { return string(wire.ResultBody([]byte(`"7"`), era, []byte(r))) }
	tests := []struct{ name, got, want string }{
		{"a legacy result is kept", result(wire.Legacy, `{"a":1}`), `{"jsonrpc":"2.0","id":"7","result":{"a":1}}`},
		{"a modern result gets its type first", result(wire.Modern, ` { "a":1}`), `{"jsonrpc":"2.0","id":"7","result": {"resultType":"complete", "a":1}}`},
		{"an empty modern result gets its type", result(wire.Modern, `{}`), `{"jsonrpc":"2.0","id":"7","result":{"resultType":"complete"}}`},
		{"a type stays", result(wire.Modern, `{"resultType":"task"}`), `{"jsonrpc":"2.0","id":"7","result":{"resultType":"task"}}`},
		{"a type further in is another's", result(wire.Modern, `{"a":{"resultType":"x"}}`), `{"jsonrpc":"2.0","id":"7","result":{"resultType":"complete","a":{"resultType":"x"}}}`},
		{"an error", string(wire.ErrorBody([]byte(`1`), -32602, `no "x"`, []byte(`{"a":1}`))), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no \"x\"","data":{"a":1}}}`},
		{"an error without id and data", string(wire.ErrorBody(nil, 1, "", nil)), `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`},
		{"a text", string(wire.TextResult("a\n<b>", true)), `{"content":[{"type":"text","text":"a\n<b>"}],"isError":true}`},
		{"a fault", string((&wire.Fault{Code: -32020, Message: "m", Data: []byte(`[]`), ID: []byte(`"i"`)}).Body()), `{"jsonrpc":"2.0","id":"i","error":{"code":-32020,"message":"m","data":[]}}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestStatusFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		fault          wire.Fault
		modern, legacy int
	}{
		{"a parse error is of the transport", wire.Fault{Code: wire.CodeParse}, 400, 400},
		{"so is an invalid request", wire.Fault{Code: wire.CodeInvalidRequest}, 400, 400},
		{"a large body keeps 413", wire.Fault{Code: wire.CodeInvalidRequest, Status: 413}, 413, 413},
		{"a header mismatch is 400", wire.Fault{Code: wire.CodeHeaderMismatch}, 400, 400},
		{"an unsupported version is 400", wire.Fault{Code: wire.CodeUnsupportedVersion}, 400, 400},
		{"invalid params are an answer in legacy", wire.Fault{Code: wire.CodeInvalidParams, Status: 400}, 400, 200},
		{"an unknown method is 404 in modern", wire.Fault{Code: wire.CodeMethodNotFound}, 404, 200},
		{"an internal error is an answer", wire.Fault{Code: wire.CodeInternal}, 200, 200},
		{"a missing capability is 400 in modern", wire.Fault{Code: wire.CodeMissingCapability}, 400, 200},
	}
	for _, tt := range tests {
		if m, l := tt.fault.StatusFor(wire.Modern), tt.fault.StatusFor(wire.Legacy); m != tt.modern || l != tt.legacy {
			t.Errorf("%s: got %d and %d, want %d and %d", tt.name, m, l, tt.modern, tt.legacy)
		}
	}
}

func TestScanAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body                        string
		id, method, result, error, errMsg string
		code                              int
	}{
		{"a result", ` {"result" : {"a":1.0} ,"id":7,"jsonrpc":"2.0"}`, "7", "", `{"a":1.0}`, "", "", 0},
		{"an error", `{"id":"x","error":{"code":-32602,"message":"n\u006f","data":{"code":9}}}`, `"x"`, "", "", `{"code":-32602,"message":"n\u006f","data":{"code":9}}`, "no", -32602},
		{"a request of the server", `{"id":1,"method":"ping"}`, "1", "ping", "", "", "", 0},
		{"a null error beside a result is none", `{"id":1,"result":{},"error":null}`, "1", "", "{}", "", "", 0},
		{"an error that is no object", `{"id":null,"error":"bad"}`, "null", "", "", `"bad"`, "", 0},
		{"a code that is no integer", `{"error":{"code":"x","message":5}}`, "", "", "", `{"code":"x","message":5}`, "", 0},
		{"of a member twice the last counts", `{"id":1,"id":2,"result":1,"result":[2]}`, "2", "", "[2]", "", "", 0},
		{"ill-formed text is read", "{\"id\":1,\"result\":{\"t\":\"\\ud800\xff\",\"t\":1}}", "1", "", "{\"t\":\"\\ud800\xff\",\"t\":1}", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := wire.ScanAnswer([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if string(a.ID) != tt.id || a.Method != tt.method || string(a.Result.In(a.Body)) != tt.result {
				t.Errorf("got id %s, method %q, result %s", a.ID, a.Method, a.Result.In(a.Body))
			}
			if string(a.Error.In(a.Body)) != tt.error || a.ErrorCode != tt.code || a.ErrorMessage != tt.errMsg {
				t.Errorf("got error %s, %d %q", a.Error.In(a.Body), a.ErrorCode, a.ErrorMessage)
			}
		})
	}
	for _, body := range []string{"", "null", "[]", `"x"`, `{"a":1`, `{}{}`, "<html>"} {
		if a, err := wire.ScanAnswer([]byte(body)); err == nil {
			t.Errorf("%q gave %+v, want an error", body, a)
		}
	}
}
