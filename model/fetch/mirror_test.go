package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const tableName = "model.safetensors"

// table is a file larger than one read.
func table() []byte {
	data := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{1})
	random.Read(data)
	return data
}

func source(url string, files map[string][]byte) Source {
	s := Source{URL: url}
	for name, data := range files {
		sum := sha256.Sum256(data)
		s.Files = append(s.Files, File{Name: name, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// mirror is a folder on the web. Its faults are per request, the first first; after them it answers well.
type mirror struct {
	t      *testing.T
	files  map[string][]byte
	faults []func(w http.ResponseWriter, r *http.Request, data []byte)

	mu     sync.Mutex
	ranges []string // of each request
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, found := m.files[filepath.Base(r.URL.Path)]
	m.mu.Lock()
	n := len(m.ranges)
	m.ranges = append(m.ranges, r.Header.Get("Range"))
	m.mu.Unlock()
	switch {
	case !found:
		http.NotFound(w, r)
	case n < len(m.faults) && m.faults[n] != nil:
		m.faults[n](w, r, data)
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

func (m *mirror) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ranges)
}

// serve starts a mirror of the table with faults.
func serve(t *testing.T, faults ...func(http.ResponseWriter, *http.Request, []byte)) (*mirror, Source) {
	t.Helper()
	m := &mirror{t: t, files: map[string][]byte{tableName: table()}, faults: faults}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, source(server.URL+"/large", m.files)
}

// cutAfter sends the right headers and the first bytes of what was asked for, then hangs up.
func cutAfter(n int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, data []byte) {
		start := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(data)-1, len(data)))
			w.Header().Set("Content-Length", fmt.Sprint(len(data)-start))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		}
		_, _ = w.Write(data[start : start+n])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func status(code int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(code) }
}

// atOnce makes the pauses between tries short.
func atOnce() Options {
	return Options{Tries: 3, Wait: func(int) time.Duration { return 0 }}
}

func requireFile(t *testing.T, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s has other bytes than the mirror's", name)
	}
	if _, err := os.Stat(name + partEnding); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the part of %s was left behind: %v", name, err)
	}
}
