package archtest

import (
	"fmt"
	"strings"
)

// Policy is the import order that ARCHITECTURE.md states.
type Policy struct {
	// Imports: package -> the packages of this module that it may import. A key or value ending in /... means the
	// package and all below it; "*" as a value means any.
	Imports []Arrow
	// Homes: a dependency -> the packages that may import it. "only the home" rules; unlisted dependencies are free.
	Homes []Arrow
}

// Arrow is one line of the policy.
type Arrow struct {
	From string
	To   []string
}

// ParsePolicy reads the two fenced blocks of ARCHITECTURE.md whose info strings are "text imports" and "text homes".
// A line is "left: right right ..."; a dash on the right stands for nothing.
func ParsePolicy(doc string) (Policy, error) {
	imports, err := block(doc, "imports")
	if err != nil {
		return Policy{}, err
	}
	homes, err := block(doc, "homes")
	return Policy{Imports: imports, Homes: homes}, err
}

func block(doc, name string) ([]Arrow, error) {
	open := "```text " + name + "\n"
	_, rest, found := strings.Cut(doc, open)
	if !found {
		return nil, fmt.Errorf("ARCHITECTURE.md has no block %q", strings.TrimSpace(open))
	}
	body, _, found := strings.Cut(rest, "\n```")
	if !found {
		return nil, fmt.Errorf("ARCHITECTURE.md: the block %q has no end", name)
	}
	var arrows []Arrow
	for line := range strings.Lines(body) {
		from, to, found := strings.Cut(line, ": ")
		if !found {
			return nil, fmt.Errorf("ARCHITECTURE.md: %q is not of the form \"left: right\"", strings.TrimSpace(line))
		}
		arrow := Arrow{From: strings.TrimSpace(from)}
		for _, target := range strings.Fields(to) {
			if target != "-" {
				arrow.To = append(arrow.To, target)
			}
		}
		arrows = append(arrows, arrow)
	}
	return arrows, nil
}

// arrowOf finds the line for a package: the exact one, else the longest pattern that covers it.
func (p Policy) arrowOf(pkg string) (Arrow, bool) {
	var best Arrow
	found := false
	for _, a := range p.Imports {
		if covers(a.From, pkg) && (!found || len(a.From) > len(best.From)) {
			best, found = a, true
		}
	}
	return best, found
}

// covers tells whether a pattern ("a/b", "a/b/...", "*") means this package.
func covers(pattern, pkg string) bool {
	if below, found := strings.CutSuffix(pattern, "/..."); found {
		return pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pattern == "*" || pattern == pkg
}

func (a Arrow) allows(pkg string) bool {
	for _, to := range a.To {
		if covers(to, pkg) {
			return true
		}
	}
	return false
}
