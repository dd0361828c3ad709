package stdio

import (
	"testing"
	"time"
)

func TestProcessesThatFailTogetherAreOneFailure(t *testing.T) {
	now := time.Now()
	var s starts
	for i := range 16 { // all ran for a second or more when the first one failed
		s.failed(now.Add(time.Duration(i)*time.Millisecond), time.Second, false, "killed")
	}
	if s.failures != 1 || s.until.Sub(now) != firstPause {
		t.Errorf("%d failures, a pause of %s; want one, and %s", s.failures, s.until.Sub(now), firstPause)
	}
	s.failed(now.Add(2*time.Second), time.Second, false, "killed") // started anew, and failed again
	if s.failures != 2 {
		t.Errorf("%d failures after another start, want 2", s.failures)
	}
	s.failed(now.Add(4*time.Second), time.Second, true, "killed") // started well: it had run a tool
	if s.failures != 1 {
		t.Errorf("%d failures after one that worked, want 1", s.failures)
	}
}
