//go:build unix

package extproc

import "syscall"

// ownerOnly narrows the permissions of a socket that has no name yet.
func ownerOnly(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) } // where that can't be, the umask counts
