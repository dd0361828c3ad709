package extproc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// DefaultSocketMode lets a unix socket's owner and group connect, and nobody else.
const DefaultSocketMode = 0o660

// Place is where and how Envoy connects.
type Place struct {
	// Address is host:port, or unix:///path.
	Address string
	// TLS is spoken on host:port; nil is none.
	TLS *tls.Config
	// HandshakeFailed is told of each failed handshake why, as one of tlsfiles.Reasons; nil is nobody.
	HandshakeFailed func(reason string)
	// SocketMode are a unix socket's permissions; 0 is [DefaultSocketMode]. To connect is to write.
	SocketMode fs.FileMode
	// SocketGroup is a unix socket's group, a name or a number; "" is that of the process.
	SocketGroup string
}

// GroupID finds a group's number. The error says what to do.
func GroupID(group string) (int, error) {
	if id, err := strconv.Atoi(group); err == nil && id >= 0 {
		return id, nil
	}
	found, err := user.LookupGroup(group)
	if err != nil {
		return 0, fmt.Errorf("there is no group %s here: name one of this machine, or its number", strconv.Quote(group))
	}
	return strconv.Atoi(found.Gid)
}

func (p Place) listen(ctx context.Context) (net.Listener, error) {
	path, unix := strings.CutPrefix(p.Address, "unix://")
	if unix {
		return p.listenUnix(ctx, path)
	}
	var lc net.ListenConfig
	lis, err := lc.Listen(ctx, "tcp", p.Address)
	if err != nil {
		return nil, fmt.Errorf("ext_proc can't listen on %s: %w; choose another --extproc-listen", p.Address, err)
	}
	return lis, nil
}

func (p Place) listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	// Linux makes the socket with the permissions that the descriptor has: at no time may others connect. Where that is not
	// so, the umask alone counts until they are set below.
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return c.Control(ownerOnly) }}
	lis, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("ext_proc can't listen on socket %s: %w; check that its folder exists and is writable", path, err)
	}
	if err := p.permit(path); err != nil {
		return nil, errors.Join(err, lis.Close())
	}
	return lis, nil
}

// permit gives the socket its group, and then its permissions.
func (p Place) permit(path string) error {
	if p.SocketGroup != "" {
		group, err := GroupID(p.SocketGroup)
		if err == nil {
			err = os.Chown(path, -1, group)
		}
		if err != nil {
			return fmt.Errorf("the socket %s can't be given to the group %s: %w; run as a member of it", path, p.SocketGroup, err)
		}
	}
	mode := p.SocketMode
	if mode == 0 {
		mode = DefaultSocketMode
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("the socket %s can't be given its permissions: %w", path, err)
	}
	return nil
}

// removeStale removes a socket that nobody listens on. A file that isn't a socket, or one in use, stays.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket: choose another --extproc-listen", path)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("another process listens on %s: stop it, or choose another --extproc-listen", path), c.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) { // only a refusal shows that nobody is behind it
		return fmt.Errorf("%s exists and can't be tried: %w; remove it, or choose another --extproc-listen", path, err)
	}
	return os.Remove(path)
}
