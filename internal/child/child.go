package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// keptLog is how many bytes of a child's output are kept; older ones are dropped.
const keptLog = 1 << 20

// Spec says what to run.
type Spec struct {
	// Path is the program: an absolute path or a name looked up in PATH.
	Path string
	// Args are its arguments, without the program's own name.
	Args []string
	// Env are KEY=value pairs added to the parent's environment.
	Env []string
	// Dir is the working directory; empty means the parent's.
	Dir string
	// Stdout takes standard output when it should not go to the log.
	Stdout io.Writer
}

// Process is a running, or ended, child.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  *tail
	done chan struct{}
	err  error // set before done is closed
}

// Start runs the program of s. It fails when the program can't be started; how it ends is told by Wait.
// The child is killed when ctx ends.
func Start(ctx context.Context, s Spec) (*Process, error) {
	cmd := exec.Command(s.Path, s.Args...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), s.Env...)
	p := &Process{name: filepath.Base(s.Path), cmd: cmd, log: &tail{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if s.Stdout != nil {
		cmd.Stdout = s.Stdout
	}
	// Grandchildren may hold the pipes open after the child itself has ended.
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)

	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	context.AfterFunc(ctx, p.Kill)
	return p, nil
}

// run starts and awaits the child on one locked thread: the kernel's "end it with its parent" watches the thread that
// forked, and Go may end an idle thread at any time.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// Pid is the child's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait blocks until the child has ended and tells how: nil for exit status 0.
func (p *Process) Wait() error {
	<-p.done
	if p.err != nil {
		return fmt.Errorf("%s: %w", p.name, p.err)
	}
	return nil
}

// Exited tells whether the child has ended.
func (p *Process) Exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Signal sends a signal to the child alone, not to its group.
func (p *Process) Signal(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s: %w", p.name, err)
	}
	return nil
}

// Stop asks the child to end (SIGTERM) and kills its group when it hasn't within grace.
func (p *Process) Stop(grace time.Duration) {
	if p.Exited() {
		p.Kill()
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	p.Kill()
}

// Kill ends the child and its group at once (SIGKILL) and waits for the child to be gone.
func (p *Process) Kill() {
	killGroup(p.cmd)
	<-p.done
}

// Log is what the child has printed, the last MiB of it.
func (p *Process) Log() string { return p.log.String() }

// tail keeps the last keptLog bytes written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if over := len(t.data) - keptLog; over > keptLog {
		t.data = append([]byte(nil), t.data[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data[max(0, len(t.data)-keptLog):])
}
