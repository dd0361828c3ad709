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
	entry *entry   // of the configuration that the view was made of; nil when it has left
	kind  toolKind // of a tool
	says  string   // the source that a tool is listed with
}

func (m *merged) find(name string) (found, bool) {
	t, ok := m.targets[name]
	says, other := m.says[name]
	if !other {
		says = t.server
	}
	return found{target: t, kind: m.kinds[name], says: says}, ok
}

// asJudged says whether a call that a door of ours let through would reach the
// tool it was judged on. Between the two the servers may have changed, and with
// them whose tool has the name. A call that nobody judged may go anywhere.
func (x *exchange) asJudged(f found) bool {
	as, server, present, ok := wire.ReadJudged(x.r.Header)
	switch {
	case !present:
		return true
	case !ok || server != f.says && server != f.server && (server != "" || x.roster.single() == nil): // the only server's tools are listed without a source
		return false
	case as == wire.AsRead:
		return f.kind == onlyReads
	case as == wire.AsLifted:
		return f.kind != mayWrite
	}
	return true
}

// judgedElsewhere answers a call to the only server that a door of ours let
// through and that would not reach the tool it was judged on: the server is
// another one since then, or lists the tool as another kind. What can't be told
// is no longer that tool either. It says whether it has answered.
func (x *exchange) judgedElsewhere(e *entry, body []byte) bool {
	if _, _, present, _ := wire.ReadJudged(x.r.Header); !present {
		return false
	}
	msg, fault := wire.Scan(body, wire.Limits{Bytes: x.a.o.BodyBytes})
	if fault != nil || msg.Method != "tools/call" {
		return false // nothing that was judged runs
	}
	x.msg, x.who = msg, x.a.visitor(x.r.Header)
	x.era, _, _ = wire.EraOf(x.r.Header)
	t, ok, err := x.find(tools, msg.Name)
	if err != nil {
		x.failed(nil, err, false)
		return true
	}
	if ok && t.entry == e && x.asJudged(t) {
		return false
	}
	if refused := x.mustLogIn(x.a.shelf(x.who, tools).view()); !ok && refused != nil {
		x.challenge(refused)
		return true
	}
	x.refuseMoved()
	return true
}

// refuseMoved says that a call would not reach the tool it was judged on.
func (x *exchange) refuseMoved() {
	if x.a.o.Moved != nil {
		x.a.o.Moved(x.r.Header)
	}
	x.result(wire.TextResult("This is no longer the tool that was found: the name is another server's now, or the tool's kind has changed. "+
		"Nothing was run. Call search_tools with refresh true, and go by what it lists.", true))
}
