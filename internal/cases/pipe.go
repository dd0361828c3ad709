package cases

import "slices"

// overAPipe leaves out of a case what only HTTP has, and says what that is and why.
func overAPipe(c Case) (piped Case, left []string) {
	e := &c.Expect
	if e.ResponseHeader != "" || e.ResponseHeaderAbsent != "" {
		left = append(left, "a header of the answer, as a line has none")
		e.ResponseHeader, e.ResponseHeaderAbsent = "", ""
	}
	if e.CounterIncreases != "" {
		left = append(left, "a counter, as nothing listens for who reads it")
		e.CounterIncreases = ""
	}
	if i := slices.Index(c.Across, otherCaller); i >= 0 {
		left = append(left, "another caller, as a pipe has one client")
		c.Across = slices.Delete(slices.Clone(c.Across), i, i+1)
	}
	return c, left
}
