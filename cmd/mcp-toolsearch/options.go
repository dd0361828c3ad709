package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Size is a number of bytes; it is read with the endings KiB, MiB and GiB or without.
type Size int64

// UnmarshalText reads "4MiB", "32000".
func (s *Size) UnmarshalText(text []byte) error {
	digits, factor := strings.TrimSpace(string(text)), int64(1)
	for _, unit := range []struct {
		ending string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if d, ok := strings.CutSuffix(digits, unit.ending); ok {
			digits, factor = strings.TrimSpace(d), unit.factor
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > (1<<40)/factor {
		return fmt.Errorf("%q is not a size: write bytes like 32000, or 64KiB, 4MiB, 1GiB", text)
	}
	*s = Size(n * factor)
	return nil
}

// option is one field of Settings.
type option struct {
	field                              reflect.StructField
	env, flag, fallback, help, example string
	bare                               string // the variable without the prefix, where it counts
}

// options lists the fields of Settings in order.
func options() []option {
	t := reflect.TypeFor[Settings]()
	list := make([]option, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("env")
		if name == "" {
			continue
		}
		bare := ""
		if f.Tag.Get("plain") == "true" {
			bare = name
		}
		flag := f.Tag.Get("flag")
		if flag == "" {
			flag = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		}
		list = append(list, option{bare: bare, field: f, env: envPrefix + name, flag: flag,
			fallback: f.Tag.Get("envDefault"), help: f.Tag.Get("help"), example: f.Tag.Get("example")})
	}
	return list
}

// given are the flags of a command line, as text by variable: the same parser then reads flags and environment.
type given map[string]string

// flagValue collects one flag. A repeated list flag adds to the list.
type flagValue struct {
	into    given
	option  option
	boolean bool
}

func (v flagValue) String() string   { return "" }
func (v flagValue) IsBoolFlag() bool { return v.boolean }

func (v flagValue) Set(text string) error {
	if old, ok := v.into[v.option.env]; ok && v.option.field.Type.Kind() == reflect.Slice {
		text = old + "," + text
	}
	v.into[v.option.env] = text
	return nil
}

// flags returns a flag set with a flag for every option; the values end up in the returned map.
func flags(command string) (*flag.FlagSet, given) {
	fs := flag.NewFlagSet(command, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // its errors are reported with ours
	values := given{}
	for _, o := range options() {
		fs.Var(flagValue{into: values, option: o, boolean: o.field.Type.Kind() == reflect.Bool}, o.flag, o.help)
	}
	return fs, values
}

// parseArgs parses flags wherever they stand and returns the words between them.
func parseArgs(fs *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, plainFlag(err)
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if len(rest) < len(args) && args[len(args)-len(rest)-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// unreadable are the options whose values can't be read; all others are.
type unreadable struct {
	flags    []string
	mistakes []error
}

// Error tells every mistake on a line of its own.
func (u *unreadable) Error() string { return errors.Join(u.mistakes...).Error() }

func (u *unreadable) list() []error {
	if u == nil {
		return nil
	}
	return u.mistakes
}

// tells says whether a mistake is about an option that couldn't be read: it is about the empty value then.
func (u *unreadable) tells(mistake error) bool {
	if u == nil {
		return false
	}
	about, _, _ := strings.Cut(mistake.Error(), " ")
	return slices.Contains(u.flags, strings.TrimSuffix(about, ":"))
}

// load reads the settings: defaults, environment, flags. The error is an [unreadable] that lists every mistake.
func load(values given, environ []string) (Settings, error) {
	variables := env.ToMap(environ)
	outside := maps.Clone(variables)
	for name, text := range values {
		variables[name] = text
	}
	adopt(variables)
	s := Settings{set: map[string]bool{}, environ: outside, hostPort: variables[barePort]}
	for _, o := range options() {
		s.set[strings.TrimPrefix(o.env, envPrefix)] = variables[o.env] != ""
	}
	err := env.ParseWithOptions(&s, env.Options{Environment: variables, Prefix: envPrefix})
	if text, flag := values[envPrefix+"EXTPROC_LISTEN"]; flag && text == "" { // an empty variable means the default
		s.ExtprocListen = listenOff
	}
	s.LogLevel = plainLevel(s.LogLevel)
	var all env.AggregateError
	if err == nil || !errors.As(err, &all) {
		return s, err
	}
	unread := &unreadable{}
	for _, e := range all.Errors {
		unread.note(e, variables)
	}
	return s, unread
}

// note names the flag and the variable of an option that can't be read.
func (u *unreadable) note(err error, variables map[string]string) {
	var parse env.ParseError
	if errors.As(err, &parse) {
		for _, o := range options() {
			if o.field.Name == parse.Name {
				u.flags = append(u.flags, "--"+o.flag)
				for _, mistake := range o.plain(variables[o.env], parse.Err) {
					u.mistakes = append(u.mistakes, fmt.Errorf("--%s (%s): %w", o.flag, o.env, mistake))
				}
				return
			}
		}
	}
	u.mistakes = append(u.mistakes, err)
}
