//go:build linux

package extproc_test

import (
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/internal/fixtures"
)

// otherSocket is the variable by which this test binary, started as another user, is told where to connect.
const otherSocket = "TEST_CONNECT_TO"

// TestConnectAsAnotherUser is what the other user runs; by itself it does nothing.
func TestConnectAsAnotherUser(t *testing.T) {
	path := os.Getenv(otherSocket)
	if path == "" {
		return
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// TestASocketLetsInWhoItsPermissionsName connects as other users than the one that listens.
func TestASocketLetsInWhoItsPermissionsName(t *testing.T) {
	if os.Geteuid() != 0 {
		fixtures.Skip(t, "only root can start a process as another user: run this test as root")
	}
	dir, err := os.MkdirTemp("", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "test")
	copySelf(t, program)
	const stranger, group = 65533, 65532
	for _, c := range []struct {
		name   string
		mode   fs.FileMode
		group  string
		member bool
		want   bool
	}{
		{"the owner alone: a stranger", 0o600, "", false, false},
		{"the owner alone: a member of its group", 0o600, "65532", true, false},
		{"the default: a stranger", 0, "65532", false, false},
		{"the default: a member of the group", 0, "65532", true, true},
		{"the default, no group named: a member of another group", 0, "", true, false},
		{"everybody: a stranger", 0o666, "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "door.sock")
			l, err := extproc.Listen(t.Context(), doorOf(nil, &counts{}), extproc.Place{Address: "unix://" + path, SocketMode: c.mode, SocketGroup: c.group})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Shutdown(t.Context(), 0)
			cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestConnectAsAnotherUser$")
			cmd.Env, cmd.Dir = []string{otherSocket + "=" + path}, dir
			who := &syscall.Credential{Uid: stranger, Gid: stranger}
			if c.member {
				who.Groups = []uint32{group}
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
			out, err := cmd.CombinedOutput()
			if refused := strings.Contains(string(out), "permission denied"); (err == nil) != c.want || refused == c.want {
				t.Errorf("let in: %v, want %t\n%s", err, c.want, out)
			}
		})
	}
}

func copySelf(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, from); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
