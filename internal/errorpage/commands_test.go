package errorpage_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/stdio"
)

// opens is a server of the shell's that opens a session, and goes on by what stands behind it.
const opens = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}'; `

const (
	opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	asking  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`
)

// commandRig asks a local command.
type commandRig struct {
	*testing.T
	transport *stdio.Transport
	session   string
}

// ask sends a request; the status is 0 when there is no answer in time.
func (r *commandRig) ask(within time.Duration, method, session, body string) (status int, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	hr, err := http.NewRequestWithContext(ctx, method, "http://x", strings.NewReader(body))
	if err != nil {
		r.Error(err)
		return 0, ""
	}
	hr.Header.Set("Mcp-Session-Id", session)
	resp, err := r.transport.RoundTrip(hr)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	if body == opening {
		r.session = resp.Header.Get("Mcp-Session-Id")
	}
	return resp.StatusCode, string(raw)
}

func (r *commandRig) post(session, body string) (int, string) {
	return r.ask(20*time.Second, http.MethodPost, session, body)
}

// opened asks in a session that it opens.
func (r *commandRig) opened(body string) (int, string) {
	r.post("", opening)
	return r.post(r.session, body)
}

// until asks again and again until the answer has a text.
func (r *commandRig) until(session, body, text string) (status int, answer string) {
	for range 600 {
		if status, answer = r.ask(100*time.Millisecond, http.MethodPost, session, body); strings.Contains(answer, text) {
			return status, answer
		}
	}
	return status, answer
}

// beside asks while another request waits, in its session or for another one.
func (r *commandRig) beside(body string) (int, string) {
	r.post("", opening)
	session := r.session
	done := make(chan struct{})
	go func() {
		defer close(done)
		for again := true; again; {
			_, answer := r.post(session, asking)
			again = strings.Contains(answer, "still running") // the one below was first
		}
	}()
	status, answer := r.until(session, asking, "still running")
	if body == opening {
		status, answer = r.post("", opening)
	}
	r.transport.Close()
	<-done
	return status, answer
}

// notAsked asks a server that doesn't read, behind more than a pipe holds, and ends the session.
func (r *commandRig) notAsked() (status int, text string) {
	r.post("", opening)
	session := r.session
	large := strings.NewReplacer(`"t"`, `"`+strings.Repeat("x", 1<<20)+`"`, `"id":2`, `"id":3`).Replace(asking)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for again := true; again; {
			_, answer := r.post(session, large)
			again = strings.Contains(answer, "still running") // the one below was first
		}
	}()
	r.until(session, large, "still running")
	timer := time.AfterFunc(200*time.Millisecond, func() { r.ask(time.Second, http.MethodDelete, session, "") })
	defer timer.Stop()
	status, text = r.post(session, asking)
	<-done
	return status, text
}

func (r *commandRig) cancelled() (int, string) {
	r.post("", opening)
	session := r.session
	timer := time.AfterFunc(100*time.Millisecond, func() {
		r.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	})
	defer timer.Stop()
	return r.post(session, asking)
}

// commandTriggers make the rows happen.
func commandTriggers() map[string]func(*commandRig) (int, string) {
	open := func(r *commandRig) (int, string) { return r.post("", opening) }
	inSession := func(r *commandRig) (int, string) { return r.opened(asking) }
	return map[string]func(*commandRig) (int, string){
		"server_not_started":  open,
		"server_ended":        open,
		"server_keeps_ending": func(r *commandRig) (int, string) { return r.until("", opening, "in a row") },
		"server_busy":         func(r *commandRig) (int, string) { return r.beside(opening) },
		"server_broke_off":    inSession,
		"server_not_asked":    (*commandRig).notAsked,
		"answer_too_large":    inSession,
		"cancel_unanswered":   (*commandRig).cancelled,
		"session_ended":       func(r *commandRig) (int, string) { return r.post("gone", asking) },
		"no_session":          func(r *commandRig) (int, string) { return r.post("", asking) },
		"id_in_use":           func(r *commandRig) (int, string) { return r.beside(asking) },
		"command_batch":       func(r *commandRig) (int, string) { return r.post("", "["+asking+"]") },
		"command_method": func(r *commandRig) (int, string) {
			return r.ask(time.Second, http.MethodPut, "", asking)
		},
	}
}

func TestEveryRowOfLocalCommandsHappens(t *testing.T) {
	triggers := commandTriggers()
	shells := map[string]string{"server_ended": "exit 3", "server_keeps_ending": "exit 3", "server_broke_off": opens + "read line; exit 3",
		"server_not_asked": opens + "exec sleep 60", "answer_too_large": opens + `read line; printf '{"jsonrpc":"2.0","id":2,"result":"%01500d"}\n' 0; exec cat >/dev/null`}
	for _, row := range errorpage.Commands() {
		t.Run(row.Reason, func(t *testing.T) {
			trigger, ok := triggers[row.Reason]
			if !ok {
				t.Fatal("no request shows that this row happens")
			}
			shell := shells[row.Reason]
			if shell == "" {
				shell = opens + "exec cat >/dev/null"
			}
			o := stdio.Options{Server: servers.Server{Name: "s", Command: "sh", Args: []string{"-c", shell}}, Environ: os.Environ(), MaxProcesses: 1, LineBytes: 1000, Grace: 100 * time.Millisecond}
			if row.Reason == "server_not_started" {
				o.Server.Command = "no-such-program-anywhere"
			}
			r := &commandRig{T: t, transport: stdio.New(o)}
			defer r.transport.Close()
			status, answer := trigger(r)
			if message, code := words(t, []byte(answer)); status != row.Legacy || code != row.Code || !fits(row.Text, message) {
				t.Errorf("HTTP %d, code %d, text %.300q; the row says %d, %d, %q", status, code, message, row.Legacy, row.Code, row.Text)
			}
		})
	}
}
