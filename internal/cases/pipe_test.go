package cases

import (
	"slices"
	"strings"
	"testing"
)

func TestOnlyWhatAPipeLacksIsLeftOut(t *testing.T) {
	whole := Case{Across: []string{"restart", otherCaller, "same process"}, Expect: Expect{ResponseHeader: "X", ResponseHeaderAbsent: "Y", CounterIncreases: "n", TextNames: []string{"a"}}}
	piped, left := overAPipe(whole)
	if e := piped.Expect; e.ResponseHeader+e.ResponseHeaderAbsent+e.CounterIncreases != "" || len(e.TextNames) != 1 || !slices.Equal(piped.Across, []string{"restart", "same process"}) {
		t.Errorf("left is %+v", piped)
	}
	if len(left) != 3 || len(whole.Across) != 3 {
		t.Errorf("left out: %s", strings.Join(left, "; "))
	}
	if _, left = overAPipe(piped); left != nil {
		t.Errorf("left out again: %q", left)
	}
}
