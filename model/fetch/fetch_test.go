package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAllFilesArrive(t *testing.T) {
	files := map[string][]byte{"config.json": []byte("{}"), "tokenizer.json": []byte(`{"a":1}`), tableName: table()}
	server := httptest.NewServer(&mirror{t: t, files: files})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var finished []string
	o := atOnce()
	last := map[string]int64{}
	o.Progress = func(p Progress) {
		if p.Done < last[p.File] || p.Done > p.Total {
			t.Errorf("%s went from %d to %d of %d", p.File, last[p.File], p.Done, p.Total)
		}
		last[p.File] = p.Done
		if p.Finished {
			finished = append(finished, p.File)
		}
	}
	if err := Download(t.Context(), dir, source(server.URL, files), o); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		requireFile(t, filepath.Join(dir, name), data)
	}
	if want := []string{"config.json", tableName, "tokenizer.json"}; !slices.Equal(finished, want) {
		t.Errorf("finished %v, want %v", finished, want)
	}
}

func TestFilesThatAreThereAreKept(t *testing.T) {
	m, src := serve(t)
	dir := t.TempDir()
	for range 2 {
		if err := Download(t.Context(), dir, src, atOnce()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.asked()); n != 1 {
		t.Errorf("%d requests for a file that was there", n)
	}
}

func TestACutDownloadGoesOnWhereItStopped(t *testing.T) {
	m, src := serve(t, cutAfter(1000), cutAfter(500), status(http.StatusServiceUnavailable), cutAfter(0))
	dir := t.TempDir()
	if err := Download(t.Context(), dir, src, atOnce()); err != nil {
		t.Fatal(err)
	}
	requireFile(t, filepath.Join(dir, tableName), m.files[tableName])
	if got, want := m.asked(), []string{"", "bytes=1000-", "bytes=1500-", "bytes=1500-", "bytes=1500-"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestTheNextRunGoesOnWhereThisOneStopped(t *testing.T) {
	m, src := serve(t, cutAfter(700), status(500), status(500), status(500))
	dir := t.TempDir()
	if err := Download(t.Context(), dir, src, atOnce()); err == nil {
		t.Fatal("no error from a server that failed four times")
	}
	if err := Download(t.Context(), dir, src, atOnce()); err != nil {
		t.Fatal(err)
	}
	requireFile(t, filepath.Join(dir, tableName), m.files[tableName])
	if asked := m.asked(); asked[len(asked)-1] != "bytes=700-" {
		t.Errorf("the next run asked for %q", asked[len(asked)-1])
	}
}

func TestAServerWithoutRangesSendsAllAgain(t *testing.T) {
	whole := func(w http.ResponseWriter, _ *http.Request, data []byte) { _, _ = w.Write(data) }
	m, src := serve(t, cutAfter(1000), whole)
	dir := t.TempDir()
	if err := Download(t.Context(), dir, src, atOnce()); err != nil {
		t.Fatal(err)
	}
	requireFile(t, filepath.Join(dir, tableName), m.files[tableName])
}

func TestPartsOfAnotherFileAreFetchedAnew(t *testing.T) {
	for name, left := range map[string][]byte{
		"shorter": []byte("something else"), "as long": make([]byte, 1<<20), "longer": make([]byte, 1<<20+5),
	} {
		t.Run(name, func(t *testing.T) {
			m, src := serve(t)
			dir := t.TempDir()
			file := filepath.Join(dir, tableName)
			if err := os.WriteFile(file+partEnding, left, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Download(t.Context(), dir, src, atOnce()); err != nil {
				t.Fatal(err)
			}
			requireFile(t, file, m.files[tableName])
		})
	}
}

func TestAWrongFileNeverGetsItsName(t *testing.T) {
	wrong := func(w http.ResponseWriter, _ *http.Request, data []byte) { _, _ = w.Write(make([]byte, len(data))) }
	m, src := serve(t, wrong)
	dir := t.TempDir()
	err := Download(t.Context(), dir, src, atOnce())
	if err == nil || !strings.Contains(err.Error(), "digest") {
		t.Fatalf("error %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
	if n := len(m.asked()); n != 1 {
		t.Errorf("a wrong file was fetched %d times", n)
	}
}

func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request, _ []byte) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}
	_, src := serve(t, endless)
	dir := t.TempDir()
	o := atOnce()
	o.Progress = func(p Progress) {
		if p.Done > p.Total {
			t.Errorf("%d of %d bytes were written", p.Done, p.Total)
		}
	}
	if err := Download(t.Context(), dir, src, o); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("error %v", err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	shorter := func(w http.ResponseWriter, _ *http.Request, data []byte) { _, _ = w.Write(data[:100]) }
	otherRange := func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Range", "bytes 0-9/10")
		w.WriteHeader(http.StatusPartialContent)
	}
	for name, tt := range map[string]struct {
		faults []func(http.ResponseWriter, *http.Request, []byte)
		want   []string
	}{
		"not there":     {[]func(http.ResponseWriter, *http.Request, []byte){status(404)}, []string{"--model-url", "folder"}},
		"locked":        {[]func(http.ResponseWriter, *http.Request, []byte){status(403)}, []string{"403", "--model-url"}},
		"another size":  {[]func(http.ResponseWriter, *http.Request, []byte){shorter}, []string{"100 bytes", "another mirror"}},
		"another range": {[]func(http.ResponseWriter, *http.Request, []byte){cutAfter(10), otherRange}, []string{"range", "delete"}},
		"no such range": {[]func(http.ResponseWriter, *http.Request, []byte){cutAfter(10), status(416)}, []string{"another file"}},
		"down":          {[]func(http.ResponseWriter, *http.Request, []byte){status(502), status(502), status(502)}, []string{"tried 3 times", "HTTPS_PROXY", "--model-url"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, src := serve(t, tt.faults...)
			err := Download(t.Context(), t.TempDir(), src, atOnce())
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(tt.want, tableName) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q doesn't say %q", err, want)
				}
			}
		})
	}
	t.Run("no network", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		err := Download(t.Context(), t.TempDir(), source(server.URL, map[string][]byte{tableName: {1}}), atOnce())
		if err == nil || !strings.Contains(err.Error(), "check the network") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no folder", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Download(t.Context(), filepath.Join(file, "below"), Source{URL: "http://mirror.example"}, atOnce())
		if err == nil || !strings.Contains(err.Error(), "choose a folder") {
			t.Errorf("error %v", err)
		}
	})
}

// transport answers without a network, so that time can be faked.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// silent gives some bytes and then nothing until the request ends.
type silent struct {
	ctx  context.Context
	give io.Reader
}

func (s silent) Read(p []byte) (int, error) {
	if n, err := s.give.Read(p); n > 0 {
		return n, err
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s silent) Close() error { return nil }

func TestASilentServerIsAskedAgain(t *testing.T) {
	dir, data := t.TempDir(), table()
	synctest.Test(t, func(t *testing.T) {
		requests, start := 0, time.Now()
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			requests++
			if requests == 1 {
				return &http.Response{StatusCode: 200, ContentLength: -1, Body: silent{r.Context(), bytes.NewReader(data[:100])}}, nil
			}
			h := http.Header{"Content-Range": {fmt.Sprintf("bytes 100-%d/%d", len(data)-1, len(data))}}
			return &http.Response{StatusCode: 206, Header: h, Body: io.NopCloser(bytes.NewReader(data[100:]))}, nil
		})}
		err := Download(t.Context(), dir, source("http://mirror", map[string][]byte{tableName: data}), Options{Client: client})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); requests != 2 || took != 31*time.Second {
			t.Errorf("%d requests in %s, want two in 31 s: thirty of silence, one of waiting", requests, took)
		}
	})
	requireFile(t, filepath.Join(dir, tableName), data)
}

func TestAServerThatGivesNothingIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		err := Download(t.Context(), dir, source("http://mirror", map[string][]byte{tableName: {1}}), Options{Client: client})
		if !errors.Is(err, errSilence) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 5*30*time.Second+(1+2+4+8)*time.Second {
			t.Errorf("given up after %s", took)
		}
	})
}

func TestTheContextEndsADownload(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Body: silent{r.Context(), strings.NewReader("abc")}}, nil
		})}
		err := Download(ctx, dir, source("http://mirror", map[string][]byte{tableName: table()}), Options{Client: client})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "goes on where it stopped") {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("stopped after %s", took)
		}
	})
}

func TestTheLargeModelIsPinned(t *testing.T) {
	src := Large("")
	if src.URL != LargeURL || len(src.Files) != 3 || src.Size() != 512_361_560+18_616_131+271 {
		t.Errorf("the source is %+v", src)
	}
	for _, f := range src.Files {
		if digest, err := hex.DecodeString(f.SHA256); err != nil || len(digest) != sha256.Size {
			t.Errorf("%s has the digest %q", f.Name, f.SHA256)
		}
	}
	if got := Large("http://mirror/files").URL; got != "http://mirror/files" {
		t.Errorf("a mirror's URL became %s", got)
	}
}

func TestOnlyWebAddressesAreFetched(t *testing.T) {
	for _, address := range []string{"file:///etc", "ftp://mirror.example/x", "/models", "http://", ""} {
		dir := t.TempDir()
		err := Download(t.Context(), filepath.Join(dir, "model"), Source{URL: address, Files: []File{{Name: "config.json"}}}, Options{})
		if err == nil || !strings.Contains(err.Error(), "http or https") {
			t.Errorf("%q: %v", address, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "model")); err == nil {
			t.Errorf("%q left a folder behind", address)
		}
	}
}
