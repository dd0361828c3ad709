package dialogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// Upstream says what stands behind the door.
type Upstream struct {
	// Features puts a featureserver there in place of the scripted server.
	Features bool
	// SSE, Prime, Stateless and Instructions are those of upstreamtest.Behaviour.
	SSE, Prime, Stateless bool
	Instructions          string
	// Eras are those that are played; both when empty.
	Eras []string
}

// File is one dialogue.
type File struct {
	Path     string
	Upstream Upstream

	archive *txtar.Archive
	tools   []string
	scripts map[string]upstreamtest.Script
	replies map[string]json.RawMessage
	ask     [][]byte
}

// Load reads a dialogue.
func Load(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, archive: txtar.Parse(raw), scripts: map[string]upstreamtest.Script{}, replies: map[string]json.RawMessage{}}
	for _, part := range f.archive.Files {
		if err := f.read(part); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, part.Name, err)
		}
	}
	if len(f.ask) == 0 {
		return nil, fmt.Errorf("%s: nothing is asked", path)
	}
	return f, nil
}

func (f *File) read(part txtar.File) error {
	switch part.Name {
	case "upstream.json":
		return strict(part.Data, &f.Upstream)
	case "tools.jsonl":
		for _, line := range lines(part.Data) {
			f.tools = append(f.tools, string(line))
		}
	case "scripts.jsonl":
		for _, line := range lines(part.Data) {
			var s struct {
				Tool                  string
				Result, Data, Error   json.RawMessage
				Code, Status, Replies int
				Message               string
				Events                []json.RawMessage
			}
			if err := strict(line, &s); err != nil {
				return err
			}
			made := upstreamtest.Script{Result: string(s.Result), Code: s.Code, Message: s.Message, Data: string(s.Data), Error: string(s.Error),
				Status: s.Status, AwaitResponses: s.Replies}
			for _, e := range s.Events {
				made.Events = append(made.Events, string(e))
			}
			f.scripts[s.Tool] = made
		}
	case "replies.jsonl":
		for _, line := range lines(part.Data) {
			var r struct {
				Method string
				Result json.RawMessage
			}
			if err := strict(line, &r); err != nil {
				return err
			}
			f.replies[r.Method] = r.Result
		}
	case "ask.jsonl":
		f.ask = lines(part.Data)
	case "modern.jsonl", "legacy.jsonl":
	default:
		return fmt.Errorf("no such section: doc.go says which there are")
	}
	return nil
}

func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// lines are the lines that say something.
func lines(raw []byte) [][]byte {
	var all [][]byte
	for line := range bytes.Lines(raw) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(all, line)
		}
	}
	return all
}

// Plays tells whether the dialogue has an era.
func (f *File) Plays(era wire.Era) bool {
	return len(f.Upstream.Eras) == 0 || slices.Contains(f.Upstream.Eras, era.String())
}

// Serve starts what stands behind the door. The scripted server carries everything else when Features is set, so that
// its address serves both. It ends with the test.
func (f *File) Serve(t testing.TB, era wire.Era) *upstreamtest.Server {
	up := upstreamtest.New(t, f.tools...)
	if f.Upstream.Features {
		web := httptest.NewServer(featureserver.New(era == wire.Legacy).Handler)
		t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
		up.Redirect(web.URL)
	}
	up.Configure(func(b *upstreamtest.Behaviour) {
		b.SSE, b.Prime, b.Stateless, b.Instructions = f.Upstream.SSE, f.Upstream.Prime, f.Upstream.Stateless, f.Upstream.Instructions
	})
	for tool, script := range f.scripts {
		up.Script(tool, script)
	}
	return up
}

// want are the messages that the file says come back.
func (f *File) want(era wire.Era) []byte {
	for _, part := range f.archive.Files {
		if part.Name == era.String()+".jsonl" {
			return part.Data
		}
	}
	return nil
}

// update writes what came back into the file.
func (f *File) update(era wire.Era, got []byte) error {
	name := era.String() + ".jsonl"
	i := slices.IndexFunc(f.archive.Files, func(part txtar.File) bool { return part.Name == name })
	if i < 0 {
		i = len(f.archive.Files)
		f.archive.Files = append(f.archive.Files, txtar.File{Name: name})
	}
	f.archive.Files[i].Data = got
	return os.WriteFile(f.Path, txtar.Format(f.archive), 0o644)
}

// difference says where two texts of lines differ first; "" when they don't.
func difference(want, got []byte) string {
	a, b := lines(want), lines(got)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("message %d is new: %s", i+1, b[i])
		case i >= len(b):
			return fmt.Sprintf("message %d is missing: %s", i+1, a[i])
		case !bytes.Equal(a[i], b[i]):
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			from := max(0, at-60)
			return fmt.Sprintf("message %d differs at byte %d:\n got …%.300s\nwant …%.300s", i+1, at, b[i][from:], a[i][from:])
		}
	}
	return ""
}
