//go:build !unix

package stdio

import "os/exec"

// ownGroup does nothing: process groups are Unix'. What a server starts there has to end with the server itself.
func ownGroup(*exec.Cmd) {}

// terminateGroup does nothing: there is no signal to ask with.
func terminateGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
