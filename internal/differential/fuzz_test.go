package differential

import (
	"strings"
	"testing"
)

// FuzzSentOnIsReadAlike sends any bytes in every way, as TestWhatIsSentOnIsReadAlike does, and compares what is sent on
// with the readers that need no other language.
func FuzzSentOnIsReadAlike(f *testing.F) {
	last := ""
	for _, in := range Inputs() {
		if in.Class != last && len(in.Body) < 4096 { // the kept corpus has what mattered; these are a start
			f.Add([]byte(in.Body))
			last = in.Class
		}
	}
	for _, form := range forms() {
		f.Add([]byte(form.build(nil)))
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		clear(b.known) // it would grow for ever
		if len(body) > 64<<10 {
			return
		}
		for _, a := range attempts(Input{Body: string(body)}) {
			for _, wrong := range b.try(t, a, &Tally{}) {
				t.Errorf("%s in the era %q: %s", strings.Join(a.header["Mcp-Name"], ""), a.header.Get("Mcp-Protocol-Version"), wrong)
			}
		}
	})
}
