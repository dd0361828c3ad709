package differential

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Child is a program that reads bodies in another language. It takes a length of four bytes, the highest first, and a
// body, and answers in the same way with a JSON object: reader → what it read, or null where it refused.
type Child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts a program; env comes on top of the own environment. Close it.
func Start(ctx context.Context, env []string, program string, args ...string) (*Child, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Child{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16)}, nil
}

// Read gives what each of the child's readers reads; a nil slice is a refusal.
func (c *Child) Read(body []byte) (map[string][]Reading, error) {
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	if _, err := c.in.Write(append(frame, body...)); err != nil {
		return nil, fmt.Errorf("the reader %s ended: %w", c.cmd.Path, err)
	}
	var size [4]byte
	if _, err := io.ReadFull(c.out, size[:]); err != nil {
		return nil, fmt.Errorf("the reader %s ended: %w", c.cmd.Path, err)
	}
	answer := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c.out, answer); err != nil {
		return nil, fmt.Errorf("the reader %s ended: %w", c.cmd.Path, err)
	}
	var readings map[string][]Reading
	return readings, json.Unmarshal(answer, &readings)
}

// Close ends the program and waits for it.
func (c *Child) Close() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }
