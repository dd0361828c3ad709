package tlsfiles

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Set are all files of a program, looked at together. It is safe for concurrent use.
type Set struct {
	log  *slog.Logger
	seen Observer

	looking sync.Mutex // files are looked at by one at a time
	mu      sync.Mutex
	files   map[*Files]struct{}
}

// NewSet returns a set without files.
func NewSet(log *slog.Logger, seen Observer) *Set {
	return &Set{log: log, seen: seen, files: map[*Files]struct{}{}}
}

// Add has files looked at from now on. remove ends that, and may be called more than once.
func (s *Set) Add(f *Files) (remove func()) {
	s.looking.Lock()
	f.report(s.seen)
	f.remind(s.log)
	s.looking.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f] = struct{}{}
	return func() { s.remove(f) }
}

func (s *Set) remove(f *Files) {
	s.mu.Lock()
	_, there := s.files[f]
	delete(s.files, f)
	same := false
	for other := range s.files { // a server that was replaced by one of its name
		same = same || other.o.Role == f.o.Role && other.o.Server == f.o.Server
	}
	s.mu.Unlock()
	if there && !same {
		s.seen.CertificateGone(f.o.Role, f.o.Server)
	}
}

// Look looks at all files once.
func (s *Set) Look() {
	s.looking.Lock()
	defer s.looking.Unlock()
	s.mu.Lock()
	all := make([]*Files, 0, len(s.files))
	for f := range s.files {
		all = append(all, f)
	}
	s.mu.Unlock()
	for _, f := range all {
		f.look(s.log, s.seen)
	}
}

// Watch looks at them every so often until ctx ends.
func (s *Set) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Look()
		}
	}
}
