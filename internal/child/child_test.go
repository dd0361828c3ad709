package child_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD_TEST_ROLE") == "parent" {
		parent()
	}
	os.Exit(m.Run())
}

// parent starts a sleeper, says its process id, and dies of a panic outside any test.
func parent() {
	p, err := child.Start(context.Background(), child.Spec{Path: "sleep", Args: []string{"120"}})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("pid", p.Pid())
	panic("the parent dies")
}

func TestTheChildDiesWithItsParent(t *testing.T) {
	p := start(t, child.Spec{Path: os.Args[0], Env: []string{"CHILD_TEST_ROLE=parent"}})
	if err := p.Wait(); err == nil {
		t.Fatal("the parent was to die of a panic")
	}
	_, after, found := strings.Cut(p.Log(), "pid ")
	if !found {
		t.Fatalf("no process id in %q", p.Log())
	}
	pid, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the grandchild is gone", func() bool { return !running(pid) })
}

func TestTheLogCanBeReadWhileTheChildRuns(t *testing.T) {
	p := start(t, child.Spec{Path: "sh", Args: []string{"-c", "echo hello; echo there >&2; exec sleep 60"}})
	until(t, "both lines are there", func() bool {
		return strings.Contains(p.Log(), "hello") && strings.Contains(p.Log(), "there")
	})
	if p.Exited() {
		t.Error("the child has ended too early")
	}
}

func TestTheLogIsBounded(t *testing.T) {
	p := start(t, child.Spec{Path: "sh", Args: []string{"-c", "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end"}})
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := len(p.Log()); got > 1<<20 {
		t.Errorf("kept %d bytes, want at most 1 MiB", got)
	}
	if !strings.HasSuffix(p.Log(), "end\n") {
		t.Error("the newest output is missing")
	}
}

func TestEndingTwiceIsHarmless(t *testing.T) {
	p := start(t, child.Spec{Path: "sleep", Args: []string{"60"}})
	p.Stop(time.Second)
	p.Stop(time.Second)
	p.Kill()
	if err := p.Wait(); err == nil {
		t.Error("a stopped sleeper exited with status 0")
	}
}

func TestAChildThatIgnoresTheSignalIsKilled(t *testing.T) {
	p := start(t, child.Spec{Path: "sh", Args: []string{"-c", "trap '' TERM; echo armed; while :; do sleep 1; done"}})
	until(t, "the trap is set", func() bool { return strings.Contains(p.Log(), "armed") })
	p.Stop(50 * time.Millisecond)
	if !p.Exited() {
		t.Error("still running")
	}
}

func TestAnEndedContextKillsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, err := child.Start(ctx, child.Spec{Path: "sleep", Args: []string{"60"}})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-p.Done():
	case <-time.After(10 * time.Second):
		t.Error("still running")
	}
}

func TestAMissingProgramIsToldAtOnce(t *testing.T) {
	if _, err := child.Start(context.Background(), child.Spec{Path: "no-such-program-anywhere"}); err == nil {
		t.Error("no error")
	}
}

func start(t *testing.T, s child.Spec) *child.Process {
	t.Helper()
	p, err := child.Start(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// running tells whether a process lives: a zombie that nobody awaits has ended all the same.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
