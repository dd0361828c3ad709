package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// listener hears what a process prints. It must not wait for anything.
type listener interface {
	// line is one line; it is the listener's to keep.
	line(line []byte)
	// tooLong is called with a line that is longer than allowed.
	tooLong(line wire.Line)
}

// outgoing is a line for a process' stdin.
type outgoing struct {
	line []byte
	sent *atomic.Bool // set when the process may have got it; may be nil
}

// process is one running command: lines in, lines out.
type process struct {
	cmd        *exec.Cmd
	grace      time.Duration
	pipes      *pipes
	out        chan outgoing
	complaints *complaints
	started    time.Time

	stopped sync.Once
	stop    chan struct{} // closed when it is to end
	broke   bool          // nobody wanted it gone: it can't be talked to; set before stop is closed
	exited  chan struct{} // closed when the command itself has ended
	ended   chan struct{} // closed when also all that it printed was heard
	status  string        // how it ended, as in "exit status 3"; set before exited is closed
}

// queued is how many lines may wait for a process that doesn't read.
const queued = 64

// drainTime is how long output is awaited when a command has ended: what it started outside its group may hold the pipes.
const drainTime = time.Second

// launch starts a command. Whoever does must call attend, and then its goroutines end with it.
func launch(cmd *exec.Cmd, grace time.Duration, c *complaints) (*process, error) {
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, grace: grace, pipes: pipes, out: make(chan outgoing, queued), complaints: c, started: time.Now(),
		stop: make(chan struct{}), exited: make(chan struct{}), ended: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.theirs[0], pipes.theirs[1], pipes.theirs[2]
	ownGroup(cmd)
	started := make(chan error, 1)
	go p.run(started)
	err = <-started
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	return p, nil
}

// attend gives to what the process prints, and sees the process to its end; ended tells when.
func (p *process) attend(to listener, lineBytes int) {
	var busy sync.WaitGroup
	busy.Go(func() { hear(p.pipes.stdout, lineBytes, to) })
	busy.Go(func() { p.complaints.read(p.pipes.stderr) })
	busy.Go(p.write)
	go p.keep(&busy)
}

// run starts and awaits the command on one locked thread: the kernel's "end it with its parent" watches the thread that
// forked, and Go may end an idle thread at any time.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.status = "exit status 0"
	if err := p.cmd.Wait(); err != nil {
		p.status = "an unknown status"
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			p.status = exit.Error() // made of the status alone
		}
	}
	close(p.exited)
}

// end asks the process to end; ended tells when it has.
func (p *process) end() { p.stopped.Do(func() { close(p.stop) }) }

// fail ends a process that can't be talked to.
func (p *process) fail() {
	p.stopped.Do(func() {
		p.broke = true
		close(p.stop)
	})
}

// unwanted says that the process ended by itself, or had to.
func (p *process) unwanted() bool {
	select {
	case <-p.stop:
		return p.broke
	default:
		return true
	}
}

// send gives a line to the process. It waits while the process doesn't read; the error is ctx's, or io.ErrClosedPipe.
func (p *process) send(ctx context.Context, o outgoing) error {
	select {
	case <-p.ended:
		return io.ErrClosedPipe
	default:
	}
	select {
	case p.out <- o:
		return nil
	case <-p.ended:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// trySend is send for what isn't waited for: false when the process doesn't take it now.
func (p *process) trySend(line []byte) bool {
	select {
	case p.out <- outgoing{line: line}:
		return true
	default:
		return false
	}
}

// keep sees the process to its end: nothing of its group is left when ended is closed.
func (p *process) keep(busy *sync.WaitGroup) {
	select {
	case <-p.exited:
	case <-p.stop:
		p.wind()
	}
	killGroup(p.cmd) // what it started and left behind
	done := make(chan struct{})
	go func() {
		busy.Wait()
		close(done)
	}()
	_ = p.pipes.stdin.Close() // ends a write that waits
	within(done, drainTime)
	p.pipes.closeOurs() // ends a read that waits
	<-done
	close(p.ended)
}

// wind ends the command the way the protocol asks (spec 2025-11-25 basic/lifecycle, "Shutdown"): its input ends, then it
// is asked, then it is killed.
func (p *process) wind() {
	_ = p.pipes.stdin.Close()
	if within(p.exited, p.grace) {
		return
	}
	terminateGroup(p.cmd)
	if within(p.exited, p.grace) {
		return
	}
	killGroup(p.cmd)
	<-p.exited
}

// within waits for done, but no longer than d.
func within(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// write writes lines, whole and one after the other, until the process ends.
func (p *process) write() {
	for {
		select {
		case o := <-p.out:
			if o.sent != nil {
				o.sent.Store(true)
			}
			if _, err := p.pipes.stdin.Write(o.line); err != nil {
				p.fail() // it closed its input
				return
			}
		case <-p.exited:
			return
		}
	}
}

// hear gives the lines of in to to.
func hear(in io.Reader, limit int, to listener) {
	lines := wire.NewLineReader(in, limit)
	for {
		got, err := lines.Next()
		switch {
		case err != nil:
			return
		case got.Data == nil:
			to.tooLong(got)
		default:
			to.line(got.Data)
		}
	}
}

// pipes are the three streams of a command: our ends and its own.
type pipes struct {
	stdin, stdout, stderr *os.File
	theirs                [3]*os.File
}

func openPipes() (*pipes, error) {
	p := &pipes{}
	var err [3]error
	p.theirs[0], p.stdin, err[0] = os.Pipe()
	p.stdout, p.theirs[1], err[1] = os.Pipe()
	p.stderr, p.theirs[2], err[2] = os.Pipe()
	if err := errors.Join(err[:]...); err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, fmt.Errorf("open its pipes: %w", err)
	}
	return p, nil
}

// closeTheirs and closeOurs may close what is closed or was never opened: both only say so.
func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
}

func (p *pipes) closeOurs() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close()
	}
}
