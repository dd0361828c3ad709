package catalog

import (
	"fmt"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

func TestSearchingACatalog(t *testing.T) {
	s := newStore(t, &lister{next: gives(raw(
		`{"name":"mail_find","description":"Find mail.","inputSchema":{},"annotations":{"readOnlyHint":true}}`,
		`{"name":"mail_purge","description":"Empty a mail folder.","inputSchema":{}}`,
		`{"name":"clock_now","description":"The time.","inputSchema":{"properties":{"zone":{"enum":["Vilnius"]}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"clock_set","description":"Set the time.","inputSchema":{}}`))}, nil)
	c := mustGet(t, s, identities(t)("x"))
	read, write := Read, Write
	for name, tc := range map[string]struct {
		q    SearchQuery
		want string
	}{
		"by words":                   {SearchQuery{Text: "mail", Limit: 8}, "mail_find mail_purge"},
		"only reads":                 {SearchQuery{Text: "mail", Limit: 8, Access: &read}, "mail_find"},
		"only writes":                {SearchQuery{Text: "mail", Limit: 8, Access: &write}, "mail_purge"},
		"only one source":            {SearchQuery{Text: "mail time", Limit: 8, Source: "clock", Access: &write}, "clock_set"},
		"by an enum value":           {SearchQuery{Text: "Vilnius", Limit: 8}, "clock_now"},
		"another source has nothing": {SearchQuery{Text: "mail", Limit: 8, Source: "nobody"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, h := range c.Search(tc.q).Hits {
				got = append(got, h.Tool.Name)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("hits = %v, want %s", got, tc.want)
			}
		})
	}
	if hits := c.Search(SearchQuery{Text: "mail_purge", Limit: 1}).Hits; len(hits) == 0 || !hits[0].Exact {
		t.Errorf("an exact name is not exact: %+v", hits)
	}
	if near := c.Near("mail_fnd"); len(near) == 0 || near[0] != "mail_find" {
		t.Errorf("near = %v", near)
	}
	if len(c.Sources()) != 2 || c.Lookup("clock_now") == nil || c.Lookup("Clock_now") != nil {
		t.Errorf("sources %v, or names are found in another case", c.Sources())
	}
}

// TestAgainstAnUpstream goes the whole way: HTTP, pages, the legacy era.
func TestAgainstAnUpstream(t *testing.T) {
	up := upstreamtest.New(t)
	var definitions []string
	for i := range 25 {
		definitions = append(definitions, fmt.Sprintf(`{"name":"srv_%02d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"}}`, i))
	}
	up.SetTools(definitions...)
	up.SetToolsFor("Bearer b", `{"name":"only_b","inputSchema":{}}`)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.PageSize = upstreamtest.LegacyOnly, 10 })
	client := upstream.New(upstream.Options{})
	defer client.CloseIdleConnections()
	s := newStore(t, client, nil)
	as := identities(t)
	a, b := as("Bearer a"), as("Bearer b")
	a.Target.URL, b.Target.URL = up.URL(), up.URL()
	c := mustGet(t, s, a)
	if len(c.Tools()) != 25 || c.Era() != wire.Legacy || c.Tools()[3].Access != Write || c.Tools()[3].Source != "srv" {
		t.Errorf("%d tools, era %v, tool %+v", len(c.Tools()), c.Era(), c.Tools()[3])
	}
	if got := names(mustGet(t, s, b)); got != "only_b" {
		t.Errorf("the other caller's tools = %s", got)
	}
}

func TestAnEmptyCatalogIsACatalog(t *testing.T) {
	s := newStore(t, &lister{next: gives(nil)}, func(o *Options) { o.MetaTools = nil })
	c := mustGet(t, s, identities(t)("x"))
	if len(c.Tools()) != 0 || len(c.Sources()) != 0 || c.Near("x") != nil || len(c.Search(SearchQuery{Text: "x", Limit: 5}).Hits) != 0 {
		t.Errorf("catalog = %s", names(c))
	}
}
