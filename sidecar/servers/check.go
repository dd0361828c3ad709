package servers

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check says what is wrong with a list as a whole: names that are there twice,
// the same server twice, and callers' tokens that would reach two places.
// shareCallerToken allows the last.
func Check(list []Server, shareCallerToken bool) error {
	var mistakes []error
	names := map[string]bool{}
	for i, s := range list {
		if names[strings.ToLower(s.Name)] {
			mistakes = append(mistakes, fmt.Errorf("two servers have the name %s: rename one", s.Name))
		}
		names[strings.ToLower(s.Name)] = true
		for _, other := range list[:i] {
			if same(s, other) {
				mistakes = append(mistakes, fmt.Errorf("%s and %s are the same server: its tools would be there twice; remove one", other.Name, s.Name))
			}
		}
	}
	if origins := callerOrigins(list); len(origins) > 1 && !shareCallerToken {
		mistakes = append(mistakes, fmt.Errorf("auth: caller would send every caller's token to %d places (%s), and each could use it at the others: "+
			"keep it for one, or start with --share-caller-token if they are all meant to have it", len(origins), strings.Join(origins, ", ")))
	}
	return errors.Join(mistakes...)
}

// same tells servers that differ in their names alone. Two of the same address
// with different credentials, or two commands with different arguments, are two.
func same(a, b Server) bool {
	if a.URL != b.URL || a.Command != b.Command || a.Cwd != b.Cwd || a.Auth != b.Auth || a.Prefix != b.Prefix || a.TLS != b.TLS {
		return false
	}
	return slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// callerOrigins are the places that callers' tokens would go to, in order.
func callerOrigins(list []Server) []string {
	var origins []string
	for _, s := range list {
		if origin := s.Origin(); s.Auth == Caller && origin != "" && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return origins
}

// Join puts the servers of variables after those of a file. One that the file
// has too is left out; one whose name is taken gets a number.
func Join(file, variables []Server) []Server {
	list := slices.Clone(file)
	taken := map[string]bool{}
	for _, s := range file {
		taken[strings.ToLower(s.Name)] = true
	}
	for _, s := range variables {
		if slices.ContainsFunc(file, func(f Server) bool { return f.URL == s.URL }) {
			continue
		}
		s.Name = unique(s.Name, "", taken)
		list = append(list, s)
	}
	return list
}
