package member

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-toolsearch/sidecar/wire"
)

// FuzzTranslation: whatever a client or a server sends, what is made of it is
// JSON, answers the right id, and no part of a modern request's _meta that
// would tell a legacy server another era is left.
func FuzzTranslation(f *testing.F) {
	f.Add(call(wire.Modern, "1", "find", `{"n":1.0}`), []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"ttlMs":5}}`), "tools/list")
	f.Add(body(wire.Modern, "1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"]}}`), []byte(`{"id":1,"error":{"code":-32002,"message":"m","data":{"a":1,"a":2}}}`), "resources/read")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":null}}`), []byte(`{"method":"notifications/x","params":{"_meta":{}}}`), "x")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`), []byte(`{"id":1,"result":[]}`), "x")
	m := &Member{o: Options{Version: "1"}, ids: "ts-"}
	f.Fuzz(func(t *testing.T, request, answer []byte, method string) {
		id := []byte(`"mine"`)
		if msg, fault := wire.Scan(request, wire.Limits{}); fault == nil && msg.Kind == wire.Request {
			fromModern(t, msg)
			fromLegacy(t, m, msg)
		}
		_, _ = readDiscover(answer)
		_ = readInitialize(answer)
		_ = paramHeaders([][]byte{answer})
		_, _ = retryOf(answer)
		a, err := wire.ScanAnswer(answer)
		if err != nil {
			return
		}
		mustBeJSON(t, answer, tagged(answer, id))
		if a.Method != "" || a.Result.Absent() && a.Error.Absent() {
			return
		}
		_, made := modernResponse(method, id, a)
		mustBeJSON(t, answer, made)
		if got, err := wire.ScanAnswer(made); err != nil || string(got.ID) != string(id) {
			t.Errorf("%s answers %s, %v", made, got.ID, err)
		}
	})
}

func mustBeJSON(t *testing.T, from, made []byte) {
	t.Helper()
	lax := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	if jsontext.Value(from).IsValid(lax...) && !jsontext.Value(made).IsValid(lax...) {
		t.Errorf("%s became %s", from, made)
	}
}

func fromModern(t *testing.T, msg *wire.Message) {
	t.Helper()
	filterOf(msg).wanted()
	params, _, err := withoutMeta(msg)
	if err != nil {
		return
	}
	made := request([]byte(`"ts-1"`), "x", params)
	got, fault := wire.Scan(made, wire.Limits{})
	if fault != nil || got.Meta.ProtocolVersion != "" || got.Meta.HasClientCapabilities {
		t.Errorf("%s became %s: %v", msg.Body, made, fault)
	}
}

func fromLegacy(t *testing.T, m *Member, msg *wire.Message) {
	t.Helper()
	c := &modernCall{msg: msg, s: &Session{m: m, c: legacyClient("k"), s: &sticky{}}}
	params, err := c.withMeta()
	if err != nil {
		return
	}
	made := request([]byte(`"ts-1"`), "x", params)
	got, fault := wire.Scan(made, wire.Limits{Depth: 300})
	if fault != nil || got.Meta.ProtocolVersion != wire.ModernVersion || !got.Meta.HasClientCapabilities {
		t.Errorf("%s became %s: %v", msg.Body, made, fault)
	}
}
