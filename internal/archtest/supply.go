package archtest

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Processes finds code of the product that starts programs: only the package that runs the operator's stdio servers may.
func Processes(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		if covers("internal/...", pkg.Path) || covers("e2e/...", pkg.Path) || covers("benchmarks/...", pkg.Path) || pkg.Path == "sidecar/stdio" {
			continue
		}
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			for _, target := range importsOf(f) {
				if target == "os/exec" {
					faults = append(faults, fmt.Sprintf("%s: only sidecar/stdio starts programs: do without os/exec", f.Path))
				}
			}
		}
	}
	return faults
}

var (
	exactPython = regexp.MustCompile(`^[A-Za-z0-9._\[\],-]+==[A-Za-z0-9.+!]+( *;.*)?( *\\)?$`)
	npmEntry    = regexp.MustCompile(`^\s*"(@?[a-z0-9][a-z0-9@/._-]*)":\s*"([^"]*)",?$`)
	exactNpm    = regexp.MustCompile(`^(npm:.*@)?[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*$`)
	image       = regexp.MustCompile(`^\s*(?:FROM\s+(?:--platform=\S+\s+)?|image:\s*)["']?([^\s"'#]+)`)
	exactImage  = regexp.MustCompile(`(@sha256:[0-9a-f]{64}|:[0-9]+\.[0-9][0-9A-Za-z._-]*)$`)
	replaced    = regexp.MustCompile(`(?m)^\s*(?:replace\s+)?\S+(?: v\S+)? => (\S+)`)
)

// Pinned finds dependencies of which a later build could take another version: Python and npm requirements, container
// images, and go.mod files that put something in another's place.
func Pinned(t *Tree) []string {
	var faults []string
	for name, text := range t.Texts {
		base := path.Base(name)
		switch {
		case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
			faults = append(faults, each(name, text, func(line string) bool {
				return line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "--hash") || exactPython.MatchString(line)
			}, "write name==version")...)
		case base == "package.json":
			faults = append(faults, npmFaults(name, text)...)
		case base == "go.mod":
			for _, m := range replaced.FindAllStringSubmatch(text, -1) {
				if name == "go.mod" || !strings.HasPrefix(m[1], "../") { // another module of this tree may be taken from it
					faults = append(faults, fmt.Sprintf("%s: %s takes the place of a module: require the version that is meant", name, m[1]))
				}
			}
		case strings.HasPrefix(base, "Dockerfile"), strings.HasPrefix(base, "compose"), strings.HasPrefix(base, "docker-compose"):
			for line := range strings.Lines(text) {
				if m := image.FindStringSubmatch(line); m != nil && m[1] != "scratch" && !strings.Contains(m[1], "${") && !exactImage.MatchString(m[1]) && strings.ContainsAny(m[1], "/:") {
					faults = append(faults, fmt.Sprintf("%s: the image %s is not pinned: write its version or digest", name, m[1]))
				}
			}
		}
	}
	return faults
}

func each(name, text string, good func(string) bool, next string) []string {
	var faults []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !good(line) {
			faults = append(faults, fmt.Sprintf("%s: %q is not pinned: %s", name, line, next))
		}
	}
	return faults
}

// npmFaults looks at the entries under dependencies and the like.
func npmFaults(name, text string) []string {
	var faults []string
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch trimmed := strings.TrimSpace(line); {
		case strings.Contains(trimmed, `ependencies": {`), strings.HasPrefix(trimmed, `"overrides": {`):
			within = !strings.Contains(trimmed, "}")
		case strings.HasPrefix(trimmed, "}"):
			within = false
		case within:
			if m := npmEntry.FindStringSubmatch(line); m != nil && !exactNpm.MatchString(m[2]) {
				faults = append(faults, fmt.Sprintf("%s: %s is at %q: write one exact version", name, m[1], m[2]))
			}
		}
	}
	return faults
}
