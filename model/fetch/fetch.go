package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Options are how to fetch; the zero value is good.
type Options struct {
	Client   *http.Client              // nil: http.DefaultClient
	Progress func(Progress)            // called after each piece that arrived, and once at the end of a file; nil: not
	Silence  time.Duration             // a connection is given up that says nothing for so long; 0: 30 s
	Tries    int                       // failures in a row, nothing arriving between them, that end the download; 0: 5
	Wait     func(n int) time.Duration // how long to wait after n such failures; nil: 1, 2, 4 … 30 s
}

// Progress is how far a file is.
type Progress struct {
	File        string
	Done, Total int64 // bytes
	Finished    bool  // it has its name
	Kept        bool  // it was there already
}

// partEnding is the ending of a file that isn't complete.
const partEnding = ".part"

// Download fetches a model's files into a folder, which is made when it isn't there. Files that are there and right are
// kept.
func Download(ctx context.Context, dir string, src Source, o Options) error {
	u, err := url.Parse(src.URL)
	if err != nil {
		return fmt.Errorf("the address %q is not a URL: give the folder's, like %s", src.URL, LargeURL)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the address %q is not one of http or https: give the folder's, like %s", src.URL, LargeURL)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%w: choose a folder that can be written", err)
	}
	for _, f := range src.Files {
		d := download{File: f, Options: o.filled(), url: u.JoinPath(f.Name).String(), path: filepath.Join(dir, f.Name)}
		if err := d.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) filled() Options {
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Silence == 0 {
		o.Silence = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 5
	}
	if o.Wait == nil {
		o.Wait = func(n int) time.Duration { return min(time.Second<<(n-1), 30*time.Second) }
	}
	return o
}

// download is one file on its way.
type download struct {
	File
	Options
	url, path string
}

func (d *download) run(ctx context.Context) error {
	if digest, size, err := digestOf(d.path); err == nil && size == d.Size && digest == d.SHA256 {
		d.Progress(Progress{File: d.Name, Done: d.Size, Total: d.Size, Finished: true, Kept: true})
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: is it a file that can be read?", err)
	}
	part, err := os.OpenFile(d.path+partEnding, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("%w: choose a folder that can be written", err)
	}
	defer part.Close()
	had, err := d.size(part)
	if err != nil {
		return err
	}
	if err := d.fill(ctx, part); err != nil {
		return err
	}
	err = d.finish(part)
	if errors.Is(err, errWrong) && had > 0 {
		// What an earlier run left may have been of another file.
		if err := d.fill(ctx, part); err != nil {
			return err
		}
		err = d.finish(part)
	}
	if errors.Is(err, errWrong) {
		err = errors.Join(err, os.Remove(part.Name()))
	}
	return err
}

var errWrong = errors.New("another file")

// finish checks the complete file and gives it its name. A wrong one is emptied.
func (d *download) finish(part *os.File) error {
	digest, _, err := digestOf(part.Name())
	if err != nil {
		return err
	}
	if digest != d.SHA256 {
		if err := part.Truncate(0); err != nil {
			return err
		}
		return fmt.Errorf("%s: what %s sent has the digest %s, not %s, so it is %w: check the address, or use another mirror of the same revision",
			d.Name, d.url, digest, d.SHA256, errWrong)
	}
	if err := errors.Join(part.Sync(), part.Close(), os.Rename(part.Name(), d.path)); err != nil {
		return fmt.Errorf("%w: the file is complete; run the command again", err)
	}
	d.Progress(Progress{File: d.Name, Done: d.Size, Total: d.Size, Finished: true})
	return nil
}

// fill asks until the file has its size.
func (d *download) fill(ctx context.Context, part *os.File) error {
	for failures := 0; ; {
		before, err := d.size(part)
		if err != nil || before == d.Size {
			return err
		}
		err = d.ask(ctx, part, before)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return d.stopped(ctx)
		}
		var final finalError
		if errors.As(err, &final) {
			return fmt.Errorf("%s: %w", d.Name, final.error)
		}
		after, sizeErr := d.size(part)
		if sizeErr != nil {
			return sizeErr
		}
		if failures++; after > before {
			failures = 0
		}
		if failures >= d.Tries {
			return fmt.Errorf("%s: tried %d times, %d of %d bytes are there: %w: check the network and the proxy (HTTPS_PROXY); run the command again, it goes on where it stopped; or name a mirror (--model-url), or put the files into the folder yourself",
				d.Name, failures, after, d.Size, err)
		}
		if !pause(ctx, d.Wait(max(failures, 1))) {
			return d.stopped(ctx)
		}
	}
}

// size is how much is there; a file that is too large is emptied.
func (d *download) size(part *os.File) (int64, error) {
	n, err := part.Seek(0, io.SeekEnd)
	if err != nil || n <= d.Size {
		return n, err
	}
	return 0, part.Truncate(0)
}

func (d *download) stopped(ctx context.Context) error {
	return fmt.Errorf("%s: stopped: run the command again, it goes on where it stopped: %w", d.Name, context.Cause(ctx))
}

// pause tells whether the time went by without the context ending.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// digestOf hashes a file.
func digestOf(name string) (digest string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
