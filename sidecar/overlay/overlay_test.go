package overlay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/sidecar/overlay"
)

func parse(t *testing.T, text string) *overlay.Overlay {
	t.Helper()
	o, err := overlay.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRulesOfOneToolJoin(t *testing.T) {
	o := parse(t, `
tools:
  - match: mail_*
    aliases: [post, correspondence]
    source: Post room
  - match: mail_send
    aliases: [correspondence, dispatch a letter]
    pin: true
  - match: "*_purge"
    hide: true
  - match: files/read?
    source: Disk
  - match: "mail_[s]end"
    source: Mail room
`)
	for _, c := range []struct {
		name, tool string
		want       overlay.Say
	}{
		{"three rules of one tool", "mail_send", overlay.Say{Aliases: []string{"post", "correspondence", "dispatch a letter"}, Pin: true, Source: "Mail room"}},
		{"two patterns", "mail_purge", overlay.Say{Aliases: []string{"post", "correspondence"}, Hide: true, Source: "Post room"}},
		{"a star crosses slashes", "a/b_purge", overlay.Say{Hide: true}},
		{"a question mark is one character", "files/reads", overlay.Say{Source: "Disk"}},
		{"and no other", "files/read", overlay.Say{}},
		{"case counts", "Mail_send", overlay.Say{}},
		{"a tool nobody speaks of", "calendar_list", overlay.Say{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, o.Of(c.tool)); diff != "" {
				t.Errorf("what is said of %s (-want +got):\n%s", c.tool, diff)
			}
		})
	}
	if o.Rules() != 5 {
		t.Errorf("%d rules, want 5", o.Rules())
	}
}

func TestNothingIsSaidByNothing(t *testing.T) {
	var none *overlay.Overlay
	for name, o := range map[string]*overlay.Overlay{"nil": none, "an empty file": parse(t, ""), "only a comment": parse(t, "# nothing yet\n"), "an empty list": parse(t, "tools: []\n")} {
		if diff := cmp.Diff(overlay.Say{}, o.Of("mail_send")); diff != "" || o.Rules() != 0 {
			t.Errorf("%s says something: %s", name, diff)
		}
	}
	if none.Digest() != "" || parse(t, "tools: []\n").Digest() == parse(t, "").Digest() {
		t.Error("digests don't tell contents apart")
	}
}

func TestABadFileSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no YAML", "tools: [", "line 1"},
		{"another key at the top", "tool: []", "unknown field tool in line 1: an overlay is a list"},
		{"a field that rules don't have", "tools:\n  - match: a\n    bogus: 1\n", "unknown field bogus in line 3: an overlay is a list"},
		{"a text where a list belongs", "tools: some", "the value in line 1 is of another kind: an overlay is a list"},
		{"a misspelt key in a rule", "tools:\n  - match: a\n    hiden: true\n", "line 3"},
		{"a list where one value stands", "tools:\n  - match: [a]\n    hide: true\n", "line 2"},
		{"no match", "tools:\n  - hide: true\n", "rule 1: match is missing"},
		{"a bracket that is left open", "tools:\n  - match: a\n    pin: true\n  - match: 'a['\n    hide: true\n", "rule 2: match \"a[\" is no pattern"},
		{"a rule that says nothing", "tools:\n  - match: a\n", "says nothing"},
		{"an empty alias", "tools:\n  - match: a\n    aliases: [' ']\n", "an alias is one to 200 bytes"},
		{"a long source", "tools:\n  - match: a\n    source: " + strings.Repeat("x", 201) + "\n", "a source has at most"},
		{"too many aliases", "tools:\n  - match: a\n    aliases: [" + strings.Repeat("x,", 51) + "]\n", "51 aliases"},
		{"a second document", "tools: []\n---\ntools: []\n", "second document"},
		{"too large", "# " + strings.Repeat("x", 1<<20), "at most 1048576"},
		{"a key twice", "tools: []\ntools: []\n", "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := overlay.Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// FuzzParse: no file panics, and what is accepted can be asked about any name.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "tools:\n  - match: mail_*\n    hide: true\n", "tools: &a\n  - *a", "tools:\n  - match: '[a-'\n", "\xff", "tools:\n- {match: a, aliases: [b], pin: yes}"} {
		f.Add(seed, "mail_send")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		o, err := overlay.Parse([]byte(text))
		if (o == nil) == (err == nil) {
			t.Fatalf("overlay %v and error %v", o, err)
		}
		if say := o.Of(name); len(say.Aliases) > 0 && o.Rules() == 0 {
			t.Errorf("%v without a rule", say)
		}
	})
}
