package reliability_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// row is a line of the table: one kind of fault, and what it did.
type row struct {
	fault, door string
	struck      int // how often the fault was caused
	requests    int // while it was there
	lost        int // of these without a good answer
	wrong       int // answers to something else, and writes that are said to have run and have not
	twice       int // writes that ran more than once
	unseen      int // writes that ran though the client was told that the request failed
	recoveries  []time.Duration
}

// count adds outcomes, when all that was going to run has run.
func (r *row) count(s *server, outcomes ...outcome) {
	for _, o := range outcomes {
		r.requests++
		if !o.ok {
			r.lost++
		}
		ran := 0
		if o.kind == write {
			ran = s.times(o.marker)
		}
		switch {
		case o.wrong, o.kind == write && o.ok && ran == 0:
			r.wrong++
		case ran > 1:
			r.twice++
		case ran == 1 && !o.ok:
			r.unseen++
		}
	}
}

// judge holds invariants 1 and 2; mayLose says whether requests may be lost at all.
func (r *row) judge(t *testing.T, outcomes []outcome, mayLose bool) {
	t.Helper()
	t.Logf("%s", r)
	if r.wrong > 0 || r.twice > 0 || r.requests == 0 || r.struck == 0 || !mayLose && r.lost > 0 {
		t.Errorf("%s", r)
		shown := 0
		for _, o := range outcomes {
			if (o.wrong || !o.ok) && shown < 10 {
				shown++
				t.Logf("%s %s after %s: %.400s", o.kind, o.marker, o.took.Round(time.Millisecond), o.said)
			}
		}
	}
}

func (r *row) String() string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d | %s |", r.fault, r.door, r.struck, r.requests, r.lost, r.wrong, r.twice, r.unseen, r.recovery())
}

// recovery is the median and the longest time until the next request succeeded.
func (r *row) recovery() string {
	if len(r.recoveries) == 0 {
		return "–"
	}
	sorted := slices.Sorted(slices.Values(r.recoveries))
	return fmt.Sprintf("%s / %s", short(sorted[len(sorted)/2]), short(sorted[len(sorted)-1]))
}

func short(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// table collects the rows in the order of the faults.
type table struct {
	left left

	mu   sync.Mutex
	rows []*row
}

func (t *table) add(r *row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, r)
}

func (t *table) String() string {
	var b strings.Builder
	b.WriteString("| fault | through | times | requests | lost | wrong answers | writes twice | writes unseen | recovery, median / longest |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintln(&b, r)
	}
	fmt.Fprintf(&b, "\nLeft open in the product when a run was over, at most: %.0f goroutines, %.0f files, %.0f streams.\n", t.left.goroutines, t.left.files, t.left.streams)
	return b.String()
}
