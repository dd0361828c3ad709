package catalog

import (
	"fmt"
	"path"
	"strings"

	"mcp-toolsearch/sidecar/overlay"
)

// globs are patterns on tool names: as in path.Match, but `*` and `?` also
// cross "/", because a tool's name is not a path even when it has slashes.
type globs struct {
	patterns []string
	broken   bool // at least one doesn't parse
}

// slash stands for "/" on both sides of a match.
var slash = strings.NewReplacer("/", "\x00")

func newGlobs(patterns []string) globs {
	var g globs
	for _, p := range patterns {
		if CheckGlob(p) != nil {
			g.broken = true
			continue
		}
		g.patterns = append(g.patterns, slash.Replace(p))
	}
	return g
}

// CheckGlob says what is wrong with a pattern for tool names.
func CheckGlob(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return fmt.Errorf("%q is no pattern for tool names; write *, ? and [a-z] as in mail_* and escape others with a backslash", pattern)
	}
	return nil
}

func (g globs) match(name string) bool {
	if len(g.patterns) == 0 {
		return false
	}
	name = slash.Replace(name)
	for _, p := range g.patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// rules judge tools: which door, which source, and what the operator says else.
type rules struct {
	read, write globs
	separator   string
	overlay     *overlay.Overlay
}

// access decides the door, fail-closed. The operator's write list wins; a
// broken pattern in it makes every tool a write, because nobody knows which
// were meant; it goes by the server's own name for a tool too, or a server
// that takes the name first would take another's tool out of it. The read list
// lifts only what says nothing about itself.
func (r rules) access(d *definition) Access {
	name := d.tool.Name
	if r.write.broken || r.write.match(name) || d.own != "" && r.write.match(d.own) {
		return Write
	}
	if d.destructive == saidTrue || d.destructive == nonsense {
		return Write
	}
	if d.readOnly == saidTrue || (d.readOnly == unsaid && r.read.match(name)) {
		return Read
	}
	return Write
}
