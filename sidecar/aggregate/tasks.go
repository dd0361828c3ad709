package aggregate

import (
	"io"
	"mime"
	"net/http"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// maxTaskAnswer bounds an answer that is looked at for a new task: such an
// answer holds nothing else.
const maxTaskAnswer = 64 << 10

// mayMakeTask says that the answer may be a task's beginning: the client asked
// for one (2025-11-25, basic/utilities/tasks), or can take one (2026-07-28,
// extensions/tasks).
func (x *exchange) mayMakeTask() bool {
	if x.msg == nil || x.msg.Kind != wire.Request || x.msg.Method != "tools/call" {
		return false
	}
	if x.era == wire.Legacy {
		return wire.IsObject(field(x.msg.Params.In(x.msg.Body), "task"))
	}
	extensions := field(x.client.Capabilities, "extensions")
	return field(extensions, "io.modelcontextprotocol/tasks") != nil
}

// noteTask remembers whose task an answer names.
func (x *exchange) noteTask(e *entry, message []byte) {
	a, err := wire.ScanAnswer(message)
	if err != nil || a.Result.Absent() {
		return
	}
	result := a.Result.In(message)
	if task := field(result, "task"); task != nil {
		result = task
	}
	if id, ok := wire.Text(field(result, "taskId")); ok && id != "" {
		x.a.tasks.note(x.who.key, id, e.server.Name)
	}
}

// task sends a request about a task to the server that made it. Another
// replica may have seen it made: then the servers that have tasks are asked,
// and the first that knows it owns it.
func (x *exchange) task() {
	id := x.msg.TaskID
	if server, ok := x.a.tasks.owner(x.who.key, id); ok {
		x.forward(server, x.msg.Body)
		return
	}
	for _, e := range x.roster.entries {
		if id != "" && x.offersTasks(e) && x.try(e) {
			x.a.tasks.note(x.who.key, id, e.server.Name)
			return
		}
	}
	x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "unknown_task", Message: "no server knows this task: it may have ended long ago; call the tool again"})
}

// offersTasks says that a server has tasks, as far as is known without waiting.
func (x *exchange) offersTasks(e *entry) bool {
	d := x.describe(e)
	if d == nil {
		return false
	}
	return field(d.Capabilities, "tasks") != nil || field(field(d.Capabilities, "extensions"), "io.modelcontextprotocol/tasks") != nil
}

// try asks a server and passes its answer on unless that is an error.
func (x *exchange) try(e *entry) bool {
	body, ok := x.ask(e, x.msg.Body)
	if !ok {
		return false
	}
	x.write(http.StatusOK, body)
	return true
}

// ask gives a server's answer to a message as one JSON message; false for an
// error of any kind.
func (x *exchange) ask(e *entry, message []byte) ([]byte, bool) {
	if !e.use() {
		return nil, false
	}
	defer e.release()
	s, err := x.session(e)
	if err != nil {
		return nil, false
	}
	answer, err := s.Post(x.ctx, message, x.client.Header)
	if err != nil {
		return nil, false
	}
	defer answer.Body.Close()
	return readWhole(answer)
}

// readWhole reads an answer with a result.
func readWhole(answer *member.Answer) ([]byte, bool) {
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == streamKind {
		return readStream(answer.Body)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxEvent))
	if err != nil {
		return nil, false
	}
	a, err := wire.ScanAnswer(body)
	return body, err == nil && !a.Result.Absent()
}

func readStream(body io.Reader) ([]byte, bool) {
	events := wire.NewEventReader(body, maxEvent)
	for {
		ev, err := events.Next()
		if err != nil {
			return nil, false
		}
		if a, err := wire.ScanAnswer(ev.Data); err == nil && a.Method == "" && a.ID != nil {
			return ev.Data, !a.Result.Absent()
		}
	}
}

// taskList joins the tasks of all servers (legacy; the modern era has no list).
func (x *exchange) taskList() {
	if x.msg.HasCursor {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "merged_cursor", Message: "there is only one page: ask without a cursor"})
		return
	}
	out := []byte(`{"tasks":[`)
	count := 0
	for _, e := range x.roster.entries {
		if !x.offersTasks(e) {
			continue
		}
		body, ok := x.ask(e, x.msg.Body)
		if !ok {
			continue
		}
		a, err := wire.ScanAnswer(body)
		if err != nil {
			continue
		}
		_ = wire.EachElement(field(a.Result.In(body), "tasks"), func(task []byte) bool { // what is no list has no elements
			if id, ok := wire.Text(field(task, "taskId")); ok {
				x.a.tasks.note(x.who.key, id, e.server.Name)
			}
			if count++; count > 1 {
				out = append(out, ',')
			}
			out = append(out, task...)
			return count < maxItems
		})
	}
	x.result(append(out, "]}"...))
}
