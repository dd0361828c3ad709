package sidecar_test

import (
	"fmt"
	"slices"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func TestASearchIsFollowedByACallOfOneOfItsHits(t *testing.T) {
	find, read, batch := call("search_tools", `{"query":"mail_find"}`), inner("call_read_tool", "mail_find", `{"q":"x"}`), calls(`{"name":"mail_find","arguments":{"q":"x"}}`)
	both := call("search_tools", `{"query":"mail_find, mail_purge"}`)
	for name, c := range map[string]struct {
		bodies []string
		want   []int
	}{
		"a call after a search":                 {[]string{find, read}, []int{1}},
		"a call in a batch":                     {[]string{find, batch}, []int{1}},
		"the second hit":                        {[]string{both, inner("call_write_tool", "mail_purge", `{"folder":"x"}`)}, []int{2}},
		"a search is followed once":             {[]string{find, read, read}, []int{1}},
		"two searches are followed once each":   {[]string{find, find, read, read, read}, []int{1, 1}},
		"a call of a tool that was not found":   {[]string{call("search_tools", `{"query":"clock"}`), read}, nil},
		"a call before any search":              {[]string{read, find}, nil},
		"a refused call":                        {[]string{find, inner("call_read_tool", "mail_find", `{"q":7}`)}, nil},
		"a fourth search drops the first":       {[]string{find, call("search_tools", `{"query":"clock_now"}`), call("search_tools", `{"query":"clock_now"}`), call("search_tools", `{"query":"clock_now"}`), read}, nil},
		"a search that finds nothing is no one": {[]string{find, call("search_tools", `{"query":"qqqqq"}`), call("search_tools", `{"query":"qqqqq"}`), call("search_tools", `{"query":"qqqqq"}`), read}, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, nil, office()...)
			for _, body := range c.bodies {
				decide(t, d, wire.Modern, body)
			}
			if got := d.Seen.Follows(); !slices.Equal(got, c.want) {
				t.Errorf("followed at %v, want %v", got, c.want)
			}
		})
	}
}

func TestAnotherCallersSearchIsNotFollowed(t *testing.T) {
	d := open(t, nil, office()...)
	decide(t, d, wire.Modern, call("search_tools", `{"query":"mail_find"}`), set("Authorization", "Bearer one"))
	decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{"q":"x"}`), set("Authorization", "Bearer two"))
	if got := d.Seen.Follows(); len(got) != 0 {
		t.Errorf("followed at %v", got)
	}
}

// TestCallersThatWereAwayLongestAreForgotten holds the bound: twice as many callers as there is room for, and the first is gone.
func TestCallersThatWereAwayLongestAreForgotten(t *testing.T) {
	for callers, want := range map[int]int{2: 1, 9: 0} {
		d := open(t, func(s *testdoor.Setup) { s.Engine.Callers = 8 }, office()...)
		as := func(i int) func(*sidecar.Request) { return set("Authorization", fmt.Sprintf("Bearer %d", i)) }
		for i := range callers {
			decide(t, d, wire.Modern, call("search_tools", `{"query":"mail_find"}`), as(i))
		}
		decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{"q":"x"}`), as(0))
		if got := len(d.Seen.Follows()); got != want {
			t.Errorf("after %d callers %d searches of the first are remembered, want %d", callers, got, want)
		}
	}
}

// TestWhatIsSavedIsCountedOnce: a listing of the five stands for a whole catalog as soon as the caller uses one.
func TestWhatIsSavedIsCountedOnce(t *testing.T) {
	tools := office()
	size := 0
	for _, tool := range tools {
		size += len(tool)
	}
	d := open(t, nil, tools...)
	listing := len(decide(t, d, wire.Modern, list).Body)
	if shown, avoided := d.Seen.Tokens(); shown != listing/4 || avoided != 0 {
		t.Errorf("after a listing %d shown, %d avoided; want %d and 0", shown, avoided, listing/4)
	}
	found := len(decide(t, d, wire.Modern, call("search_tools", `{"query":"mail"}`)).Body)
	decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{"q":"x"}`))
	if shown, avoided := d.Seen.Tokens(); shown != listing/4+found/4 || avoided != size/4 {
		t.Errorf("after a search and a call %d shown, %d avoided; want %d and %d", shown, avoided, listing/4+found/4, size/4)
	}
	decide(t, d, wire.Modern, list)
	decide(t, d, wire.Modern, list)
	decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{"q":"x"}`))
	if _, avoided := d.Seen.Tokens(); avoided != size/4+2*size/4 {
		t.Errorf("after two more listings and a call %d avoided, want %d", avoided, size/4+2*size/4)
	}
}

func TestARequestHasTheGatewaysIDOrOneOfOurs(t *testing.T) {
	const id = "7f3c1d2e-0000-4a5b-8c9d-0123456789AB"
	d := open(t, nil, office()...)
	seen := map[string]bool{}
	for header, theirs := range map[string]bool{id: true, "": false, "m4rk": false, id + "0": false, "7f3c1d2e_0000_4a5b_8c9d_0123456789ab": false, "7f3c1d2e-0000-4a5b-8c9d-0123456789zz": false} {
		decide(t, d, wire.Modern, list, set("X-Request-Id", header))
		got := d.Seen.Last().RequestID
		if (got == "7f3c1d2e-0000-4a5b-8c9d-0123456789ab") != theirs || got == "" || seen[got] || got == header {
			t.Errorf("x-request-id %q: the id is %q", header, got)
		}
		seen[got] = true
	}
	decide(t, d, wire.Modern, list, func(r *sidecar.Request) { r.Header["X-Request-Id"] = []string{id, id} })
	if got := d.Seen.Last().RequestID; len(got) == len(id) {
		t.Errorf("of two ids %q was taken", got)
	}
}
