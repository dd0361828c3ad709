package stdio

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"time"
)

// How a server is started again that ends by itself.
const (
	firstPause = 500 * time.Millisecond // after the first time; doubled with each further one
	longPause  = 30 * time.Second       // the longest
	patience   = 2 * time.Second        // a request waits for so long; for more it is refused
	settled    = 10 * time.Second       // who has run for so long starts well
)

// starts is how starting went lately.
type starts struct {
	failures int
	until    time.Time // no start before
	last     time.Time // when a process failed last
	how      string    // the last process ended, or why it didn't start
}

// failed notes that a process ended by itself, or didn't start. Those that ran beside one that failed before, and fail
// with it, are no further failure: nothing was started in vain.
// One that has run a tool was well started, however soon it ended.
func (s *starts) failed(now time.Time, lived time.Duration, worked bool, how string) {
	if lived > 0 && now.Add(-lived).Before(s.last) {
		return
	}
	if worked || lived >= settled {
		s.failures = 0
	}
	s.failures++
	s.last = now
	s.until = now.Add(min(firstPause<<min(s.failures-1, 10), longPause))
	s.how = how
}

// denial is why a request can't be given to a process; nothing was run.
type denial struct {
	Reason string // label, as in [wire.Fault]
	text   string
	after  time.Duration // when to ask again; 0 for not said
	busy   bool          // it runs, and has no room: 429, since 503 would say that nobody can use it
}

func (t *Transport) endedAtOnce(k *talk) *denial {
	<-k.exited // it has, or its talk wouldn't be over
	return &denial{Reason: "server_ended", after: firstPause, text: fmt.Sprintf("the MCP server %s ended by itself (%s) before it was ready: nothing was run; "+
		"see its last words in the log with --log-server-stderr, or run its command by hand", t.o.Server.Name, k.status)}
}

// start returns a process that keep has given its place; spare says that one that already runs will do. The error is
// ctx's, or ErrClosed.
func (t *Transport) start(ctx context.Context, keep func(*talk), spare bool) (*talk, *denial, error) {
	for {
		t.mu.Lock()
		if spare && t.spare != nil && !t.closed {
			k := t.spare
			t.spare = nil
			keep(k)
			t.mu.Unlock()
			return k, nil, nil
		}
		pause := time.Until(t.starts.until)
		if t.closed || pause <= 0 {
			break
		}
		denied := t.pausing(pause)
		t.mu.Unlock()
		if denied != nil {
			return nil, denied, nil
		}
		if err := t.wait(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
	defer t.mu.Unlock()
	if t.closed {
		return nil, nil, ErrClosed
	}
	if denied := t.makeRoom(); denied != nil {
		return nil, denied, nil
	}
	k, denied := t.launch()
	if denied == nil {
		keep(k)
	}
	return k, denied, nil
}

// pausing refuses a request that would have to wait for long; t.mu is held.
func (t *Transport) pausing(pause time.Duration) *denial {
	if pause <= patience {
		return nil
	}
	return &denial{Reason: "server_keeps_ending", after: pause, text: fmt.Sprintf("the MCP server %s could not be kept running %d times in a row (last: %s): nothing was run; "+
		"it is started again in %d s at the earliest: run its command by hand to see what it lacks", t.o.Server.Name, t.starts.failures, t.starts.how, int(pause.Seconds())+1)}
}

func (t *Transport) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.ctx.Done():
		return ErrClosed
	}
}

// makeRoom ends the process that is unused for longest when there are as many as allowed; t.mu is held.
func (t *Transport) makeRoom() *denial {
	all := t.talks()
	if len(all) < t.o.MaxProcesses {
		return nil
	}
	var oldest *talk
	var since time.Time
	for _, k := range all {
		if running, last := k.running(); running == 0 && (oldest == nil || last.Before(since)) {
			oldest, since = k, last
		}
	}
	if oldest == nil || !oldest.retire(0) {
		return &denial{Reason: "server_busy", busy: true, after: time.Second, text: fmt.Sprintf("all %d processes of the MCP server %s are working: nothing was run; try again in a moment", len(all), t.o.Server.Name)}
	}
	t.drop(oldest)
	t.log.Info("an idle process of an MCP server made room for another session; what it remembered is gone: allow more with --max-processes", "pid", oldest.cmd.Process.Pid)
	return nil
}

// launch starts a process; t.mu is held. Forking takes a millisecond or two.
func (t *Transport) launch() (*talk, *denial) {
	s := t.o.Server
	path, err := program(s.Command, s.Cwd, t.environ)
	c := &complaints{}
	if t.o.LogStderr {
		c.log = t.log
	}
	var p *process
	if err == nil {
		cmd := exec.Command(path, s.Args...)
		cmd.Args[0] = s.Command
		cmd.Env, cmd.Dir = t.environ, s.Cwd
		p, err = launch(cmd, t.o.Grace, c)
	}
	if err != nil {
		how := cause(err)
		t.starts.failed(time.Now(), 0, false, how)
		t.log.Warn("an MCP server could not be started", "cause", how)
		return nil, &denial{Reason: "server_not_started", text: fmt.Sprintf("the MCP server %s could not be started (%s): nothing was run; correct its command, args and cwd, or install it", s.Name, how)}
	}
	k := newTalk(s.Name, p, t.o.IdleTimeout)
	p.attend(k, t.o.LineBytes)
	t.log.Debug("an MCP server was started", "pid", p.cmd.Process.Pid)
	t.busy.Go(func() { t.mind(k) })
	return k, nil
}

// cause is why a command didn't start, without its path: that may be nobody's business.
func cause(err error) string {
	var inner *exec.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// mind waits for a process' end and clears up behind it.
func (t *Transport) mind(k *talk) {
	<-k.ended
	t.mu.Lock()
	t.drop(k)
	failed := k.unwanted() && !k.probing
	if failed {
		t.starts.failed(time.Now(), time.Since(k.started), k.hasWorked(), k.status)
	}
	t.mu.Unlock()
	k.close()
	t.report(k, failed)
}

// report tells the log how a process ended.
func (t *Transport) report(k *talk, failed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	level, text := slog.LevelDebug, "an MCP server's process was ended"
	if failed {
		level, text = slog.LevelWarn, "an MCP server's process ended by itself"
	}
	attrs := []slog.Attr{slog.String("status", k.status), slog.Duration("ran", time.Since(k.started).Round(time.Millisecond)),
		slog.Int("junk_lines", k.junk), slog.Int("stderr_lines", k.complaints.total()), slog.Int("undelivered", k.lost)}
	if last := k.complaints.newest(); last != "" && failed {
		attrs = append(attrs, slog.String("stderr", last))
	}
	t.log.LogAttrs(context.Background(), level, text, attrs...)
}

// remove takes a talk out of its place, so that nobody finds it any more.
func (t *Transport) remove(k *talk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(k)
}

// drop is remove for those who hold t.mu.
func (t *Transport) drop(k *talk) {
	maps.DeleteFunc(t.sessions, func(_ string, other *talk) bool { return other == k })
	if t.shared == k {
		t.shared = nil
	}
	if t.spare == k {
		t.spare = nil
	}
	if t.probed == k {
		t.probed = nil
	}
}
