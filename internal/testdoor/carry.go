package testdoor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// RoundTrip takes a request on the search route and carries the decision out. It is an http.RoundTripper, so that a
// client of any kind can be put in front of it.
func (d *Door) RoundTrip(hr *http.Request) (*http.Response, error) {
	req, err := requestOf(hr)
	if err != nil {
		return nil, err
	}
	decision := d.Decide(hr.Context(), req)
	defer decision.Done()
	if decision.Kind == sidecar.Answer {
		return answer(hr, decision.Status, decision.Header.Clone(), decision.Body), nil
	}
	resp, err := d.carry(hr.Context(), req, &decision)
	if err != nil {
		return nil, err
	}
	for name, values := range d.Engine.AnswerHeader(&decision, req, resp.StatusCode, resp.Header) {
		resp.Header[name] = values
	}
	if d.Engine.EditsBody(&decision, resp.StatusCode, resp.Header) {
		err = d.edit(hr.Context(), &decision, resp)
	}
	return resp, err
}

func requestOf(hr *http.Request) (sidecar.Request, error) {
	req := sidecar.Request{Method: hr.Method, Path: hr.URL.RequestURI(), Authority: hr.Host, Scheme: hr.URL.Scheme, Header: hr.Header.Clone()}
	if req.Authority == "" {
		req.Authority = hr.URL.Host
	}
	if hr.Body == nil {
		return req, nil
	}
	body, err := io.ReadAll(hr.Body)
	req.Body = body
	return req, errors.Join(err, hr.Body.Close())
}

func answer(hr *http.Request, status int, h http.Header, body []byte) *http.Response {
	return &http.Response{Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: hr}
}

// carry sends the request on with the decision's edits.
func (d *Door) carry(ctx context.Context, req sidecar.Request, decision *sidecar.Decision) (*http.Response, error) {
	path, body := decision.Path, decision.NewBody
	if path == "" {
		path = req.Path
	}
	if body == nil {
		body = req.Body
	}
	out, err := http.NewRequestWithContext(ctx, req.Method, d.Upstream.Origin()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header, out.Host = req.Header.Clone(), req.Authority
	for _, name := range decision.RemoveHeader {
		delete(out.Header, name)
	}
	for name, values := range decision.SetHeader {
		out.Header[name] = values
	}
	return d.transport.RoundTrip(out)
}

// edit changes an answer's body as the engine wants it: JSON of bounded size as a whole, the events of a stream up to
// the answer.
func (d *Door) edit(ctx context.Context, decision *sidecar.Decision, resp *http.Response) error {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch mediaType {
	case "application/json":
		return d.editJSON(ctx, decision, resp)
	case "text/event-stream":
		resp.Body = d.editStream(ctx, decision, resp.Body)
		resp.ContentLength = -1
	}
	return nil
}

func (d *Door) editJSON(ctx context.Context, decision *sidecar.Decision, resp *http.Response) error {
	head, err := io.ReadAll(io.LimitReader(resp.Body, int64(d.editBytes)+1))
	if err != nil {
		return err
	}
	rest := io.MultiReader(bytes.NewReader(head), resp.Body)
	if len(head) <= d.editBytes {
		if out, ok := d.Engine.EditAnswer(ctx, decision, head); ok {
			rest, resp.ContentLength = bytes.NewReader(out), int64(len(out))
			resp.Header.Set("Content-Length", strconv.Itoa(len(out)))
		}
	}
	resp.Body = body{rest, resp.Body}
	return nil
}

type body struct {
	io.Reader
	io.Closer
}

// editStream passes a stream on event by event; once the answer was seen, as it comes.
func (d *Door) editStream(ctx context.Context, decision *sidecar.Decision, upstream io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	go func() { // ends with the upstream's stream, which ends when the reader closes it
		events := wire.NewEventReader(upstream, 1<<20)
		for {
			ev, err := events.Next()
			if err != nil {
				in.CloseWithError(err)
				return
			}
			raw := ev.Raw
			if edited, ok := d.Engine.EditAnswer(ctx, decision, ev.Data); ok {
				raw = ev.WithData(edited)
			}
			if _, err := in.Write(raw); err != nil {
				return
			}
		}
	}()
	return body{out, closers{upstream, out}}
}

type closers []io.Closer

func (c closers) Close() error {
	var all error
	for _, one := range c {
		all = errors.Join(all, one.Close())
	}
	return all
}
