package errorpage_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

func call(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// trigger makes a row happen: a body that is dressed for the era, or a raw one, and a change to the request.
type trigger struct {
	body   string
	raw    string
	change func(*sidecar.Request)
	fault  *upstreamtest.Fault
	setup  func(*testdoor.Setup)
}

func header(name string, values ...string) func(*sidecar.Request) {
	return func(r *sidecar.Request) { r.Header[name] = values }
}

func refusalTriggers() map[string]trigger {
	return map[string]trigger{
		"wrong_door":          {body: call("call_read_tool", `{"name":"mail_purge"}`)},
		"unknown_tool":        {body: call("call_read_tool", `{"name":"rocket"}`)},
		"near_name":           {body: call("call_read_tool", `{"name":"mail_fnd"}`)},
		"missing_name":        {body: call("call_read_tool", `{}`)},
		"bad_call":            {body: call("search_tools", `{}`)},
		"bad_arguments":       {body: call("call_read_tool", `{"name":"mail_find","arguments":{"q":1}}`)},
		"self_call":           {body: call("call_read_tool", `{"name":"search_tools"}`)},
		"direct_call":         {body: call("mail_find", `{}`)},
		"header_unsafe":       {body: call("call_read_tool", `{"name":"mail_find","arguments":{"q":"`+strings.Repeat("x", 7000)+`"}}`)},
		"catalog_unavailable": {body: call("search_tools", `{"query":"x"}`), fault: &upstreamtest.Fault{Kind: upstreamtest.Garbage}},
	}
}

func faultTriggers() map[string]trigger {
	return map[string]trigger{
		"no_route":              {body: list, change: func(r *sidecar.Request) { r.Path = "/mcp/other" }},
		"empty_body":            {body: list, change: func(r *sidecar.Request) { r.Body = nil }},
		"body_without_post":     {body: list, change: func(r *sidecar.Request) { r.Method = http.MethodPut }},
		"content_encoding":      {body: list, change: header("Content-Encoding", "gzip")},
		"charset":               {body: list, change: header("Content-Type", "application/json; charset=utf-7")},
		"body_too_large":        {raw: strings.Repeat(" ", 5<<20)},
		"header_repeated":       {body: list, change: header("Mcp-Protocol-Version", "2025-11-25", "2025-11-25")},
		"header_spelling":       {body: list, change: header("Mcp_protocol_version", "2025-11-25")},
		"header_missing":        {body: call("search_tools", `{"query":"x"}`), change: func(r *sidecar.Request) { r.Header.Del("Mcp-Method") }},
		"header_mismatch":       {body: call("search_tools", `{"query":"x"}`), change: header("Mcp-Method", "ping")},
		"header_malformed":      {body: call("search_tools", `{"query":"x"}`), change: header("Mcp-Name", "=?base64?*?=")},
		"unsupported_version":   {body: list, change: header("Mcp-Protocol-Version", "2020-01-01")},
		"invalid_json":          {raw: `{"jsonrpc":nil}`},
		"truncated":             {raw: `{"jsonrpc":`},
		"trailing_data":         {raw: list + list},
		"byte_order_mark":       {raw: "\xef\xbb\xbf" + list},
		"duplicate_name":        {raw: `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`},
		"look_alike_key":        {raw: `{"jsonrpc":"2.0","id":1,"Method":"ping"}`},
		"prototype_key":         {raw: `{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}`},
		"too_deep":              {raw: strings.Repeat(`{"a":`, 201) + "1" + strings.Repeat("}", 201)},
		"not_an_object":         {raw: `7`},
		"jsonrpc_version":       {raw: `{"jsonrpc":"1.0","id":1,"method":"ping"}`},
		"invalid_id":            {raw: `{"jsonrpc":"2.0","id":null,"method":"ping"}`},
		"invalid_method":        {raw: `{"jsonrpc":"2.0","id":1,"method":""}`},
		"look_alike_method":     {raw: `{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"call_write_tool"}}`},
		"no_method":             {raw: `{"jsonrpc":"2.0","id":1}`},
		"request_and_response":  {raw: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`},
		"result_and_error":      {raw: `{"jsonrpc":"2.0","id":1,"error":{},"result":{}}`},
		"response_without_id":   {raw: `{"jsonrpc":"2.0","result":{}}`},
		"invalid_params_type":   {raw: `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`},
		"call_without_id":       {raw: `{"jsonrpc":"2.0","method":"tools/call"}`},
		"empty_batch":           {raw: `[]`},
		"batch_element":         {raw: `[1]`},
		"batch":                 {raw: `[` + ping + `]`},
		"batch_array":           {raw: `[` + list + `]`},
		"missing_meta":          {raw: list},
		"param_header_mismatch": {body: call("call_read_tool", `{"name":"mail_find","arguments":{"q":"x"}}`), change: header("Mcp-Param-Q", "y")},
		"missing_tool_name":     {body: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`},
		"unknown_tool":          {body: call("rocket", `{}`)},
		"unknown_cursor":        {body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`},
		"overloaded":            {body: call("search_tools", `{"query":"x"}`), setup: func(s *testdoor.Setup) { s.Catalog.Pressed = func() bool { return true } }},
		"authorization":         {body: call("search_tools", `{"query":"x"}`), fault: &upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401}},
	}
}

func TestEveryRowHappens(t *testing.T) {
	for name, table := range map[string]struct {
		rows     []errorpage.Row
		triggers map[string]trigger
		kind     string
	}{
		"refusals": {errorpage.Refusals(), refusalTriggers(), "refused"},
		"faults":   {errorpage.Faults(), faultTriggers(), "fault"},
	} {
		for _, row := range table.rows {
			t.Run(name+" "+row.Reason, func(t *testing.T) {
				tr, ok := table.triggers[row.Reason]
				if !ok {
					t.Fatal("no request shows that this row happens")
				}
				play(t, row, tr, wire.Modern, row.Modern, table.kind)
				play(t, row, tr, wire.Legacy, row.Legacy, table.kind)
			})
		}
	}
}

func play(t *testing.T, row errorpage.Row, tr trigger, era wire.Era, status int, kind string) {
	t.Helper()
	if status == 0 { // the row is of the other era
		return
	}
	up := upstreamtest.New(t, `{"name":"mail_find","inputSchema":{"type":"object","properties":{"q":{"type":"string","x-mcp-header":"Q"}}},"annotations":{"readOnlyHint":true}}`, `{"name":"mail_purge","inputSchema":{"type":"object"}}`)
	if tr.fault != nil {
		up.Fail("", *tr.fault)
	}
	d := testdoor.Open(t, up, tr.setup)
	body := tr.body
	if body == "" {
		body = list
	}
	dressed, h, err := cases.Dress([]byte(body), era, "")
	if err != nil {
		t.Fatal(err)
	}
	if tr.raw != "" {
		dressed = []byte(tr.raw)
	}
	req := sidecar.Request{Method: http.MethodPost, Path: testdoor.SearchPath, Authority: testdoor.Host, Header: h, Body: dressed}
	if tr.change != nil {
		tr.change(&req)
	}
	got := d.Decide(t.Context(), req)
	text, code := words(t, got.Body)
	if got.Status != status || code != row.Code || !fits(row.Text, text) {
		t.Errorf("%s: HTTP %d, code %d, text %.300q; the row says %d, %d, %q", era, got.Status, code, text, status, row.Code, row.Text)
	}
	if l := d.Seen.Last(); l.Reason != row.Reason || l.Outcome != kind {
		t.Errorf("%s: %s with the reason %s, want %s with %s", era, l.Outcome, l.Reason, kind, row.Reason)
	}
	for _, r := range up.RequestsOf("tools/call") {
		t.Errorf("%s: a call of %s reached the upstream", era, r.Name)
	}
}

// words are the text of an error, or of a result's first block.
func words(t *testing.T, body []byte) (text string, code int) {
	t.Helper()
	var a struct {
		Error *struct {
			Code    int
			Message string
		}
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	switch {
	case a.Error != nil:
		return a.Error.Message, a.Error.Code
	case a.Result != nil && a.Result.IsError && len(a.Result.Content) == 1:
		return a.Result.Content[0].Text, 0
	}
	t.Fatalf("neither an error nor a refusal: %.300s", body)
	return "", 0
}

// fits tells whether a text has the row's parts in order; an ellipsis stands for anything.
func fits(pattern, text string) bool {
	parts := strings.Split(pattern, "…")
	for i, part := range parts {
		at := strings.Index(text, part)
		if at < 0 || i == 0 && at > 0 || i == len(parts)-1 && !strings.HasSuffix(text, part) {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}
