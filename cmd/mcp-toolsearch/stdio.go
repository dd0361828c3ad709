package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"mcp-toolsearch/sidecar/relay"
)

// stdioCommand serves one client over stdin and stdout.
func stdioCommand(ctx context.Context, t terminal, args []string) error {
	s, err := serveSettings(t, "stdio", args)
	if err != nil {
		return err
	}
	return s.serveStdio(ctx, t)
}

// serveStdio is the stdio door, until stdin or ctx ends. Nothing but the protocol goes to stdout, and nothing listens.
func (s *Settings) serveStdio(ctx context.Context, t terminal) error {
	log := s.logger(t)
	c, err := s.newCore(ctx, log)
	if err != nil {
		return err
	}
	defer c.close()
	o := c.relayOptions()
	o.Loopback = true // its one client is this machine's
	door, err := relay.New(o)
	if err != nil {
		return usageError{err}
	}
	follow := c.follow(ctx)
	defer follow.stop()
	ctx, end := context.WithCancel(ctx)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE) // unheard, a client that dies during a call would end us before we end its servers
	defer signal.Stop(broken)
	follow.work.Go(func() {
		for {
			select {
			case <-hangup:
				follow.again()
			case <-ctx.Done():
				return
			}
		}
	})
	defer end()
	log.Info("serving", "version", version, "transport", "stdio", "upstream", s.upstreamName())
	err = relay.ServeStdio(ctx, relay.StdioOptions{Handler: door, Path: s.Routes[0].Search, LineBytes: int(s.MaxBody)}, t.in, t.out)
	if errors.Is(err, syscall.EPIPE) { // the client is gone: that is how many of them end
		err = nil
	}
	log.Info("stopped")
	return err
}
