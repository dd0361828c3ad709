package extproc_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"mcp-toolsearch/extproc"
)

var update = flag.Bool("update", false, "write the door's side of the dialogues anew")

// TestTheDoorAnswersEnvoyAsWritten plays the dialogues of testdata: ">" is Envoy, "<" the door. The edit limit is 100
// bytes there, the body limit 200.
func TestTheDoorAnswersEnvoyAsWritten(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no dialogues", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := txtar.Format(archive)
			for i := 0; i+1 < len(archive.Files); i += 2 {
				engine, dialogue := &archive.Files[i], &archive.Files[i+1]
				t.Run(strings.TrimPrefix(dialogue.Name, "dialogue "), func(t *testing.T) {
					dialogue.Data = []byte(play(t, string(engine.Data), string(dialogue.Data)))
				})
			}
			got := txtar.Format(archive)
			if *update && !bytes.Equal(got, want) {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the dialogue went differently (-written +played); go test -update writes it anew\n%s", diff)
			}
		})
	}
}

// play plays Envoy's lines and returns the whole dialogue.
func play(t *testing.T, engine, dialogue string) string {
	t.Helper()
	d := newDoor(t, extproc.Options{Engine: decisionOf(t, engine), EditBytes: 100, BodyBytes: 200, Patience: patient})
	p := d.open()
	var out strings.Builder
	over := false
	for row := range strings.Lines(dialogue) {
		row = strings.TrimSuffix(row, "\n")
		if !strings.HasPrefix(row, "> ") {
			continue
		}
		out.WriteString(row + "\n")
		if over {
			t.Fatalf("%s: the stream has ended before", row)
		}
		var said []string
		if row == "> close" {
			if err := p.stream.CloseSend(); err != nil {
				t.Fatal(err)
			}
			over = true
		} else {
			answers, ended := p.send(parseLine(strings.TrimPrefix(row, "> ")).message(t))
			for _, a := range answers {
				said = append(said, describe(a)...)
			}
			over = ended
		}
		if over {
			said = append(said, describeEnd(p.end()))
		}
		if len(said) == 0 {
			said = []string{"nothing"}
		}
		for _, s := range said {
			out.WriteString("< " + s + "\n")
		}
	}
	return out.String()
}
