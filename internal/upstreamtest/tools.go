package upstreamtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// list answers one page of the caller's catalog.
func (x *exchange) list() {
	if x.b.ListDelay > 0 && !wait(x, time.After(x.b.ListDelay)) {
		return
	}
	x.s.mu.Lock()
	tools := x.s.tools
	if own, ok := x.s.perCaller[x.r.Header.Get("Authorization")]; ok {
		tools = own
	}
	x.s.mu.Unlock()
	from, ok := offset(x.r.Cursor)
	if !ok || from > len(tools) {
		x.error(x.badParams(), -32602, "invalid cursor", "")
		return
	}
	to := len(tools)
	if x.b.PageSize > 0 {
		to = min(to, from+x.b.PageSize)
	}
	next := ""
	if to < len(tools) {
		next = "from-" + strconv.Itoa(to)
	}
	x.page(tools[from:to], next)
}

func offset(cursor string) (int, bool) {
	if cursor == "" || strings.HasPrefix(cursor, "more-") || cursor == "again" {
		return 0, true
	}
	n, ok := strings.CutPrefix(cursor, "from-")
	at, err := strconv.Atoi(n)
	return at, ok && err == nil && at >= 0
}

func (x *exchange) page(tools []string, next string) {
	var b strings.Builder
	b.WriteByte('{')
	if x.r.Modern() {
		ttl := x.b.TTL
		if ttl == "" {
			ttl = "0"
		}
		fmt.Fprintf(&b, `"resultType":"complete","ttlMs":%s,"cacheScope":"private",`, ttl)
	}
	if next != "" {
		fmt.Fprintf(&b, `"nextCursor":%q,`, next)
	}
	b.WriteString(`"tools":[` + strings.Join(tools, ",") + `]}`)
	var events []string
	if x.b.Chatter {
		events = []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"listing"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		}
	}
	x.send(http.StatusOK, envelope(x.r.ID, "result", b.String()), events)
}

// call answers tools/call as scripted.
func (x *exchange) call() {
	x.s.mu.Lock()
	script, scripted := x.s.scripts[x.r.Name]
	before := x.s.responses
	x.s.mu.Unlock()
	if !scripted && !x.listed() {
		x.error(x.badParams(), -32602, fmt.Sprintf("unknown tool %q", x.r.Name), "")
		return
	}
	status, message := x.scripted(script)
	if len(script.Events) == 0 && script.AwaitResponses == 0 {
		if script.Gate == nil || wait(x, script.Gate) {
			x.send(status, message, nil)
		}
		return
	}
	x.startStream()
	for _, e := range script.Events {
		x.event(e)
	}
	if script.Gate != nil && !wait(x, script.Gate) {
		return
	}
	if x.awaitResponses(before + script.AwaitResponses) {
		x.event(message)
	}
}

func (x *exchange) scripted(script Script) (status int, message string) {
	status = http.StatusOK
	result := script.Result
	if result == "" {
		text, _ := json.Marshal(x.r.Name + " ran")
		result = `{"content":[{"type":"text","text":` + string(text) + `}]}`
		if x.r.Modern() {
			result = `{"resultType":"complete",` + result[1:]
		}
	}
	message = envelope(x.r.ID, "result", result)
	if script.Error != "" {
		message = envelope(x.r.ID, "error", script.Error)
	}
	if script.Code != 0 {
		message = envelope(x.r.ID, "error", errorObject(script.Code, script.Message, script.Data))
		if script.Code == -32602 {
			status = x.badParams()
		}
	}
	if script.Status != 0 {
		status = script.Status
	}
	return status, message
}

func (x *exchange) listed() bool {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	tools := x.s.tools
	if own, ok := x.s.perCaller[x.r.Header.Get("Authorization")]; ok {
		tools = own
	}
	for _, t := range tools {
		var d struct{ Name string }
		if json.Unmarshal([]byte(t), &d) == nil && d.Name == x.r.Name {
			return true
		}
	}
	return false
}

// awaitResponses waits until the server has received n responses in all.
func (x *exchange) awaitResponses(n int) bool {
	for {
		x.s.mu.Lock()
		got, changed := x.s.responses, x.s.changed
		x.s.mu.Unlock()
		if got >= n {
			return true
		}
		if !wait(x, changed) {
			return false
		}
	}
}

// badParams is the HTTP status of -32602.
func (x *exchange) badParams() int {
	if x.r.Modern() {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
