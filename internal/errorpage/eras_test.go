package errorpage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// oneEra is a server of one era, without a network: time is a test's own.
type oneEra struct {
	modern bool
	result string // of tools/call
}

func (s oneEra) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	result := map[string]string{
		"initialize":      `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`,
		"tools/call":      s.result,
	}[m.Method]
	if s.modern != (r.Header.Get("Mcp-Protocol-Version") >= wire.ModernVersion) || result == "" {
		return answered(r, http.StatusBadRequest, ""), nil
	}
	return answered(r, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)), nil
}

func answered(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// eraTrigger makes a row happen: what a client sends, what its server answers, and how the client answers questions.
type eraTrigger struct {
	body   string
	result string
	reply  func(id string) string // "" = not at all
}

const asks = `{"resultType":"input_required","requestState":"s","inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`

func eraTriggers() map[string]eraTrigger {
	says := func(text string) func(string) string { return func(id string) string { return fmt.Sprintf(text, id) } }
	accepts := says(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`)
	return map[string]eraTrigger{
		"not_a_request":          {body: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"too_many_subscriptions": {body: `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"` + strings.Repeat("x", 9000) + `"}}`},
		"request_state":          {body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","requestState":"of another replica"}}`},
		"call_cancelled":         {result: asks, reply: says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "%.0s")},
		"question_refused":       {result: asks, reply: says(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`)},
		"question_timeout":       {result: asks, reply: func(string) string { return "" }},
		"question_unreadable":    {result: strings.Replace(asks, `"s"`, `{"a":1,"a":2}`, 1), reply: accepts},
		"questions_endless":      {result: asks, reply: accepts},
	}
}

func TestEveryRowBetweenTheErasHappens(t *testing.T) {
	triggers := eraTriggers()
	for _, row := range errorpage.Eras() {
		tr, ok := triggers[row.Reason]
		if !ok {
			t.Errorf("no request shows that %s happens", row.Reason)
			continue
		}
		t.Run(row.Reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playEras(t, row, tr) })
		})
	}
}

func playEras(t *testing.T, row errorpage.Row, tr eraTrigger) {
	m := member.New(member.Options{Server: servers.Server{Name: "s", URL: "http://s.test/mcp"}, Transport: oneEra{modern: row.Legacy != 0, result: tr.result}})
	defer m.Close()
	c := member.Client{Era: wire.Modern, Key: "k", Capabilities: []byte(`{"elicitation":{}}`)}
	want := row.Modern
	if row.Legacy != 0 {
		c.Era, want = wire.Legacy, row.Legacy
	}
	s, err := m.Session(t.Context(), c, "")
	if err != nil {
		t.Fatal(err)
	}
	status, text := converse(t, s, tr)
	if status != want || !strings.Contains(text, fmt.Sprintf(`"code":%d`, row.Code)) || !strings.Contains(text, row.Text) {
		t.Errorf("%d %s, want %d, %d, %q", status, text, want, row.Code, row.Text)
	}
}

// converse sends the request, answers what comes on its stream, and gives the last message.
func converse(t *testing.T, s *member.Session, tr eraTrigger) (status int, last string) {
	t.Helper()
	body := tr.body
	if body == "" {
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
	}
	a, err := s.Post(context.Background(), []byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.Header.Get("Content-Type") == "application/json" {
		raw, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.Status, string(raw)
	}
	events := wire.NewEventReader(a.Body, 1<<20)
	for {
		ev, err := events.Next()
		if err != nil {
			return a.Status, last
		}
		last = string(ev.Data)
		var m struct{ ID, Method json.RawMessage }
		if err := json.Unmarshal(ev.Data, &m); err != nil || m.Method == nil || bytes.Equal(m.ID, []byte("1")) {
			continue
		}
		if reply := tr.reply(string(m.ID)); reply != "" {
			if b, err := s.Post(context.Background(), []byte(reply), nil); err != nil || b.Status != http.StatusAccepted {
				t.Errorf("the reply gives %+v, %v", b, err)
			}
		}
	}
}
