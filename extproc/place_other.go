//go:build !unix

package extproc

// ownerOnly has nothing to do where sockets have no permissions.
func ownerOnly(uintptr) {}
