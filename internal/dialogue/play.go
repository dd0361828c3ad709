package dialogue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/sidecar/wire"
)

// opening is what a legacy client says first.
const opening = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"` + cases.LegacyVersion +
	`","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"dialogue","version":"1"}}}`

// Door is one client's connection with a door.
type Door interface {
	// Send sends a message. Each message that comes back, up to the one that answers it, is given to got; what got
	// returns, when not nil, is sent as the client's response. A message without an answer returns when it was taken.
	Send(ctx context.Context, message []byte, h http.Header, got func([]byte) ([]byte, error)) error
}

// Play plays a dialogue in one era and compares. With update it writes what came back into the file instead.
func (f *File) Play(t *testing.T, era wire.Era, d Door, update bool) {
	t.Helper()
	if !update {
		if problem := f.Problem(t.Context(), era, d); problem != "" {
			t.Errorf("%s; look at it, then write it with -update-dialogues", problem)
		}
		return
	}
	got, err := f.collect(t.Context(), era, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.update(era, got); err != nil {
		t.Fatal(err)
	}
}

// Problem plays a dialogue and says what is wrong; "" when nothing is.
func (f *File) Problem(ctx context.Context, era wire.Era, d Door) string {
	got, err := f.collect(ctx, era, d)
	if err != nil {
		return err.Error()
	}
	want := f.want(era)
	if len(lines(want)) == 0 {
		return f.Path + " has no " + era.String() + ".jsonl"
	}
	return difference(want, got)
}

// collect plays a dialogue and returns all that came back, a message on each line.
func (f *File) collect(ctx context.Context, era wire.Era, d Door) ([]byte, error) {
	var all bytes.Buffer
	got := func(message []byte) ([]byte, error) {
		var line bytes.Buffer
		if err := json.Compact(&line, message); err != nil {
			return nil, fmt.Errorf("no JSON came back: %.300q", message)
		}
		if f.Upstream.Instructions != "" || !answered([]byte(opening), message) { // what all dialogues start with is compared once
			fmt.Fprintf(&all, "%s\n", line.Bytes())
		}
		return f.reply(message)
	}
	ask := f.ask
	if era == wire.Legacy {
		ask = append([][]byte{
			[]byte(opening), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}, ask...)
	}
	for _, message := range ask {
		body, h, err := cases.Dress(message, era, "")
		if err != nil { // no JSON: it goes as it is
			_, h, _ = cases.Dress([]byte(`{"method":"none"}`), era, "")
			body = message
		}
		if err := d.Send(ctx, body, h, got); err != nil {
			return nil, fmt.Errorf("%.200s: %w", message, err)
		}
	}
	return all.Bytes(), nil
}

// reply is what the client answers to a request of the server's; nil for anything else.
func (f *File) reply(message []byte) ([]byte, error) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(message, &m); err != nil || m.Method == "" || m.ID == nil {
		return nil, nil
	}
	result, ok := f.replies[m.Method]
	if !ok {
		return nil, fmt.Errorf("the server asks for %s, and replies.jsonl has no answer", m.Method)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result), nil
}

// answered tells whether a message is the answer to a request: the same id, or none in an error about a message that
// could not be read.
func answered(request, message []byte) bool {
	var asked, m struct {
		ID            json.RawMessage
		Method        string
		Result, Error json.RawMessage
	}
	if json.Unmarshal(message, &m) != nil || m.Method != "" || m.Result == nil && m.Error == nil {
		return false
	}
	if json.Unmarshal(request, &asked) != nil || asked.ID == nil {
		return true
	}
	return bytes.Equal(asked.ID, m.ID) || m.Error != nil && (m.ID == nil || string(m.ID) == "null")
}

// expectsAnswer is false for notifications and responses.
func expectsAnswer(message []byte) bool {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(message, &m) != nil {
		return true
	}
	return m.ID != nil && m.Method != "" || m.Method == "tools/call"
}
