package e2e

import (
	"errors"
	"fmt"
	"index/suffixarray"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/setup"
)

// wrapper stands in the sidecar's place wherever a test, a client or another program starts it: it adds the most verbose
// log level, and copies what the sidecar writes to stderr into a file of its own, whoever else reads it. The process is
// the sidecar's own from exec on, so that signals and process ids mean what they say; the copier is in a session of its
// own, so that it has written everything when the sidecar was killed. Where flags name an admin listener, its metrics page
// is kept as it was within the last half second: a client or another program that starts the sidecar looks at none.
const wrapper = `#!/usr/bin/env bash
pages() {
  while kill -0 $$ && sleep 0.5; do
    exec 4<>/dev/tcp/"${1%%:*}"/"${1##*:}" || continue
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&4 && timeout 2 cat <&4 >'%[2]s'/.page.$$ && mv '%[2]s'/.page.$$ '%[2]s'/page.own.$$
    exec 4>&-
  done
}
case "${1-serve}" in
serve|stdio|-*)
  for word; do
    case "$before" in --admin-listen) (pages "$word") </dev/null >/dev/null 2>&1 & ;; esac
    before=$word
  done
  exec 3> >(exec setsid tee -p '%[2]s'/log.$$ >&2)
  exec '%[1]s' "$@" --log-level debug 2>&3 3>&- ;;
esac
exec '%[1]s' "$@"
`

// recordedFolder is beside the wrapper.
const recordedFolder = "recorded"

// wrap puts the wrapper at path, before the program real.
func wrap(path, real string) error {
	dir := filepath.Join(filepath.Dir(path), recordedFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, wrapper, real, dir), 0o755)
}

// KeepPages writes the pages of a running sidecar's admin listener (http://host:port) to what was recorded of the program.
// A sidecar that is gone has none.
func KeepPages(program, admin string) {
	for _, page := range []string{"/metrics", "/readyz", "/debug/pprof/goroutine?debug=2"} {
		resp, err := http.Get(admin + page)
		if err != nil {
			return
		}
		text, _ := io.ReadAll(resp.Body) // half a page is looked at too
		_ = resp.Body.Close()
		Keep(program, "page", text)
	}
}

// Keep adds a text to what was recorded of a built program: what a test got hold of in another way than by its log.
func Keep(program, kind string, text []byte) {
	dir := filepath.Join(filepath.Dir(program), recordedFolder)
	f, err := os.CreateTemp(dir, kind+".")
	if err != nil {
		return // not the wrapped program
	}
	_, _ = f.Write(text) // a full disk fails other things first
	_ = f.Close()
}

// Recorded is everything that the sidecars wrote, by file: logs from beginning to end, and the pages that were kept.
func (p *Programs) Recorded() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(p.dir, recordedFolder, "*"))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts, nil
}

// Leaks are the lines of recorded texts in which a value stands that a request or an answer held, or which the log's own
// guard withheld, or which tell of a crash. own is the program's own source: what stands there is its word, not a
// caller's. The log's keys for names of tools are not looked at: their values come from listings.
func Leaks(texts map[string]string, seen *Taints, own string) []string {
	var leaks []string
	never := regexp.MustCompile(`(?i)` + Mark + `|undefined=withheld|[a-z_]+=withheld|"withheld"`)
	crash := regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address)`)
	values := seen.values(own)
	names := regexp.MustCompile(`\b(tool|name|listed_as)=(?:"[^"]*"|\S*)|"(tool|name|listed_as)":"[^"]*"`)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := names.ReplaceAllString(texts[name], "$1$2=(a name)")
		report := func(at int, why string) {
			leaks = append(leaks, fmt.Sprintf("%s: %s: %.400s", name, why, lineAt(text, at)))
		}
		for _, at := range never.FindAllStringIndex(texts[name], 5) { // in names too: no listing has the mark
			leaks = append(leaks, fmt.Sprintf("%s: a marked or withheld value: %.400s", name, lineAt(texts[name], at[0])))
		}
		if at := crash.FindStringIndex(text); at != nil && !strings.HasPrefix(name, "dump.") && !strings.HasPrefix(name, "page.") {
			report(at[0], "a crash")
		}
		index := suffixarray.New([]byte(text))
		for _, value := range values {
			if at := index.Lookup([]byte(value), 1); len(at) > 0 {
				report(at[0], fmt.Sprintf("%q, which a request or an answer held", value))
			}
		}
	}
	return leaks
}

func lineAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// ownSource is the text of the product's program.
func ownSource() (string, error) {
	root, err := setup.Root()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, dir := range []string{"cmd", "extproc", "sidecar"} {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		}))
	}
	return b.String(), err
}

// RunAll runs a package's tests and then looks at everything that the sidecars recorded meanwhile. The result is an exit
// code.
func (p *Programs) RunAll(m *testing.M, seen *Taints) int {
	code := m.Run()
	texts, err := p.Recorded()
	own, sourceErr := ownSource()
	err = errors.Join(err, sourceErr)
	leaks := Leaks(texts, seen, own)
	for _, leak := range leaks {
		fmt.Fprintln(os.Stderr, "RECORDED", leak)
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	fmt.Fprintf(os.Stderr, "looked at %d logs and pages, %d bytes, for %d values of requests and answers: %d found\n", len(texts), size, len(seen.values(own)), len(leaks))
	if err != nil || len(leaks) > 0 {
		fmt.Fprintln(os.Stderr, "FAIL: the sidecar recorded what nobody may read", err)
		return max(code, 1)
	}
	return code
}
