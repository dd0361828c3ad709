package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"
)

func help(w io.Writer) {
	fmt.Fprintln(w, "mcp-toolsearch: five meta-tools in front of any number of MCP tools.\n\nCommands:")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-12s %s\n", c.name, c.about)
	}
	fmt.Fprintln(w, "\nmcp-toolsearch COMMAND --help shows a command's flags. Every setting of serve has an environment variable: --catalog-ttl is "+envPrefix+"CATALOG_TTL.")
}

// matters are the settings that make a difference to a command; serve has all. The others are taken and do nothing, so
// that one environment fits every command.
func matters(command, setting string) bool {
	model := []string{"embedder", "model-dir", "overlay"}
	of := map[string][]string{
		"search": append(model, "upstream", "upstream-authority", "upstream-ca", "upstream-cert", "upstream-key", "tls-min-version", "upstream-sni", "write-tools", "read-tools",
			"config", "upstreams", "upstream-proxy", "share-caller-token", "source-separator", "list-timeout", "max-pages", "max-tools", "max-listing"),
		"eval":        model,
		"fetch-model": {"model-dir", "model-url"},
		"healthcheck": {"admin-listen"},
		"version":     {},
		"demo":        {},
	}
	if command == "stdio" {
		return !listens(setting)
	}
	some, ok := of[command]
	return !ok || slices.Contains(some, setting)
}

// listens tells the settings of the doors that other machines and gateways reach.
func listens(setting string) bool {
	return slices.Contains([]string{"extproc-listen", "listen", "port", "token-file", "tls-cert", "tls-key", "tls-client-ca", "extproc-tls-cert", "extproc-tls-key", "extproc-client-ca", "extproc-client-names",
		"extproc-socket-mode", "extproc-socket-group", "allowed-origins", "allowed-hosts", "admin-listen",
		"public-url", "reroute", "batch-door", "session-key-file", "transport", "drain-notice"}, setting)
}

// usage prints the flags that matter to a command, with the form and the default of their values.
func usage(w io.Writer, name string, fs *flag.FlagSet) {
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprintf(w, "mcp-toolsearch %s %s\n  %s\n", c.name, c.args, c.about)
		}
	}
	byFlag := map[string]option{}
	for _, o := range options() {
		byFlag[o.flag] = o
	}
	title := "\nFlags:\n"
	fs.VisitAll(func(f *flag.Flag) {
		form, about, fallback := form(f)
		if o, ok := byFlag[f.Name]; ok {
			if !matters(name, f.Name) {
				return
			}
			form, about, fallback = o.form(), o.help, o.fallback
		}
		if fallback != "" {
			fallback = " (default " + fallback + ")"
		}
		fmt.Fprintf(w, "%s  --%s%s%s\n      %s\n", title, f.Name, form, fallback, about)
		title = ""
	})
}

// form is how a value of a setting is written.
func (o option) form() string {
	switch {
	case o.field.Tag.Get("form") != "":
		return " " + o.field.Tag.Get("form")
	case o.field.Type == reflect.TypeFor[time.Duration]():
		return " DURATION"
	case o.field.Type == reflect.TypeFor[Size]():
		return " BYTES"
	case o.field.Type.Kind() == reflect.Bool:
		return "=true|false"
	case o.field.Type.Kind() == reflect.Int:
		return " NUMBER"
	case o.field.Type.Kind() == reflect.Slice:
		return " LIST"
	}
	return " TEXT"
}

// form is the same for a command's own flag; the name of its value stands in backquotes in its text.
func form(f *flag.Flag) (form, about, fallback string) {
	form, about = flag.UnquoteUsage(f)
	fallback = f.DefValue
	switch form {
	case "": // a boolean
		return "", about, ""
	case "int":
		form = "NUMBER"
	}
	return " " + form, about, fallback
}

func printVersion(_ context.Context, t terminal, args []string) error {
	fs := flag.NewFlagSet("version", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	words, err := parseArgs(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(t.out, "version", fs)
		return err
	case err != nil:
		return usageError{err}
	}
	if err := stray("version", words); err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, "mcp-toolsearch", version)
	return err
}
