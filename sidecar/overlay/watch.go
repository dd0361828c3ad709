package overlay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// File is an overlay file that may change.
type File struct {
	path string
	last []byte // the content that was judged last
	told string // what it was last told that it can't be read
}

// Open reads a file. The error says what is wrong with it and where.
func Open(path string) (*File, *Overlay, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	o, err := Parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{path: path, last: data}, o, nil
}

// Watcher hears about a file that changed.
type Watcher interface {
	// Changed is called with what a changed file says now.
	Changed(o *Overlay)
	// Refused is called once for each content that can't be used, and when the
	// file can't be read any more; what was said before stays.
	Refused(err error)
}

// Watch looks every so often whether the file has other content, until ctx
// ends. Content is compared and not times, because a mounted ConfigMap changes
// by a link. Only one goroutine may watch a File.
func (f *File) Watch(ctx context.Context, every time.Duration, w Watcher) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.look(w)
		}
	}
}

func (f *File) look(w Watcher) {
	data, err := readFile(f.path)
	if err != nil {
		if f.told != err.Error() {
			w.Refused(err)
		}
		f.told = err.Error()
		return
	}
	f.told = ""
	if bytes.Equal(data, f.last) {
		return
	}
	f.last = data
	o, err := Parse(data)
	if err != nil {
		w.Refused(fmt.Errorf("%s: %w", f.path, err))
		return
	}
	w.Changed(o)
}

// maxFile is how large an overlay may be, in bytes.
const maxFile = 16 << 20

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes: name an overlay", path, maxFile)
	}
	return data, err
}
