package aggregate

import (
	"path"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

const (
	// sourceKey is the member of a tool's _meta that names its server.
	sourceKey = "mcp-toolsearch/source"
	// oldKey is the member of a tool's _meta that says: from the last list of a
	// server that is down.
	oldKey = "mcp-toolsearch/old"
	// ownKey is the member of a tool's _meta that holds its server's own name
	// for it, where it is listed under another.
	ownKey = "mcp-toolsearch/name"
)

// item is one listed object and what of it steers.
type item struct {
	raw  []byte
	name string // name, uri or uriTemplate
}

// readItem takes what an item is known by. False: nobody could use it either.
func readItem(k kind, raw []byte) (item, bool) {
	key := "name"
	switch k {
	case resources:
		key = "uri"
	case templates:
		key = "uriTemplate"
	}
	fields, err := wire.Fields(raw)
	if err != nil {
		return item{}, false
	}
	for _, f := range fields {
		if f.Key == key {
			name, ok := wire.Text(f.Value)
			return item{raw: raw, name: name}, ok && name != ""
		}
	}
	return item{}, false
}

// rename gives an item another name; all other bytes stay.
func rename(raw []byte, name string) ([]byte, error) {
	return wire.SetField(raw, "name", wire.Quote(name))
}

// label notes in a tool's _meta which server it belongs to ("" when there is
// but one), that server's own name for it ("" when it is listed under that), and
// whether it comes from an old list. Other members of _meta stay as they are.
func label(raw []byte, server, own string, old bool) ([]byte, error) {
	if server == "" && own == "" && !old {
		return raw, nil
	}
	meta := field(raw, "_meta")
	if !wire.IsObject(meta) {
		meta = []byte("{}")
	}
	var err error
	if server != "" {
		meta, err = wire.SetField(meta, sourceKey, wire.Quote(server))
	}
	if err == nil && own != "" {
		meta, err = wire.SetField(meta, ownKey, wire.Quote(own))
	}
	if err == nil && old {
		meta, err = wire.SetField(meta, oldKey, []byte("true"))
	}
	if err != nil {
		return nil, err
	}
	return wire.SetField(raw, "_meta", meta)
}

// annotate applies what the operator says of a server's tool: writeTools make
// it a write, readTools make a read of one that says nothing about it.
func annotate(s servers.Server, name string, raw []byte) ([]byte, error) {
	annotations := field(raw, "annotations")
	switch {
	case matches(s.WriteTools, name, true):
		return setHint(raw, annotations, []byte("false"))
	case !matches(s.ReadTools, name, false) || said(annotations, "readOnlyHint") || isTrue(annotations, "destructiveHint"):
		return raw, nil
	}
	return setHint(raw, annotations, []byte("true"))
}

func setHint(raw, annotations, value []byte) ([]byte, error) {
	if annotations == nil || wire.IsNull(annotations) {
		annotations = []byte("{}")
	}
	if !wire.IsObject(annotations) {
		return raw, nil // unreadable annotations are a write for everybody
	}
	annotations, err := wire.SetField(annotations, "readOnlyHint", value)
	if err != nil {
		return nil, err
	}
	return wire.SetField(raw, "annotations", annotations)
}

// said reports a member that is there and not null. Annotations that aren't
// an object say something nobody understands.
func said(annotations []byte, key string) bool {
	if annotations != nil && !wire.IsNull(annotations) && !wire.IsObject(annotations) {
		return true
	}
	v := field(annotations, key)
	return v != nil && !wire.IsNull(v)
}

func isTrue(annotations []byte, key string) bool { return string(field(annotations, key)) == "true" }

// field is the raw value of a member of an object, nil when there is none.
func field(object []byte, key string) []byte {
	fields, err := wire.TopFields(object)
	if err != nil {
		return nil
	}
	for _, f := range fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// matches tests globs on a tool's name as the catalog does: * and ? also cross
// "/". broken says what a glob that doesn't parse counts as.
func matches(globs []string, name string, broken bool) bool {
	slash := strings.NewReplacer("/", "\x00")
	name = slash.Replace(name)
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(slash.Replace(glob), name)
		return ok || err != nil && broken
	})
}
