package text

import (
	"testing"
	"unicode/utf8"
)

func TestWithoutValues(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a sentence stays as it is", "Who may push to the repository?", "Who may push to the repository?"},
		{"an id", "Take PROJ-12 out of the sprint", "Take out of the sprint"},
		{"a time and a date", "Meet at 10:30 on 2026-01-05", "Meet at on"},
		{"a path and a file", "open /srv/www and report.txt", "open and"},
		{"a repository", "push to acme/website", "push to"},
		{"an address of mail", "write to ona@example.com now", "write to now"},
		{"a channel and a person", "tell #general and @jonas", "tell and"},
		{"straight quotes", `Play "Bohemian Rhapsody" next`, "Play next"},
		{"German quotes", "Öffne „Meine Datei“ bitte", "Öffne bitte"},
		{"Japanese quotes without spaces", "「請求書」を送る", "を送る"},
		{"French quotes", "ouvre « mes notes » ici", "ouvre ici"},
		{"back quotes", "run `get_file` once", "run once"},
		{"an apostrophe is no quote", "don't close Ona's ticket", "don't close Ona's ticket"},
		{"a quote that is left open", `say "hello there`, `say "hello there`},
		{"inches are no quotes", `a 5" screen and a 7" one`, "a screen and a one"},
		{"a full stop at the end is none inside", "Send it to Ona.", "Send it to Ona."},
		{"nothing but data stays", "PROJ-12", "PROJ-12"},
		{"nothing but a quotation stays", `"send mail"`, `"send mail"`},
		{"nothing", "", ""},
		{"Chinese with numbers inside", "创建3个任务", "创建3个任务"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := WithoutValues(c.text); got != c.want {
				t.Errorf("WithoutValues(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestAppendSpaced(t *testing.T) {
	for name, want := range map[string]string{
		"github_list-repos.all/now": "github list repos all now",
		"getOnCallUsers":            "get On Call Users",
		"HTTPServerList":            "HTTP Server List",
		"k8s_pods":                  "k8s pods",
		"__x__":                     "x",
		"天気_get":                    "天気 get",
		"":                          "",
	} {
		if got := string(AppendSpaced([]byte("> "), name)); got != "> "+want {
			t.Errorf("AppendSpaced(%q) = %q, want %q", name, got, "> "+want)
		}
	}
}

// FuzzProse: values are taken out of any bytes, and what is left is no more.
func FuzzProse(f *testing.F) {
	for _, seed := range []string{`Play "x" on 3`, "„a“ «b» 「c」", "\xff\"\xfe\"", "'", "#1 @2 /3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := WithoutValues(s)
		if len([]rune(got)) > len([]rune(s)) {
			t.Errorf("WithoutValues(%q) = %q is longer", s, got)
		}
		if again := AppendSpaced(nil, s); utf8.ValidString(s) && !utf8.Valid(again) {
			t.Errorf("AppendSpaced(%q) = %q", s, again)
		}
	})
}
