package catalog

import (
	"cmp"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// nameSeparators end the part of a name that may be a server's.
const nameSeparators = "_-./"

// sourceKey is the member of a tool's _meta in which our own merge of several
// servers names the one it comes from.
const sourceKey = "mcp-toolsearch/source"

// ownKey is the member there that holds the server's own name for the tool,
// where our merge lists it under another.
const ownKey = "mcp-toolsearch/name"

// mergedFrom reads what our own merge says in a tool's _meta: the server, and
// its own name for the tool; "" what it doesn't say.
func mergedFrom(meta []byte) (source, own string) {
	fields, err := wire.TopFields(meta)
	if err != nil {
		return "", ""
	}
	for _, f := range fields {
		switch f.Key {
		case sourceKey:
			source, _ = wire.String(f.Value)
		case ownKey:
			own, _ = wire.String(f.Value)
		}
	}
	return source, own
}

// label gives each tool its source: the server that our own merge names; with
// a separator set, the part of the name before it; else the part before "__";
// else the part before the first of _ - . / when at least two tools share it;
// else none.
func label(all []*Tool, separator string) {
	tools := slices.DeleteFunc(slices.Clone(all), func(t *Tool) bool { return t.Source != "" })
	shared := map[string]int{}
	for _, t := range tools {
		t.Source = before(t.Name, cmp.Or(separator, "__"))
		if t.Source == "" && separator == "" {
			shared[firstPart(t.Name)]++
		}
	}
	if separator != "" {
		return
	}
	for _, t := range tools {
		if part := firstPart(t.Name); t.Source == "" && shared[part] > 1 {
			t.Source = part
		}
	}
}

func before(name, separator string) string {
	if part, _, found := strings.Cut(name, separator); found {
		return part
	}
	return ""
}

func firstPart(name string) string {
	if i := strings.IndexAny(name, nameSeparators); i > 0 {
		return name[:i]
	}
	return ""
}

// sourcesOf counts the tools of each source, by name.
func sourcesOf(tools []*Tool) []Source {
	counts := map[string]int{}
	for _, t := range tools {
		if t.Source != "" {
			counts[t.Source]++
		}
	}
	sources := make([]Source, 0, len(counts))
	for name, n := range counts {
		sources = append(sources, Source{Name: name, Tools: n})
	}
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return sources
}
