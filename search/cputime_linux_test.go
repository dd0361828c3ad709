package search

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is how long processors have worked for this thread, or for the whole
// process: on a machine that others use, what a benchmark itself takes.
func cpuTime(thread bool) time.Duration {
	clock := int32(unix.CLOCK_PROCESS_CPUTIME_ID)
	if thread {
		clock = unix.CLOCK_THREAD_CPUTIME_ID
	}
	var used unix.Timespec
	if unix.ClockGettime(clock, &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}
