package search

import (
	"syscall"
	"time"
)

// rusageThread asks for the calling thread's own times (getrusage(2)).
const rusageThread = 1

// cpuTime is how long processors have worked for this thread, or for the whole
// process: on a machine that others use, what a benchmark itself takes.
func cpuTime(thread bool) time.Duration {
	who := syscall.RUSAGE_SELF
	if thread {
		who = rusageThread
	}
	var used syscall.Rusage
	if syscall.Getrusage(who, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
