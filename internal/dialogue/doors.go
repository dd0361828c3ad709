package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/sidecar/wire"
)

// maxMessage bounds one message that comes back.
const maxMessage = 8 << 20

// HTTP is a connection with a streamable-HTTP door.
type HTTP struct {
	// Do sends a request.
	Do func(*http.Request) (*http.Response, error)
	// URL is the search route.
	URL string
	// Authorization is the header of that name; "" for none.
	Authorization string

	session string
}

// Send implements [Door].
func (d *HTTP) Send(ctx context.Context, message []byte, h http.Header, got func([]byte) ([]byte, error)) error {
	resp, err := d.post(ctx, message, h)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		d.session = id
	}
	if resp.StatusCode == http.StatusAccepted {
		if expectsAnswer(message) {
			return fmt.Errorf("answered %s without a message", resp.Status)
		}
		return nil
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch mediaType {
	case "application/json":
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
		if err != nil {
			return err
		}
		_, err = got(body)
		return err
	case "text/event-stream":
		return d.events(ctx, message, h, resp.Body, got)
	}
	return fmt.Errorf("answered %s with %q", resp.Status, mediaType)
}

func (d *HTTP) events(ctx context.Context, message []byte, h http.Header, body io.Reader, got func([]byte) ([]byte, error)) error {
	events := wire.NewEventReader(body, maxMessage)
	for {
		ev, err := events.Next()
		if err != nil {
			return fmt.Errorf("the stream ended without an answer: %w", err)
		}
		if len(bytes.TrimSpace(ev.Data)) == 0 {
			continue
		}
		reply, err := got(ev.Data)
		if err != nil {
			return err
		}
		if reply != nil {
			resp, err := d.post(ctx, reply, h)
			if err != nil {
				return err
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusAccepted {
				return fmt.Errorf("the client's response was answered %s", resp.Status)
			}
		}
		if answered(message, ev.Data) {
			return nil
		}
	}
}

func (d *HTTP) post(ctx context.Context, message []byte, h http.Header) (*http.Response, error) {
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	hr.Header = h.Clone()
	if d.Authorization != "" {
		hr.Header.Set("Authorization", d.Authorization)
	}
	if d.session != "" {
		hr.Header.Set("Mcp-Session-Id", d.session)
	}
	return d.Do(hr)
}

// Pipe is a connection with a stdio door: one message on each line.
type Pipe struct {
	in  io.Writer
	out *bufio.Reader
}

// NewPipe takes the door's standard input and output.
func NewPipe(in io.Writer, out io.Reader) *Pipe {
	return &Pipe{in: in, out: bufio.NewReaderSize(out, 64<<10)}
}

// Send implements [Door]. The headers are of no use here.
func (d *Pipe) Send(_ context.Context, message []byte, _ http.Header, got func([]byte) ([]byte, error)) error {
	if err := d.line(message); err != nil || !expectsAnswer(message) {
		return err
	}
	for {
		line, err := d.out.ReadBytes('\n')
		if err != nil {
			return errors.Join(errors.New("the door ended without an answer"), err)
		}
		reply, err := got(line)
		if err != nil {
			return err
		}
		if reply != nil {
			if err := d.line(reply); err != nil {
				return err
			}
		}
		if answered(message, line) {
			return nil
		}
	}
}

func (d *Pipe) line(message []byte) error {
	_, err := d.in.Write(append(bytes.Clone(message), '\n'))
	return err
}

// End ends the session, when there is one.
func (d *HTTP) End() error {
	if d.session == "" {
		return nil
	}
	hr, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, d.URL, nil)
	if err != nil {
		return err
	}
	hr.Header.Set("Mcp-Session-Id", d.session)
	hr.Header.Set("Mcp-Protocol-Version", cases.LegacyVersion)
	if d.Authorization != "" {
		hr.Header.Set("Authorization", d.Authorization)
	}
	resp, err := d.Do(hr)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
