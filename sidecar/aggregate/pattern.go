package aggregate

import "strings"

// pattern is a URI template (RFC 6570) as far as it says whose address one may
// be: what stands outside its expressions.
type pattern struct {
	server   string
	template string
	parts    []string // the literals; there is an expression between two of them
	literal  int      // bytes of all literals: the longer, the more it says
}

func newPattern(server, template string) pattern {
	p := pattern{server: server, template: template}
	rest := template
	for {
		before, after, found := strings.Cut(rest, "{")
		p.parts = append(p.parts, before)
		p.literal += len(before)
		if !found {
			return p
		}
		_, rest, _ = strings.Cut(after, "}")
	}
}

// patternsOf are the patterns of merged templates, in their order.
func patternsOf(m *merged) []pattern {
	all := make([]pattern, 0, len(m.order))
	for _, template := range m.order {
		all = append(all, newPattern(m.targets[template].server, template))
	}
	return all
}

// matches says that the template could expand to uri.
func (p pattern) matches(uri string) bool {
	last := len(p.parts) - 1
	rest, ok := strings.CutPrefix(uri, p.parts[0])
	if !ok || last == 0 {
		return ok && rest == ""
	}
	for _, literal := range p.parts[1:last] {
		_, after, found := strings.Cut(rest, literal)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, p.parts[last])
}

// ownerByTemplate is the server whose template says most about uri.
func (m *merged) ownerByTemplate(uri string) (server string, ok bool) {
	best := -1
	for _, p := range m.patterns {
		if p.literal > best && p.matches(uri) {
			best, server = p.literal, p.server
		}
	}
	return server, best >= 0
}
