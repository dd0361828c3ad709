package crash

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
)

// Report says what happened and where, without any value.
type Report struct {
	// What is the text of an error of the runtime, else the type of the panic's value.
	What string
	// Stack is functions with their lines, without arguments: an array passed by value would be printed.
	Stack string
}

// Error implements error, so that a report that nobody recovers is printed by its text.
func (r *Report) Error() string { return "a mistake in the program: " + r.What + "\n" + r.Stack }

// Of is the report of what recover returned, nil of nothing. The deferred function that recovered calls it, so that the
// stack is still that of the panic. A report that goes on as a panic stays the same.
func Of(p any) *Report {
	if p == nil {
		return nil
	}
	if r, ok := p.(*Report); ok {
		return r
	}
	r := &Report{What: fmt.Sprintf("%T", p), Stack: callers()}
	var fault runtime.Error
	if e, ok := p.(error); ok && errors.As(e, &fault) {
		r.What = fault.Error()
	}
	return r
}

func callers() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "%s:%d\n", f.Function, f.Line)
		if !more {
			return b.String()
		}
	}
}

// Cut is deferred by a handler of HTTP: it tells of a panic and breaks the answer off, where net/http would print the
// panic's value.
func Cut(tell func(*Report)) {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		tell(Of(p))
	}
	panic(http.ErrAbortHandler)
}

// Kept takes a panic from goroutines to the one that waits for them: a panic that nobody recovers ends the program. The
// zero value is ready.
type Kept struct {
	mu     sync.Mutex
	report *Report
}

// Keep is deferred by each goroutine. Only the first panic is kept.
func (k *Kept) Keep() {
	r := Of(recover())
	if r == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.report == nil {
		k.report = r
	}
}

// Raise panics with the report of the first panic, if there was one. All goroutines have ended.
func (k *Kept) Raise() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.report != nil {
		panic(k.report)
	}
}
