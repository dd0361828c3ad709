package differential

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-toolsearch/sidecar/wire"
)

// Reading is what a reader understands of one message. Its values are canonical, so that two are equal when they mean
// the same.
type Reading struct {
	Kind      string `json:"kind"` // "request", "notification", "response"
	Method    string `json:"method"`
	ID        string `json:"id"`   // canonical; "" absent
	Name      string `json:"name"` // params.name when it is a string
	Arguments string `json:"arguments"`
}

// Reader reads the messages of a body: one, or those of a batch. It is an error when it refuses them.
type Reader func(body []byte) ([]Reading, error)

var errRefused = errors.New("refused")

// Strict is our own reader.
func Strict(body []byte) ([]Reading, error) {
	m, fault := wire.Scan(body, wire.Limits{Bytes: 64 << 20})
	if fault != nil {
		return nil, fault
	}
	all := m.Elements
	if m.Kind != wire.Batch {
		all = []wire.Message{*m}
	}
	var out []Reading
	for i := range all {
		r, err := strictly(&all[i])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func strictly(m *wire.Message) (Reading, error) {
	id, err := Canonical(m.ID)
	if err != nil {
		return Reading{}, err
	}
	if m.Kind == wire.Response { // what else it holds means nothing to anybody
		return Reading{Kind: "response", ID: id}, nil
	}
	arguments, err := Canonical(m.Arguments.In(m.Body))
	kind := map[wire.Kind]string{wire.Request: "request", wire.Notification: "notification"}[m.Kind]
	return Reading{kind, m.Method, id, m.Name, arguments}, err
}

// GoSDK reads as a go-sdk server does: its decoder, then its parameters of a call.
func GoSDK(body []byte) ([]Reading, error) {
	return each(body, func(raw []byte) (Reading, error) {
		decoded, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return Reading{}, err
		}
		switch d := decoded.(type) {
		case *jsonrpc.Response:
			id, err := idOf(d.ID)
			return Reading{Kind: "response", ID: id}, err
		case *jsonrpc.Request:
			id, err := idOf(d.ID)
			if err != nil {
				return Reading{}, err
			}
			r := Reading{Kind: "notification", Method: d.Method, ID: id}
			if d.ID.IsValid() {
				r.Kind = "request"
			}
			return withParams(r, d.Params)
		}
		return Reading{}, errRefused
	})
}

func idOf(id jsonrpc.ID) (string, error) {
	raw, err := json.Marshal(id.Raw())
	if err != nil {
		return "", err
	}
	return Canonical(raw)
}

// Lax reads as encoding/json does, which takes keys of any case and the last of several.
func Lax(body []byte) ([]Reading, error) {
	return each(body, func(raw []byte) (Reading, error) {
		var m struct {
			JSONRPC       string
			ID            json.RawMessage
			Method        string
			Params        json.RawMessage
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return Reading{}, err
		}
		id, err := Canonical(m.ID)
		if err != nil {
			return Reading{}, err
		}
		r := Reading{Kind: "request", Method: m.Method, ID: id}
		switch {
		case m.Method == "":
			r.Kind = "response"
			return r, nil
		case id == "":
			r.Kind = "notification"
		}
		return withParams(r, m.Params)
	})
}

// withParams reads name and arguments with encoding/json, as servers of both Go readers do. A name of another type is
// none.
func withParams(r Reading, params []byte) (Reading, error) {
	var p struct{ Name, Arguments json.RawMessage }
	if len(params) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return r, err
	}
	if bytes.HasPrefix(p.Name, []byte{'"'}) {
		if err := json.Unmarshal(p.Name, &r.Name); err != nil {
			return r, err
		}
	}
	var err error
	r.Arguments, err = Canonical(p.Arguments)
	return r, err
}

func each(body []byte, read func(raw []byte) (Reading, error)) ([]Reading, error) {
	all := []json.RawMessage{body}
	if strings.HasPrefix(strings.TrimLeft(string(body[:min(len(body), 64)]), " \t\r\n"), "[") {
		all = nil // encoding/json would write into the body
		if err := json.Unmarshal(body, &all); err != nil {
			return nil, err
		}
	}
	var out []Reading
	for _, raw := range all {
		r, err := read(raw)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
