package argcheck

import (
	"strings"
	"unicode/utf8"
)

// Both bounds are far above what a sane schema needs, and a few tens of
// milliseconds at most.
const (
	maxGathered   = 100_000 // names and values that one Check reads for its texts
	maxCompared   = 100_000 // comparisons of two names, long ones count several times
	maxCandidates = 10_000  // among more names no near one is looked for
)

// words is what the texts of one Check have in common, and what is left of
// the work that they may cost. Where nothing is left a text says less.
type words struct {
	told               int // faults put into words
	gathered, compared int
	allowed            map[unknown]*names
	listed             map[*any]*names
	sent               map[uintptr]*names
}

func newWords() words {
	return words{allowed: map[unknown]*names{}, listed: map[*any]*names{}, sent: map[uintptr]*names{}}
}

// gather takes n names from what is left, and reports whether there were so
// many.
func (w *words) gather(n int) bool {
	w.gathered += n
	return w.gathered <= maxGathered
}

// compare reports whether two names of about n runes may be compared.
func (w *words) compare(n int) bool {
	w.compared += 1 + n/32
	return w.compared <= maxCompared
}

// names are candidates, each of them once, found by what nearness needs.
type names struct {
	all      map[string]struct{}
	text     string              // all of them as a list, where one is told
	several  bool                // the list has more than one entry
	byFold   map[string][]string // by the name without case and separators
	byLength map[int][]string    // by runes; those that can be a typo's target
}

// namesOf indexes candidates. Of too many none is near anything.
func namesOf(candidates []string) *names {
	n := &names{}
	if len(candidates) > maxCandidates {
		return n
	}
	n.all = make(map[string]struct{}, len(candidates))
	n.byFold = make(map[string][]string, len(candidates))
	n.byLength = map[int][]string{}
	for _, c := range candidates {
		if _, again := n.all[c]; again || len(c) > 4*(nearLength+nearEdits) {
			continue
		}
		n.all[c] = struct{}{}
		f := folded(c)
		n.byFold[f] = append(n.byFold[f], c)
		runes := utf8.RuneCountInString(c)
		n.byLength[runes] = append(n.byLength[runes], c)
	}
	return n
}

// near is Near for keys of arguments, and also knows a key that is the
// candidate in another style (userId for user_id). It only ever words a hint.
func (n *names) near(key string, w *words) (string, bool) {
	if len(n.all) == 0 || len(key) > 4*(nearLength+nearEdits) {
		return "", false
	}
	found, any := "", false
	for _, c := range n.byFold[folded(key)] {
		if c == key {
			continue
		}
		if any {
			return "", false
		}
		found, any = c, true
	}
	if _, known := n.all[key]; any || known {
		return found, any
	}
	runes := []rune(key)
	for length := len(runes) - nearEdits; length <= len(runes)+nearEdits; length++ {
		for _, c := range n.byLength[length] {
			if !w.compare(length) {
				return "", false
			}
			if !isTypo(runes, c) {
				continue
			}
			if any {
				return "", false
			}
			found, any = c, true
		}
	}
	return found, any
}

// meant is the first name, in order, that was meant to be key: it is key in
// another style or a typo of it, and not skipped.
func (n *names) meant(key string, w *words, skip func(string) bool) (string, bool) {
	found, any := "", false
	consider := func(name string) {
		if name != key && (!any || name < found) && !skip(name) {
			found, any = name, true
		}
	}
	for _, name := range n.byFold[folded(key)] {
		if !w.compare(0) {
			return "", false
		}
		consider(name)
	}
	length := utf8.RuneCountInString(key)
	limit := tolerance(length)
	for l := length - limit; limit > 0 && l <= length+limit; l++ {
		for _, name := range n.byLength[l] {
			if !w.compare(length) {
				return "", false
			}
			if isTypo([]rune(name), key) {
				consider(name)
			}
		}
	}
	return found, any
}

// folded is a name without case and separators.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
