package wire_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// refusals are bodies that one reader would take for something else than
// another, or that are no messages. They also seed the fuzz targets.
func refusals() []refusal {
	return slices.Concat(refusedJSON(), refusedMessages(), refusedLookAlikes())
}

type refusal struct{ name, body, reason string }

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func refusedJSON() []refusal {
	return []refusal{
		{"a name twice", call(`{"name":"a","name":"b"}`), "duplicate_name"},
		{"a name twice by an escape", call(`{"name":"a","n\u0061me":"b"}`), "duplicate_name"},
		{"arguments twice", call(`{"name":"a","arguments":{},"argument\u0073":{"x":1}}`), "duplicate_name"},
		{"a method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, "duplicate_name"},
		{"an id twice", `{"jsonrpc":"2.0","id":1,"method":"ping","id":2}`, "duplicate_name"},
		{"params twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}`, "duplicate_name"},
		{"a key twice deep in the arguments", call(`{"name":"a","arguments":{"x":[{"k":1,"k":2}]}}`), "duplicate_name"},
		{"a key twice by upper and lower hex", call(`{"name":"a","arguments":{"\u00e9":1,"\u00E9":2}}`), "duplicate_name"},
		{"a key twice by a surrogate pair", call(`{"name":"a","arguments":{"😀":1,"\ud83d\ude00":2}}`), "duplicate_name"},
		{"the version key twice", call(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"a","io.modelcontextprotocol\/protocolVersion":"b"}}`), "duplicate_name"},
		{"a second message behind the first", ping + call(`{"name":"a"}`), "trailing_data"},
		{"a second message on the next line", ping + "\n" + ping, "trailing_data"},
		{"a NUL behind the message", ping + "\x00", "trailing_data"},
		{"a brace too many", ping + "}", "trailing_data"},
		{"a byte order mark", "\xef\xbb\xbf" + ping, "byte_order_mark"},
		{"UTF-16", "{\x00\"\x00j\x00", "invalid_json"},
		{"UTF-16 with a mark", "\xff\xfe{\x00", "invalid_json"},
		{"invalid UTF-8 in a value", call("{\"name\":\"a\xff\"}"), "invalid_json"},
		{"invalid UTF-8 in a key", call("{\"na\xffme\":\"a\"}"), "invalid_json"},
		{"an overlong letter", call("{\"n\xc1\xa1me\":\"a\"}"), "invalid_json"},
		{"a surrogate in UTF-8", call("{\"name\":\"\xed\xa0\x80\"}"), "invalid_json"},
		{"a lone high surrogate", call(`{"name":"\ud800"}`), "invalid_json"},
		{"a lone low surrogate in a key", call(`{"\udc00":1}`), "invalid_json"},
		{"surrogates in the wrong order", call(`{"arguments":{"x":"\ude00\ud83d"}}`), "invalid_json"},
		{"a comment", call(`{"name":"a"/*,*/}`), "invalid_json"},
		{"single quotes", call(`{'name':"a"}`), "invalid_json"},
		{"a bare key", call(`{name:"a"}`), "invalid_json"},
		{"a trailing comma", call(`{"name":"a",}`), "invalid_json"},
		{"NaN", call(`{"arguments":{"x":NaN}}`), "invalid_json"},
		{"a leading zero", `{"jsonrpc":"2.0","id":01,"method":"ping"}`, "invalid_json"},
		{"a plus sign", `{"jsonrpc":"2.0","id":+1,"method":"ping"}`, "invalid_json"},
		{"a raw line break in a string", call("{\"name\":\"a\nb\"}"), "invalid_json"},
		{"an unknown escape", call(`{"name":"\x61"}`), "invalid_json"},
		{"a form feed between tokens", "\f" + ping, "invalid_json"},
		{"a no-break space between tokens", "\u00a0" + ping, "invalid_json"},
		{"nothing", "", "truncated"},
		{"white space", " \n", "truncated"},
		{"half a message", ping[:len(ping)-1], "truncated"},
		{"half a string", `{"jsonrpc":"2.0","method":"pi`, "truncated"},
		{"half a batch", `[` + ping, "truncated"},
	}
}

func refusedMessages() []refusal {
	return []refusal{
		{"a string", `"tools/call"`, "not_an_object"},
		{"a number", `1`, "not_an_object"},
		{"null", `null`, "not_an_object"},
		{"null and more", `null,` + ping, "trailing_data"},
		{"an empty batch", `[]`, "empty_batch"},
		{"a batch in a batch", `[[` + ping + `]]`, "batch_element"},
		{"a number in a batch", `[` + ping + `,1]`, "batch_element"},
		{"a bad message in a batch", `[` + ping + `,{"id":1}]`, "jsonrpc_version"},
		{"data behind a batch", `[` + ping + `]` + ping, "trailing_data"},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, "jsonrpc_version"},
		{"another jsonrpc", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, "jsonrpc_version"},
		{"jsonrpc as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, "jsonrpc_version"},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":["ping"]}`, "invalid_method"},
		{"a null method", `{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`, "invalid_method"},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, "invalid_method"},
		{"params as an array", call(`["a"]`), "invalid_params_type"},
		{"params as a string", call(`"{}"`), "invalid_params_type"},
		{"a method and a result", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}`, "request_and_response"},
		{"a method and a null error", `{"jsonrpc":"2.0","id":1,"method":"tools/call","error":null}`, "request_and_response"},
		{"a result and an error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, "result_and_error"},
		{"a result without an id", `{"jsonrpc":"2.0","result":{}}`, "response_without_id"},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}`, "invalid_id"},
		{"neither method nor result", `{"jsonrpc":"2.0","id":1}`, "no_method"},
		{"a call without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}`, "call_without_id"},
		{"a call without an id, spelled with an escape", `{"jsonrpc":"2.0","method":"tools\u002fcall"}`, "call_without_id"},
	}
}

func refusedLookAlikes() []refusal {
	return []refusal{
		{"a Method beside the method", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, "look_alike_key"},
		{"a METHOD instead of the method", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, "look_alike_key"},
		{"a long s", `{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{"name":"b"}}`, "look_alike_key"},
		{"a Kelvin sign", call(`{"name":"a","tas\u212aId":"b"}`), "look_alike_key"},
		{"a NUL behind the key", call(`{"name":"a","name\u0000":"b"}`), "look_alike_key"},
		{"a NUL and more behind the key", call(`{"name":"a","name\u0000x":"b"}`), "look_alike_key"},
		{"a NUL before the key", call(`{"name":"a","\u0000name":"b"}`), "look_alike_key"},
		{"a NUL in the key", call(`{"name":"a","na\u0000me":"b"}`), "look_alike_key"},
		{"a dotless i", `{"jsonrpc":"2.0","id":1,"\u0131d":2,"method":"ping"}`, "look_alike_key"},
		{"an I with a dot", call(`{"name":"a","ur\u0130":"x"}`), "look_alike_key"},
		{"a zero-width space in the key", call(`{"name":"a","na\u200bme":"b"}`), "look_alike_key"},
		{"a byte order mark before the key", call(`{"name":"a","\ufeffname":"b"}`), "look_alike_key"},
		{"a space behind the key", call(`{"name":"a","name ":"b"}`), "look_alike_key"},
		{"the field name meta for _meta", call(`{"name":"a","meta":{}}`), "look_alike_key"},
		{"the field name task_id for taskId", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a","task_id":"b"}}`, "look_alike_key"},
		{"Arguments instead of arguments", call(`{"name":"a","Arguments":{}}`), "look_alike_key"},
		{"another case of the version key", call(`{"_meta":{"io.modelcontextprotocol/ProtocolVersion":"2026-07-28"}}`), "look_alike_key"},
		{"a method in another case", `{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"a"}}`, "look_alike_method"},
		{"a method with a space behind", `{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"a"}}`, "look_alike_method"},
		{"a method with a NUL behind", `{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000x","params":{"name":"a"}}`, "look_alike_method"},
		{"a prototype of the message", `{"jsonrpc":"2.0","id":1,"method":"tools/call","__proto__":{"params":{"name":"a"}}}`, "prototype_key"},
		{"a prototype of params", call(`{"name":"a","__proto__":{"arguments":{}}}`), "prototype_key"},
		{"a prototype of the arguments", call(`{"name":"a","arguments":{"__proto__":{"x":1}}}`), "prototype_key"},
		{"a prototype deep in the arguments", call(`{"name":"a","arguments":{"x":[1,{"y":2,"_\u005fproto__":{"x":1}}]}}`), "prototype_key"},
		{"a prototype in a batch", `[` + ping + `,{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":1}}]`, "prototype_key"},
		{"a Result beside a method", `{"jsonrpc":"2.0","id":1,"method":"ping","Result":{}}`, "look_alike_key"},
	}
}

func TestScanRefuses(t *testing.T) {
	t.Parallel()
	codes := map[string]int{
		"trailing_data": wire.CodeParse, "byte_order_mark": wire.CodeParse, "invalid_json": wire.CodeParse, "truncated": wire.CodeParse,
	}
	for _, tt := range refusals() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, fault := wire.Scan([]byte(tt.body), wire.DefaultLimits())
			if fault == nil {
				t.Fatalf("got %+v, want %s", m, tt.reason)
			}
			code := codes[tt.reason]
			if code == 0 {
				code = wire.CodeInvalidRequest
			}
			if fault.Reason != tt.reason || fault.Code != code || fault.Status != 400 {
				t.Errorf("got %d %s (status %d), want %d %s", fault.Code, fault.Reason, fault.Status, code, tt.reason)
			}
		})
	}
}

func TestFaultsAnswerTheID(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"an id behind the fault is found", `{"jsonrpc":"2.0","params":[],"method":"x","id":"late"}`, `"late"`},
		{"an id before the fault is found", `{"id":7,"jsonrpc":"1.0","method":"x"}`, `7`},
		{"an invalid id is none", `{"id":1.5,"jsonrpc":"1.0","method":"x"}`, ""},
		{"an id in broken JSON is none", `{"id":7,"jsonrpc":"2.0","method":"x"`, ""},
		{"a repeated id is none", `{"id":7,"jsonrpc":"2.0","method":"x","id":8}`, ""},
		{"an id in a batch is none", `[{"id":7,"jsonrpc":"1.0","method":"x"}]`, ""},
		{"an id inside params is none", `{"jsonrpc":"1.0","method":"x","params":{"id":7}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, fault := wire.Scan([]byte(tt.body), wire.DefaultLimits())
			if fault == nil || string(fault.ID) != tt.want {
				t.Errorf("got %v with id %q, want the id %q", fault, fault.ID, tt.want)
			}
		})
	}
}

func TestFaultsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, tt := range refusals() {
		body := strings.NewReplacer(`"a"`, `"`+secret+`"`, `"b"`, `"`+secret+`"`, `"x"`, `"`+secret+`"`, "ping", secret, `"k"`, `"`+secret+`"`).Replace(tt.body)
		_, fault := wire.Scan([]byte(body), wire.DefaultLimits())
		if fault == nil {
			continue // the replacement made two look-alikes one word
		}
		if text := fault.Error() + string(fault.Data) + string(fault.Body()); strings.Contains(text, secret) {
			t.Errorf("%s: the fault says %q", tt.name, text)
		}
	}
}

func TestLookAlike(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key, canonical string
		want           bool
	}{
		{"name", "name", false},
		{"names", "name", false},
		{"nam", "name", false},
		{"argument", "arguments", false},
		{"Name", "name", true},
		{"NAME\x00", "name", true},
		{"name\x00\x00", "name", true},
		{"name\x00tail", "name", true},
		{"na_me", "name", true},
		{"param\u017f", "params", true},
		{"meta", "_meta", true},
		{"_META", "_meta", true},
		{"task-id", "taskId", true},
		{"taskid", "taskId", true},
		{"\u0131d", "id", true},
		{"\u0130D", "id", true},
		{"n\u0430me", "name", false}, // a Cyrillic letter: no reader folds it
		{"name\u0301", "name", true},
		{"", "name", false},
		{"\x00", "id", false},
	}
	for _, tt := range tests {
		if got := wire.LookAlike(tt.key, tt.canonical); got != tt.want {
			t.Errorf("LookAlike(%q, %q) = %v, want %v", tt.key, tt.canonical, got, tt.want)
		}
	}
}
