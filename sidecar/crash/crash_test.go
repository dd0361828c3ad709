package crash_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/sidecar/crash"
)

func fails(cause any) { panic(cause) }

// beyond fails as the runtime lets it fail.
func beyond(words []string, i int) string { return words[i] }

func reportOf(f func()) (r *crash.Report) {
	defer func() { r = crash.Of(recover()) }()
	f()
	return nil
}

func TestAReportHasNoValue(t *testing.T) {
	for name, c := range map[string]struct {
		fails func()
		what  string
		where string
	}{
		"a text":                   {func() { fails("m4rk") }, "string", "crash_test.fails:"},
		"an error":                 {func() { fails(fmt.Errorf("m4rk: %w", errors.New("m4rk"))) }, "*fmt.wrapError", "crash_test.fails:"},
		"a fault of the runtime":   {func() { _ = beyond([]string{"m4rk"}, 3) }, "runtime error: index out of range [3] with length 1", "crash_test.beyond:"},
		"a fault within an error":  {func() { fails(fmt.Errorf("m4rk: %w", reportedFault())) }, "runtime error: index out of range [3] with length 1", "crash_test.fails:"},
		"a report that is raised":  {func() { fails(&crash.Report{What: "string", Stack: "elsewhere:1\n"}) }, "string", "elsewhere:1"},
		"a value that can't print": {func() { fails(struct{ secret string }{"m4rk"}) }, "struct { secret string }", "crash_test.fails:"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reportOf(c.fails)
			if r == nil || r.What != c.what || !strings.Contains(r.Stack, c.where) || strings.Contains(r.Error(), "m4rk") {
				t.Errorf("%v, want %s at %s", r, c.what, c.where)
			}
		})
	}
	if r := reportOf(func() {}); r != nil {
		t.Errorf("without a panic: %v", r)
	}
}

func reportedFault() (err error) {
	defer func() { err, _ = recover().(error) }()
	_ = beyond([]string{"m4rk"}, 3)
	return nil
}

func TestAPanicGoesOnWhereOneWaits(t *testing.T) {
	r := reportOf(func() {
		var kept crash.Kept
		var work sync.WaitGroup
		for i := range 4 {
			work.Go(func() {
				defer kept.Keep()
				if i%2 == 0 {
					fails("m4rk")
				}
			})
		}
		work.Wait()
		kept.Raise()
	})
	if r == nil || r.What != "string" || !strings.Contains(r.Stack, "crash_test.fails:") {
		t.Errorf("%v", r)
	}
	(&crash.Kept{}).Raise()
}

func TestAnAnswerIsCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		cause any
		told  bool
	}{"a mistake": {"m4rk", true}, "an answer that breaks off": {http.ErrAbortHandler, false}} {
		t.Run(name, func(t *testing.T) {
			var told *crash.Report
			defer func() {
				if p := recover(); p != http.ErrAbortHandler || (told != nil) != c.told {
					t.Errorf("it goes on with %v, told %v", p, told)
				}
			}()
			defer crash.Cut(func(r *crash.Report) { told = r })
			fails(c.cause)
		})
	}
	defer crash.Cut(func(r *crash.Report) { t.Errorf("without a panic: %v", r) })
}
