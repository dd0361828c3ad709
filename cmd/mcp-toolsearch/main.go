package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// version is stamped by the build.
var version = "dev"

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it ran and did not succeed
	exitUsage  = 2 // the command line or a setting is wrong
)

// usageError is a mistake of whoever wrote the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// terminal is what a command may use of the process.
type terminal struct {
	environ []string
	in      io.Reader
	out     io.Writer
	err     io.Writer
}

// command is one sub-command.
type command struct {
	name, args, about string
	run               func(ctx context.Context, t terminal, args []string) error
}

func commands() []command {
	return []command{
		{"serve", "[flags]", "serve Envoy's ext_proc filter, and MCP clients over HTTP (also without a command)", serve},
		{"stdio", "[flags]", "serve one MCP client that starts this program as a local command", stdioCommand},
		{"demo", "", "show what it does on made-up servers, in seconds, without anything else", demoCommand},
		{"search", `"words" --upstream URL | --config FILE [flags]`, "search an upstream's or merged servers' tools and print the hits", searchCommand},
		{"eval", "--tools FILE --questions FILE [flags]", "measure search on a catalog with questions whose answers are known", evalCommand},
		{"fetch-model", "--model-dir DIR [--model-url URL]", "download the large embedding model (530 MB)", fetchModel},
		{"healthcheck", "[--admin-listen host:port]", "exit 0 when the running sidecar is ready", healthcheck},
		{"version", "", "print the version", printVersion},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends a drain at once
	code := run(ctx, terminal{environ: os.Environ(), in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run finds the command and turns its error into an exit code and a message.
func run(ctx context.Context, t terminal, args []string) int {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	} else if len(args) > 0 {
		switch args[0] {
		case "-h", "-help", "--help":
			name = "help"
		case "-v", "-version", "--version":
			name, args = "version", nil
		}
	}
	if name == "help" {
		help(t.out)
		return exitOK
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		err := c.run(ctx, t, args)
		return report(t, name, err)
	}
	return report(t, name, usageError{fmt.Errorf("there is no command %q: see mcp-toolsearch help", name)})
}

func report(t terminal, name string, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(t.err, "mcp-toolsearch %s: %s\n", name, listed(err, "settings are wrong"))
		return exitUsage
	}
	fmt.Fprintf(t.err, "mcp-toolsearch %s: %s\n", name, listed(err, "things went wrong"))
	return exitFailed
}

// settingsOf parses a command line and reads the settings. Words are what stands between the flags. extra adds a
// command's own flags.
func settingsOf(t terminal, c string, args []string, extra func(*flag.FlagSet)) (Settings, []string, error) {
	s, words, err := parsed(t, c, args, extra)
	var unread *unreadable
	if errors.As(err, &unread) {
		err = usageError{err}
	}
	return s, words, err
}

// parsed is settingsOf for those who have more mistakes to tell: values that can't be read are an [unreadable] error,
// and all others are there.
func parsed(t terminal, c string, args []string, extra func(*flag.FlagSet)) (Settings, []string, error) {
	fs, values := flags(c)
	if extra != nil {
		extra(fs)
	}
	words, err := parseArgs(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(t.out, c, fs)
		return Settings{}, nil, err
	}
	if err != nil {
		return Settings{}, nil, usageError{fmt.Errorf("%w: see mcp-toolsearch %s --help", err, c)}
	}
	s, err := load(values, t.environ)
	s.command = c
	return s, words, err
}

// stray refuses words that a command takes none of.
func stray(c string, words []string) error {
	if len(words) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%q is not expected here: see mcp-toolsearch %s --help", words[0], c)}
}
