package errorpage_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
)

// mergedTrigger shows that a row of the merge happens.
type mergedTrigger struct {
	body   string // of a POST
	method string // instead of POST
	change func(*http.Request)
	down   bool // the servers are down from the start
	dies   bool // they die before the request
	close  bool // the merge is closed before it
}

func mergedTriggers() map[string]mergedTrigger {
	request := func(method, params string) mergedTrigger {
		return mergedTrigger{body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`}
	}
	session := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "made-up") }
	return map[string]mergedTrigger{
		"session_unknown":  {body: ping, change: session},
		"session_missing":  {method: http.MethodDelete},
		"http_method":      {method: http.MethodPut},
		"merge_loop":       {body: ping, change: func(r *http.Request) { r.Header.Set("Via", strings.Repeat("1.1 mcp-toolsearch-x,", 7)) }},
		"unknown_method":   request("x/y", ""),
		"merged_cursor":    request("tools/list", `"cursor":"x"`),
		"name_missing":     request("tools/call", ""),
		"unknown_name":     request("tools/call", `"name":"nobody"`),
		"missing_uri":      request("resources/read", ""),
		"unknown_address":  request("resources/read", `"uri":"x://y"`),
		"missing_ref":      request("completion/complete", `"ref":{}`),
		"unknown_task":     request("tasks/get", `"taskId":"t"`),
		"unknown_response": {body: `{"jsonrpc":"2.0","id":"x","result":{}}`},
		"server_failed":    {body: `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"}}}`, dies: true},
		"servers_down":     {body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, down: true},
		"stopping":         {body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, close: true},
	}
}

// modernBody puts what the modern era wants into a message's params.
func modernBody(body string) string {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	switch {
	case strings.Contains(body, `"params":{}`):
		return strings.Replace(body, `"params":{`, `"params":{`+meta, 1)
	case strings.Contains(body, `"params":{`):
		return strings.Replace(body, `"params":{`, `"params":{`+meta+`,`, 1)
	}
	return strings.Replace(body, `"method"`, `"params":{`+meta+`},"method"`, 1)
}

func (tr mergedTrigger) request(t *testing.T, modern bool) *http.Request {
	t.Helper()
	method, body := http.MethodPost, tr.body
	if tr.method != "" {
		method = tr.method
	}
	if modern {
		body = modernBody(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/mcp/all", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if modern {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		for _, m := range []string{"x/y", "ping", "tools/list", "tools/call", "resources/read", "completion/complete", "tasks/get"} {
			if strings.Contains(body, `"method":"`+m+`"`) {
				r.Header.Set("Mcp-Method", m)
			}
		}
		for _, name := range []string{"nobody", "x://y"} {
			if strings.Contains(body, `"`+name+`"`) {
				r.Header.Set("Mcp-Name", name)
			}
		}
		if strings.Contains(body, `"taskId"`) {
			r.Header.Set("Mcp-Name", "t")
		}
	}
	if tr.change != nil {
		tr.change(r)
	}
	return r
}

// small is a server of the modern era with one tool and one prompt.
func small(w http.ResponseWriter, r *http.Request) {
	result, ok := map[string]string{
		"server/discover": `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}`,
		"tools/list":      `"tools":[{"name":"t","inputSchema":{"type":"object"}}]`,
		"prompts/list":    `"prompts":[{"name":"p"}]`,
	}[r.Header.Get("Mcp-Method")]
	var m struct{ ID json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || !ok {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private",%s}}`, m.ID, result)
}

func TestEveryRowOfTheMergeHappens(t *testing.T) {
	triggers := mergedTriggers()
	for _, row := range errorpage.Merged() {
		tr, ok := triggers[row.Reason]
		if !ok {
			t.Errorf("no request shows that %s happens", row.Reason)
			continue
		}
		for era, want := range map[string]int{"modern": row.Modern, "legacy": row.Legacy} {
			if want == 0 {
				continue
			}
			t.Run(row.Reason+" "+era, func(t *testing.T) {
				a, stop := mergedFor(t, tr)
				if tr.dies {
					known := mergedTrigger{body: `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`}
					a.ServeHTTP(httptest.NewRecorder(), known.request(t, false))
					stop()
				}
				if tr.close {
					a.Close()
				}
				w := httptest.NewRecorder()
				a.ServeHTTP(w, tr.request(t, era == "modern"))
				text, code := words(t, w.Body.Bytes())
				if w.Code != want || code != row.Code || !fits(row.Text, text) {
					t.Errorf("HTTP %d, code %d, text %.300q; the row says %d, %d, %q", w.Code, code, text, want, row.Code, row.Text)
				}
			})
		}
	}
}

// mergedFor merges two servers.
func mergedFor(t *testing.T, tr mergedTrigger) (a *aggregate.Aggregate, stop func()) {
	t.Helper()
	var list []servers.Server
	var stops []func()
	for _, name := range []string{"one", "two"} {
		s := httptest.NewServer(http.HandlerFunc(small))
		t.Cleanup(s.Close)
		stops = append(stops, s.Close)
		list = append(list, servers.Server{Name: name, URL: s.URL})
		if tr.down {
			s.Close()
		}
	}
	a, err := aggregate.New(aggregate.Options{Servers: list, OperatorMode: true, Logger: slog.New(slog.DiscardHandler),
		Open: func(s servers.Server) aggregate.Opened {
			return aggregate.Opened{Member: member.New(member.Options{Server: s})}
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a, func() {
		for _, s := range stops {
			s()
		}
	}
}
