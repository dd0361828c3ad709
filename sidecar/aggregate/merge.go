package aggregate

import (
	"bytes"
	"strconv"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// Bounds of one merged listing.
const (
	maxItems = 20_000
	maxBytes = 64 << 20
)

// input is one server's part of a merge.
type input struct {
	server servers.Server
	items  [][]byte
	old    bool // the server is down, and this is its last list
	bare   bool // it is the only server: its tools don't say whose they are
	silent bool // it has not been listed for this visitor
}

// target is where a published name leads.
type target struct {
	server string
	name   string // the server's own
}

// collision is a name that another server had first.
type collision struct {
	target
	name      string // that both want
	first     string // the server that has the name
	published string // what the loser is called; "" when it can't be reached
}

// merged is one listing of all servers. It is immutable.
type merged struct {
	kind       kind
	body       []byte // the JSON array
	count      int
	targets    map[string]target   // by published name or address
	kinds      map[string]toolKind // of tools, by published name
	order      []string            // the published names
	collisions []collision
	dropped    int               // items that nobody can use, or beyond the bounds
	tools      map[string]int    // items of each server
	patterns   []pattern         // of templates
	claims     map[string]string // whose a name is known to be
	silent     map[string]bool   // servers so far that have not been listed
	says       map[string]string // the source that a tool says, by published name, where it isn't its server
}

// merge joins the servers' lists in their order. The first server with a name
// has it; others get theirs as server__name, numbered from 2 when that is taken
// too. An address (of a resource or template) belongs to the first who lists it.
// A name that is known to be a server's (claims, by name) is not given to one
// behind it while that server can't be listed: it would lead a call elsewhere.
func merge(k kind, inputs []input, claims map[string]string) *merged {
	m := &merged{kind: k, claims: claims, silent: map[string]bool{}, targets: map[string]target{}, kinds: map[string]toolKind{}, says: map[string]string{}, tools: map[string]int{}}
	var body bytes.Buffer
	body.WriteByte('[')
	for _, in := range inputs {
		m.tools[in.server.Name] = 0
		m.silent[in.server.Name] = in.silent
		own := map[string]bool{}
		for _, raw := range in.items {
			it, ok := readItem(k, raw)
			if !ok || own[it.name] || m.count == maxItems || body.Len()+len(raw) > maxBytes {
				m.dropped++
				continue
			}
			own[it.name] = true
			m.add(&body, in, it)
		}
	}
	body.WriteByte(']')
	m.body = body.Bytes()
	if k == templates {
		m.patterns = patternsOf(m)
	}
	return m
}

func (m *merged) add(body *bytes.Buffer, in input, it item) {
	name := m.publish(in.server, it.name)
	if name == "" {
		return
	}
	raw, err := m.edit(in, it, name)
	if err != nil { // readItem has read it: this doesn't happen
		m.dropped++
		return
	}
	m.targets[name] = target{server: in.server.Name, name: it.name}
	if m.kind == tools {
		m.kinds[name] = kindOfTool(raw)
		if in.bare {
			m.says[name], _ = wire.String(field(field(raw, "_meta"), sourceKey))
		}
	}
	m.order = append(m.order, name)
	m.tools[in.server.Name]++
	if m.count++; m.count > 1 {
		body.WriteByte(',')
	}
	body.Write(raw)
}

// publish finds the name under which an item of a server is listed; "" when
// it can't be listed.
func (m *merged) publish(s servers.Server, own string) string {
	name := own
	if s.Prefix != "" && m.kind.named() {
		name = s.Prefix + "__" + own
	}
	first, taken := m.targets[name]
	if owner := m.claims[name]; !taken && m.silent[owner] && owner != s.Name {
		first.server, taken = owner, true
	}
	if !taken {
		return name
	}
	c := collision{target: target{server: s.Name, name: own}, name: name, first: first.server}
	if m.kind.named() {
		c.published = m.free(s.Name + "__" + own)
	}
	m.collisions = append(m.collisions, c)
	return c.published
}

func (m *merged) free(name string) string {
	candidate := name
	for n := 2; ; n++ {
		if _, taken := m.targets[candidate]; !taken {
			return candidate
		}
		candidate = name + "_" + strconv.Itoa(n)
	}
}

// edit makes the listed form of an item.
func (m *merged) edit(in input, it item, name string) (raw []byte, err error) {
	raw = it.raw
	if name != it.name {
		if raw, err = rename(raw, name); err != nil {
			return nil, err
		}
	}
	if m.kind != tools {
		return raw, nil
	}
	if raw, err = annotate(in.server, it.name, raw); err != nil {
		return nil, err
	}
	source, own := in.server.Name, ""
	if name != it.name {
		own = it.name
	}
	if in.bare { // as they are when they are relayed
		source = ""
	}
	return label(raw, source, own, in.old)
}
