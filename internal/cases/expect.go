package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// faults are the ways in which an exchange is not as expected.
func (p *player) faults(c Case, x *exchange, uncompilable int) []string {
	e := c.Expect
	v := &verdict{x: x, tools: p.tools}
	v.upstreamCalls(e)
	v.outcome(e)
	v.hits(e)
	v.items(e)
	v.definitions(e)
	v.list(e.ListExpect)
	if e.ResultEqualsUpstream && !bytes.Equal(compact(x.result), compact(c.UpstreamResult)) {
		v.add("result is\n%s\nwant\n%s", compact(x.result), compact(c.UpstreamResult))
	}
	if e.CounterIncreases != "" && p.stack.Uncompilable() <= uncompilable {
		v.add("the counter did not increase: %s", e.CounterIncreases)
	}
	if n := int(p.fetches.Load()); e.NetworkFetches != nil && n != *e.NetworkFetches {
		v.add("%d documents were fetched from the web, want %d", n, *e.NetworkFetches)
	}
	return v.faults
}

type verdict struct {
	x      *exchange
	tools  []string
	faults []string
}

func (v *verdict) add(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

func (v *verdict) upstreamCalls(e Expect) {
	if e.UpstreamCallsNames != nil {
		names := make([]string, 0, len(v.x.upstream))
		for _, r := range v.x.upstream {
			names = append(names, r.Name)
		}
		slices.Sort(names)
		if want := slices.Sorted(slices.Values(e.UpstreamCallsNames)); !slices.Equal(names, want) {
			v.add("the upstream got calls of %q, want %q", names, want)
		}
	}
	if e.UpstreamCallsEach != nil {
		v.sameCalls(e.UpstreamCallsEach)
	}
	if e.UpstreamCalls == nil {
		return
	}
	var calls []UpstreamCall
	if n, err := strconv.Atoi(string(e.UpstreamCalls)); err == nil {
		if len(v.x.upstream) != n {
			v.add("the upstream got %d calls, want %d", len(v.x.upstream), n)
		}
	} else if err := json.Unmarshal(e.UpstreamCalls, &calls); err != nil {
		v.add("upstream_calls is neither a number nor calls")
	} else {
		v.sameCalls(calls)
	}
}

func (v *verdict) sameCalls(want []UpstreamCall) {
	if len(v.x.upstream) != len(want) {
		v.add("the upstream got %d calls, want %d", len(v.x.upstream), len(want))
		return
	}
	for i, w := range want {
		got := v.x.upstream[i]
		if got.Name != w.Name || !sameJSON(got.Arguments, w.Arguments) {
			v.add("the upstream got %s %s, want %s %s", got.Name, got.Arguments, w.Name, compact(w.Arguments))
		}
	}
}

func sameJSON(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// content are the answer's blocks.
func (v *verdict) content() (blocks []block, isError bool) {
	var r struct {
		Content []block
		IsError bool
	}
	_ = json.Unmarshal(v.x.result, &r)
	return r.Content, r.IsError
}

type block struct{ Type, Text string }

func (v *verdict) text() string {
	blocks, _ := v.content()
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (v *verdict) outcome(e Expect) {
	text := v.text()
	if e.IsError != nil {
		if _, isError := v.content(); isError != *e.IsError || v.x.result == nil {
			v.add("isError is %t (result present: %t), want %t", isError, v.x.result != nil, *e.IsError)
		}
	}
	v.names("the text", text, e.TextNames)
	if e.TextHasSchemaOf != "" {
		if schema := schemaOf(v.tools, e.TextHasSchemaOf); schema == nil || !strings.Contains(text, string(schema)) {
			v.add("the text lacks the input schema of %s", e.TextHasSchemaOf)
		}
	}
	if h := e.ResponseHeader; h != "" && v.x.header.Get(h) == "" {
		v.add("the header %s is missing", h)
	}
	if h := e.ResponseHeaderAbsent; h != "" && v.x.header.Get(h) != "" {
		v.add("the header %s is there", h)
	}
	for _, word := range e.AbsentEverywhere {
		if strings.Contains(strings.ToLower(string(v.x.body)+fmt.Sprint(v.x.header)), strings.ToLower(word)) {
			v.add("%q is in the answer", word)
		}
	}
	for _, digits := range e.DigitsPreserved {
		if !bytes.Contains(v.x.body, []byte(digits)) {
			v.add("the digits %s are not in the answer", digits)
		}
	}
}

func (v *verdict) names(where, text string, words []string) {
	for _, word := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			v.add("%s does not say %q", where, word)
		}
	}
}

// hit is one line of a search's answer.
type hit struct{ name, door string }

var hitLine = regexp.MustCompile(`(?m)^\d+\. (\S+) \| [^|\n]* \| (\w+) \| `)

func hitsOf(text string) []hit {
	var hits []hit
	for _, m := range hitLine.FindAllStringSubmatch(text, -1) {
		hits = append(hits, hit{m[1], m[2]})
	}
	return hits
}

func (v *verdict) hits(e Expect) {
	hits := hitsOf(v.text())
	rank := map[string]int{}
	for i, h := range hits {
		rank[h.name] = i + 1
	}
	if e.First != "" && rank[e.First] != 1 {
		v.add("%s is hit %d, want 1", e.First, rank[e.First])
	}
	for _, name := range e.FirstNamesAnyOrder {
		if r := rank[name]; r < 1 || r > len(e.FirstNamesAnyOrder) {
			v.add("%s is hit %d, want one of the first %d", name, r, len(e.FirstNamesAnyOrder))
		}
	}
	for name, most := range e.InTop {
		if r := rank[name]; r < 1 || r > most {
			v.add("%s is hit %d, want one of the first %d", name, r, most)
		}
	}
	for _, name := range e.ContainsNames {
		if rank[name] == 0 {
			v.add("%s is no hit", name)
		}
	}
	for _, name := range e.NotFirst {
		if rank[name] == 1 {
			v.add("%s is the first hit", name)
		}
	}
	if e.MaxResults != nil && len(hits) > *e.MaxResults {
		v.add("%d hits, want at most %d", len(hits), *e.MaxResults)
	}
	for name, door := range e.DoorOf {
		if r := rank[name]; r == 0 || hits[r-1].door != door {
			v.add("the hits don't say that %s runs with %s", name, door)
		}
	}
}
