package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// File is an mcpServers file that may change.
type File struct {
	path   string
	getenv func(string) (string, bool)
	check  func([]Server) error
	last   []byte // the content that was judged last
	told   string // what it was last told that it can't be read
}

// Open reads a file. check judges the list as a whole, now and after each
// change; nil judges nothing. The error says what is wrong and where.
func Open(path string, getenv func(string) (string, bool), check func([]Server) error) (*File, []Server, error) {
	f := &File{path: path, getenv: getenv, check: check}
	data, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	list, err := f.parse(data)
	if err != nil {
		return nil, nil, err
	}
	f.last = data
	return f, list, nil
}

func (f *File) parse(data []byte) ([]Server, error) {
	list, err := Parse(data, f.path, f.getenv)
	if err == nil && f.check != nil {
		if err = f.check(list); err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return list, err
}

// Watcher hears about a file that changed.
type Watcher interface {
	// Changed is called with the servers of a changed file.
	Changed(list []Server)
	// Refused is called once for each content that can't be used, and when the
	// file can't be read any more; the servers from before stay.
	Refused(err error)
}

// Watch looks every so often whether the file has other content, and at once
// when something comes from now, until ctx ends. Content is compared and not
// times, because a mounted ConfigMap changes by a link. Only one goroutine may
// watch a File; now may be nil.
func (f *File) Watch(ctx context.Context, every time.Duration, now <-chan struct{}, w Watcher) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-now:
		}
		f.look(w)
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
	list, err := f.parse(data)
	if err != nil {
		w.Refused(err)
		return
	}
	w.Changed(list)
}

// maxFile is how large a file of servers may be, in bytes.
const maxFile = 16 << 20

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes: name a file of servers", path, maxFile)
	}
	return data, err
}
