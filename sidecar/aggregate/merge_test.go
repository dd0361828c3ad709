package aggregate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/servers"
)

// options are the first line of a part.
type partOptions struct {
	Prefix      string
	Old         bool
	Read, Write []string
}

// inputsOf reads the servers of a txtar file.
func inputsOf(t *testing.T, archive *txtar.Archive) []input {
	t.Helper()
	var inputs []input
	for _, f := range archive.Files {
		first, rest, _ := strings.Cut(strings.TrimSpace(string(f.Data)), "\n")
		var o partOptions
		if err := json.Unmarshal([]byte(first), &o); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		in := input{server: servers.Server{Name: f.Name, Prefix: o.Prefix, ReadTools: o.Read, WriteTools: o.Write}, old: o.Old}
		for _, line := range strings.Split(rest, "\n") {
			in.items = append(in.items, []byte(line))
		}
		inputs = append(inputs, in)
	}
	return inputs
}

func TestMergedBytes(t *testing.T) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %q", err, files)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := merge(tools, inputsOf(t, archive), nil)
			var list []json.RawMessage
			if err := json.Unmarshal(m.body, &list); err != nil || len(list) != m.count {
				t.Fatalf("%v: %d of %d in %s", err, len(list), m.count, m.body)
			}
			var b strings.Builder
			for i, raw := range list {
				to := m.targets[m.order[i]]
				fmt.Fprintf(&b, "%s -> %s %s\n%s\n", m.order[i], to.server, to.name, raw)
			}
			for _, c := range m.collisions {
				fmt.Fprintf(&b, "collision: %s of %s is also %s's: listed as %q\n", c.name, c.server, c.first, c.published)
			}
			fmt.Fprintf(&b, "dropped: %d\ntools: %v\n", m.dropped, m.tools)
			golden.File(t, strings.TrimSuffix(file, ".txtar")+".golden", b.String())
		})
	}
}

func TestAddressesBelongToTheFirst(t *testing.T) {
	in := func(name string, items ...string) input {
		one := input{server: servers.Server{Name: name, Prefix: "ignored"}}
		for _, item := range items {
			one.items = append(one.items, []byte(item))
		}
		return one
	}
	m := merge(resources, []input{in("a", `{"uri":"x://1","name":"n"}`), in("b", `{"uri":"x://1","name":"m"}`, `{"uri":"y://1","name":"n"}`)}, nil)
	if string(m.body) != `[{"uri":"x://1","name":"n"},{"uri":"y://1","name":"n"}]` || len(m.collisions) != 1 || m.collisions[0].published != "" {
		t.Errorf("%s %v", m.body, m.collisions)
	}
	p := merge(templates, []input{in("a", `{"uriTemplate":"x://{id}"}`, `{"uriTemplate":"x://{id}/deep"}`), in("b", `{"uriTemplate":"x://{id}/deep/{b}"}`, `{"uriTemplate":"plain://z"}`)}, nil)
	for uri, want := range map[string]string{"x://1": "a", "x://1/deep": "a", "x://1/deep/2": "b", "plain://z": "b", "plain://zz": "", "w://1": ""} {
		if got, _ := p.ownerByTemplate(uri); got != want {
			t.Errorf("%s belongs to %q, want %q", uri, got, want)
		}
	}
	for uri, want := range map[string]string{"x://1": "a", "x://2": "", "y://1": "b", "y://2": "b", "y:": "", "none": ""} {
		if t2, ok := m.targets[uri]; ok && t2.server != want {
			t.Errorf("%s belongs to %q", uri, t2.server)
		}
	}
	kin := merge(resources, []input{in("a", `{"uri":"file:///a/1"}`, `{"uri":"s://h/1"}`), in("b", `{"uri":"s://g/1"}`, `{"uri":"both://x/1"}`), in("c", `{"uri":"both://x/2"}`)}, nil)
	for uri, want := range map[string]string{"file:///b/2": "a", "s://h/9": "a", "s://g/9": "b", "s://i/1": "", "both://x/3": "", "urn:x": ""} {
		if got, _ := ownerByKin(uri, kin); got != want {
			t.Errorf("the kin of %s is %q's, want %q", uri, got, want)
		}
	}
}

func TestTheFiveAreThoseOfTheSearchRoute(t *testing.T) {
	var items [][]byte
	for _, tool := range sidecar.MetaTools() {
		items = append(items, []byte(`{"name":`+fmt.Sprintf("%q", tool.Name)+`}`))
	}
	if !onlyMetaTools(items) {
		t.Errorf("the five of the search route are not recognised: %s", items)
	}
	if onlyMetaTools(items[1:]) || onlyMetaTools(append(items, []byte(`{"name":"x"}`))) || onlyMetaTools(nil) {
		t.Error("other lists are taken for the five")
	}
}

func TestOneListingIsBounded(t *testing.T) {
	in := input{server: servers.Server{Name: "many"}}
	for i := range maxItems + 5 {
		in.items = append(in.items, fmt.Appendf(nil, `{"name":"t%d"}`, i))
	}
	if m := merge(prompts, []input{in}, nil); m.count != maxItems || m.dropped != 5 {
		t.Errorf("%d tools, %d dropped", m.count, m.dropped)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"name":"a","_meta":{"x":1}}`), []byte(`{"name":"a","annotations":{"readOnlyHint":true}}`), "p")
	f.Add([]byte(`{"name":"\ud800"}`), []byte(`{}`), "")
	f.Fuzz(func(t *testing.T, one, two []byte, prefix string) {
		m := merge(tools, []input{
			{server: servers.Server{Name: "a", Prefix: prefix, WriteTools: []string{"*"}}, items: [][]byte{one, two}},
			{server: servers.Server{Name: "b"}, items: [][]byte{two, one}, old: true},
		}, nil)
		var list []struct {
			Name string
			Meta map[string]any `json:"_meta"`
		}
		if err := json.Unmarshal(m.body, &list); err != nil || len(list) != m.count || len(m.targets) != m.count {
			t.Fatalf("%v: %s", err, m.body)
		}
		for i, tool := range list {
			to, ok := m.targets[m.order[i]]
			if !ok || tool.Meta[sourceKey] != to.server {
				t.Fatalf("%q leads to %v and is labelled %v", m.order[i], to, tool.Meta)
			}
		}
	})
}
