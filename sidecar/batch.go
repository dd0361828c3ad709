package sidecar

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/crash"
)

// batch runs several read-only tools side by side. Every item is checked like a single call; an item's failure is its
// own. Writes are refused item by item: they are never batched.
func (e *Engine) batch(ctx context.Context, t *turn, args arguments) Decision {
	calls, refusal := e.callsOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	if e.o.BatchDoor && t.req.Reroutes && progressToken(t.msg) != nil {
		return e.toDoor(t)
	}
	if _, err := e.o.Catalogs.Get(ctx, t.view().request()); err != nil {
		return e.catalogFailed(t, err)
	}
	ctx, end := e.running.add(ctx, t)
	defer end()
	progress := e.startProgress(t, len(calls))
	items := make([]item, len(calls))
	var g errgroup.Group
	var broke crash.Kept
	g.SetLimit(e.o.Parallel)
	for i, raw := range calls {
		g.Go(func() error {
			defer broke.Keep()
			span := t.step(StepItem)
			items[i] = e.runItem(ctx, t.under(span), raw)
			span.End(itemFacts(i+1, items[i].outcome))
			e.o.Observer.BatchItem(items[i].outcome)
			progress.ended(items[i])
			return nil
		})
	}
	_ = g.Wait() // items carry their own errors
	broke.Raise()
	begun := progress.stop()
	if slices.ContainsFunc(items, func(it item) bool { return it.auth != nil }) {
		e.o.Catalogs.Forget(t.view().request())
	}
	if auth := allUnauthorized(items); auth != nil && !begun {
		return e.challenge(t, auth)
	}
	return e.answer(t, e.batchResult(items))
}

// BatchSuffix is what a gateway's path for batches has behind the search path's.
const BatchSuffix = "/batch"

// toDoor sends a batch to the HTTP door, which can tell its progress: an immediate answer of ext_proc comes whole.
func (e *Engine) toDoor(t *turn) Decision {
	d := e.pass(t)
	d.Path, d.handedOn = t.route.Search+BatchSuffix, true
	return d
}

// callsOf reads calls: an array of objects, or the array as JSON text.
func (e *Engine) callsOf(args arguments) ([][]byte, *Refusal) {
	calls, err := elementsOf(args["calls"])
	switch {
	case err != nil:
		return nil, &Refusal{BadCall, fmt.Sprintf("calls can't be read: the text in it is not a JSON array with distinct keys. Send the array itself: {\"calls\":[%s]}. Nothing was run.", callShape)}
	case len(calls) == 0 && args.has("name"):
		return nil, &Refusal{BadCall, fmt.Sprintf("%s takes calls: {\"calls\":[%s]}. For one call use %s. Nothing was run.", CallReadTools, callShape, CallReadTool)}
	case len(calls) == 0:
		return nil, &Refusal{BadCall, fmt.Sprintf("calls is missing: give 1 to %d calls, like {\"calls\":[%s]}.", e.o.Batch, callShape)}
	case len(calls) > e.o.Batch:
		return nil, &Refusal{BadCall, fmt.Sprintf("calls has %d entries: at most %d run at a time. Nothing was run.", len(calls), e.o.Batch)}
	}
	return calls, nil
}

func (e *Engine) runItem(ctx context.Context, t *turn, raw []byte) item {
	args, err := objectOf(raw)
	if err != nil {
		return refusedItem("", Refusal{BadCall, "each call must be an object like " + callShape})
	}
	inner, refusal := innerCallOf(args)
	if refusal != nil {
		return refusedItem(inner.name, *refusal)
	}
	ok, refusal, err := e.check(ctx, t, inner, true)
	switch {
	case err != nil:
		return refusedItem(inner.name, catalogRefusal(err))
	case refusal != nil:
		return refusedItem(inner.name, *refusal)
	}
	out := e.sendItem(ctx, t, ok)
	if len(ok.repaired) > 0 {
		e.o.Observer.Repaired(len(ok.repaired))
		out.state += fmt.Sprintf(" (decoded from JSON text: %s)", strings.Join(ok.repaired, ", "))
	}
	return out
}

// sendItem makes the call. Only what check let through comes here, and it is a read.
func (e *Engine) sendItem(ctx context.Context, t *turn, ok checked) item {
	if ok.tool.Access != catalog.Read { // the door's rule once more, where it can't be taken back
		return refusedItem(ok.tool.Name, wrongDoor(ok.tool))
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.ItemTimeout)
	defer cancel()
	span := t.step(StepCall)
	answer, err := e.o.Upstreams.Call(ctx, t.target, t.who, e.callOf(t.under(span), ok))
	out := itemOf(ok, answer, err)
	span.End(callFacts(ok, out.outcome, err))
	return out
}
