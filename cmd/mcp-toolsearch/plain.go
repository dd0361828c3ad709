package main

import (
	"encoding"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// listed puts each of several mistakes on a line of its own, after their number.
func listed(err error, what string) string {
	text := err.Error()
	n := strings.Count(text, "\n")
	if n == 0 {
		return text
	}
	return fmt.Sprintf("%d %s:\n  %s", n+1, what, strings.ReplaceAll(text, "\n", "\n  "))
}

// plain says what to write instead of a value that can't be read. Our own types say it themselves.
func (o option) plain(text string, err error) []error {
	switch {
	case o.field.Type == reflect.TypeFor[[]Route]():
		return routesMistakes(text)
	case reflect.PointerTo(o.field.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return []error{err}
	case o.field.Type == reflect.TypeFor[time.Duration]():
		return []error{fmt.Errorf("%q can't be read as a duration: write 30s, 10m", text)}
	case o.field.Type.Kind() == reflect.Bool:
		return []error{fmt.Errorf("%q is neither: write true or false", text)}
	case o.field.Type.Kind() == reflect.Int:
		return []error{fmt.Errorf("%q can't be read as a number: write a whole number", text)}
	}
	return []error{err}
}

// routesMistakes are those of all pairs of --routes, of which the parser tells the first alone.
func routesMistakes(text string) []error {
	var mistakes []error
	for _, pair := range strings.Split(text, ",") {
		var r Route
		if err := r.UnmarshalText([]byte(pair)); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// What package flag says about a command line.
var (
	flagUnknown  = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)
	flagNoValue  = regexp.MustCompile(`^flag needs an argument: -(.*)$`)
	flagSyntax   = regexp.MustCompile(`^bad flag syntax: (.*)$`)
	flagBadValue = regexp.MustCompile(`^invalid (boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)
)

// plainFlag says a mistake in a command line with the flag's name as people write it.
func plainFlag(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	text := err.Error()
	if m := flagUnknown.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("there is no flag --%s", m[1])
	}
	if m := flagNoValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("--%s needs a value", m[1])
	}
	if m := flagSyntax.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%q is no flag: write it like --name", m[1])
	}
	m := flagBadValue.FindStringSubmatch(text)
	switch {
	case m == nil:
		return err
	case m[1] != "":
		return fmt.Errorf("--%s: %s is neither: write true or false", m[3], m[2])
	}
	return fmt.Errorf("--%s: %s can't be read as a number: write a whole number", m[3], m[2])
}
