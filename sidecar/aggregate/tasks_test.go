package aggregate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

// tasked is a server with one tool that makes tasks.
func tasked(t *testing.T, name string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ TaskID, Name string }
		}
		if r.Method != http.MethodPost || json.Unmarshal([]byte(peek(r)), &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, taskAnswer(name, m.Method, m.Params.TaskID, r.Header.Get("Mcp-Protocol-Version") >= "2026"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func taskAnswer(name, method, task string, modern bool) string {
	capabilities := `"capabilities":{"tools":{},"tasks":{"list":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	switch method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"t","version":"1"},` + capabilities + `}`
	case "server/discover":
		return `"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"ttlMs":0,"cacheScope":"private",` + capabilities + `}`
	case "tools/list":
		return `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"` + name + `_slow","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		if modern {
			return `"result":{"resultType":"task","taskId":"` + name + `-1","status":"working"}`
		}
		return `"result":{"task":{"taskId":"` + name + `-1","status":"working"}}`
	case "tasks/list":
		return `"result":{"tasks":[{"taskId":"` + name + `-1"}]}`
	case "tasks/get":
		if task == name+"-1" {
			return `"result":{"resultType":"complete","taskId":"` + task + `","status":"done by ` + name + `"}`
		}
	}
	return `"error":{"code":-32602,"message":"not mine"}`
}

func TestTasksReachTheServerThatMadeThem(t *testing.T) {
	list := []servers.Server{at("a", tasked(t, "a")), at("b", tasked(t, "b"))}
	r, replica := start(t, list), start(t, list)
	send := func(t *testing.T, url, method, name, params string, modern bool) string {
		t.Helper()
		meta := ""
		if modern {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},`
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s%s}}`, method, meta, params)
		if !modern {
			_, text := post(t, url, "", body)
			return text
		}
		_, text := do(t, modernRequest(t, url, method, name, body))
		return text
	}
	for name, modern := range map[string]bool{"modern": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			text := send(t, r.url, "tools/call", "b_slow", `"name":"b_slow","arguments":{},"task":{}`, modern)
			if !strings.Contains(text, `"taskId":"b-1"`) {
				t.Fatalf("the call: %s", text)
			}
			for where, url := range map[string]string{"here": r.url, "at another replica": replica.url} {
				if text := send(t, url, "tasks/get", "b-1", `"taskId":"b-1"`, modern); !strings.Contains(text, "done by b") {
					t.Errorf("the task %s: %s", where, text)
				}
			}
			if text := send(t, r.url, "tasks/get", "z-1", `"taskId":"z-1"`, modern); !strings.Contains(text, "no server knows this task") {
				t.Errorf("a task of nobody's: %s", text)
			}
		})
	}
	if text := send(t, r.url, "tasks/list", "", `"x":1`, false); !strings.Contains(text, `[{"taskId":"a-1"},{"taskId":"b-1"}]`) {
		t.Errorf("the list: %s", text)
	}
}
