package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// finalError is a failure that asking again doesn't mend.
type finalError struct{ error }

var errSilence = errors.New("the server says nothing")

// ask sends one request for what is missing after an offset and writes what arrives. An error after some bytes is no
// harm: they count.
func (d *download) ask(ctx context.Context, part *os.File, offset int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(d.Silence, func() { cancel(fmt.Errorf("%w for %s", errSilence, d.Silence)) })
	defer silence.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return finalError{fmt.Errorf("%q is not a URL: give the folder's, like %s", d.url, LargeURL)}
	}
	req.Header.Set("User-Agent", "mcp-toolsearch")
	req.Header.Set("Accept-Encoding", "identity") // sizes and ranges are of the file
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return whySilent(ctx, err)
	}
	defer resp.Body.Close()
	start, err := d.start(resp, offset)
	if err != nil {
		return err
	}
	if start == 0 && offset > 0 {
		if err := part.Truncate(0); err != nil {
			return finalError{err}
		}
	}
	if _, err := part.Seek(start, io.SeekStart); err != nil {
		return finalError{err}
	}
	return d.copy(ctx, part, resp.Body, start, silence)
}

// start is where in the file the answer's body begins.
func (d *download) start(resp *http.Response, offset int64) (int64, error) {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		if resp.ContentLength >= 0 && resp.ContentLength != d.Size {
			return 0, finalError{fmt.Errorf("%s has %d bytes, not %d, so it is another file: check the address, or use another mirror of the same revision",
				d.url, resp.ContentLength, d.Size)}
		}
		return 0, nil
	case code == http.StatusPartialContent && offset > 0:
		if want := fmt.Sprintf("bytes %d-%d/%d", offset, d.Size-1, d.Size); resp.Header.Get("Content-Range") != want {
			return 0, finalError{fmt.Errorf("%s answered with the range %q, not %q: delete %s and run the command again, or use another mirror",
				d.url, resp.Header.Get("Content-Range"), want, d.path+partEnding)}
		}
		return offset, nil
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500:
		return 0, fmt.Errorf("%s answered %s", d.url, resp.Status)
	case code == http.StatusRequestedRangeNotSatisfiable:
		return 0, finalError{fmt.Errorf("%s has less than %d bytes, so it is another file: check the address, or use another mirror of the same revision", d.url, offset)}
	case code == http.StatusNotFound:
		return 0, finalError{fmt.Errorf("%s is not there (404): --model-url must be the address of the folder that holds the files, like %s", d.url, LargeURL)}
	default:
		return 0, finalError{fmt.Errorf("%s answered %s: can it be read without logging in, and from this network? Another mirror is named with --model-url", d.url, resp.Status)}
	}
}

// copy writes what arrives, at most what is missing.
func (d *download) copy(ctx context.Context, part *os.File, body io.Reader, done int64, silence *time.Timer) error {
	buffer := make([]byte, 256<<10)
	for done < d.Size {
		n, err := body.Read(buffer)
		silence.Reset(d.Silence)
		n = int(min(int64(n), d.Size-done))
		if _, err := part.Write(buffer[:n]); err != nil {
			return finalError{fmt.Errorf("%w: free %d bytes and run the command again, it goes on where it stopped", err, d.Size-done)}
		}
		if done += int64(n); n > 0 {
			d.Progress(Progress{File: d.Name, Done: done, Total: d.Size})
		}
		if err != nil && done < d.Size {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return whySilent(ctx, err)
		}
	}
	return nil
}

// whySilent prefers the reason of our own that a request was ended for, and leaves out the address, which the client
// puts in front of every error.
func whySilent(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var withAddress *url.Error
	if errors.As(err, &withAddress) {
		return withAddress.Err
	}
	return err
}
