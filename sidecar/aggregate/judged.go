package aggregate

import "mcp-toolsearch/sidecar/wire"

// toolKind is what a listed tool says of itself.
type toolKind int

const (
	mayWrite toolKind = iota // it says so, or what it says can't be read
	saysNothing
	onlyReads
)

// kindOfTool reads a listed tool's annotations. Reads and writes are told
// apart as for the doors: read-only is what says so and does not also say that
// it destroys.
func kindOfTool(raw []byte) toolKind {
	annotations := field(raw, "annotations")
	switch {
	case annotations != nil && !wire.IsNull(annotations) && !wire.IsObject(annotations), isTrue(annotations, "destructiveHint"):
		return mayWrite
	case isTrue(annotations, "readOnlyHint"):
		return onlyReads
	case !said(annotations, "readOnlyHint"):
		return saysNothing
	}
	return mayWrite
}

// found is where a published name leads, in one and the same view.
type found struct {
	target
	kind toolKind // of a tool
	says string   // the source that a tool is listed with
}

func (m *merged) find(name string) (found, bool) {
	t, ok := m.targets[name]
	says, other := m.says[name]
	if !other {
		says = t.server
	}
	return found{t, m.kinds[name], says}, ok
}

// asJudged says whether a call that a door of ours let through would reach the
// tool it was judged on. Between the two the servers may have changed, and with
// them whose tool has the name. A call that nobody judged may go anywhere.
func (x *exchange) asJudged(f found) bool {
	as, server, present, ok := wire.ReadJudged(x.r.Header)
	switch {
	case !present:
		return true
	case !ok || server != f.says && server != f.server:
		return false
	case as == wire.AsRead:
		return f.kind == onlyReads
	case as == wire.AsLifted:
		return f.kind != mayWrite
	}
	return true
}
