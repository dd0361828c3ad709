package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/internal/golden"
)

func TestDocsConfiguration(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Configuration\n\nMade from the settings in the code by `make docs`. Every setting of `serve` is a flag and an environment variable (`search` and `eval` have some flags of their own, see `--help`); a flag wins over its variable, a variable\n" +
		"over the default. Lists are separated by commas; a flag of a list may be repeated. Sizes are bytes, or end in KiB, MiB or GiB; durations are like\n`30s`, `10m`. `mcp-toolsearch serve --help` shows the same. Where a second variable stands, without the prefix, it counts\nwhen the first is not set: programs before this one had it so.\n\n" +
		"| flag | variable | default | what it does |\n|---|---|---|---|\n")
	for _, o := range options() {
		fallback, example := "-", ""
		if o.fallback != "" {
			fallback = "`" + o.fallback + "`"
		}
		if o.example != "" {
			example = " Example: `" + o.example + "`."
		}
		variable := "`" + o.env + "`"
		if o.bare != "" {
			variable += ", `" + o.bare + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s%s |\n", o.flag, variable, fallback, strings.ReplaceAll(o.help, "|", `\|`), example)
	}
	golden.InTree(t, "docs/configuration.md", b.String())
}

func TestEverySettingIsDocumented(t *testing.T) {
	for _, o := range options() {
		if o.help == "" || !strings.HasSuffix(o.help, ".") {
			t.Errorf("%s: help %q is no sentence", o.field.Name, o.help)
		}
		if o.field.Tag.Get("env") == "" {
			t.Errorf("%s has no variable", o.field.Name)
		}
	}
}

// TestTheLimitsOfTheErrorsPageAreTheDefaults: docs/errors.md names settings with their defaults.
func TestTheLimitsOfTheErrorsPageAreTheDefaults(t *testing.T) {
	defaults := map[string]string{}
	for _, o := range options() {
		defaults[o.flag] = o.fallback
	}
	for _, l := range errorpage.Limits() {
		if want, ok := defaults[l.Setting]; l.Setting != "" && (!ok || want != l.Default) {
			t.Errorf("%s: --%s has the default %q, the page says %q", l.What, l.Setting, want, l.Default)
		}
	}
}

// TestEveryBoundIsOnTheLimitsPage: a setting that bounds something says on docs/limits.md what happens beyond it.
func TestEveryBoundIsOnTheLimitsPage(t *testing.T) {
	listed := map[string]bool{}
	for _, l := range errorpage.Limits() {
		listed[l.Setting] = true
	}
	for _, o := range options() {
		if strings.HasPrefix(o.flag, "max-") && !listed[o.flag] {
			t.Errorf("--%s is not in the limits of internal/errorpage", o.flag)
		}
	}
}

// TestTheExampleOfTheSearchPageFindsItsTool runs eval with the lines that docs/search.md shows.
func TestTheExampleOfTheSearchPageFindsItsTool(t *testing.T) {
	page, err := os.ReadFile("../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, args := t.TempDir(), []string{"--json"}
	for name, start := range map[string]string{"tools": `{"server":`, "questions": `{"id":`} {
		_, after, ok := strings.Cut(string(page), "```json\n"+start)
		line, _, ended := strings.Cut(after, "\n```")
		if !ok || !ended {
			t.Fatalf("the page shows no %s", name)
		}
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(start+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+name, path)
	}
	var out, mistakes bytes.Buffer
	if code := run(t.Context(), terminal{out: &out, err: &mistakes}, append([]string{"eval"}, args...)); code != exitOK || !strings.Contains(out.String(), `"hit@1":1,`) {
		t.Errorf("exit %d, %s%s", code, out.String(), mistakes.String())
	}
}

func TestSizesAndRoutes(t *testing.T) {
	for text, want := range map[string]Size{"32000": 32000, "4MiB": 4 << 20, " 64 KiB ": 64 << 10, "1GiB": 1 << 30, "0": -1, "-1": -1, "4MB": -1, "": -1, "9999999GiB": -1, "1.5MiB": -1} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); (err != nil) != (want < 0) || err == nil && s != want {
			t.Errorf("size %q is %d, %v; want %d", text, s, err, want)
		}
	}
	for text, want := range map[string]Route{"/a=/b": {"/a", "/b"}, "/": {}, "/=/b": {"/", "/b"}, "/a.b/c~d=/e/..f": {"/a.b/c~d", "/e/..f"}, "/a=/b=c": {}, "/a=/b=/c": {}, "/x/=/y": {}, "/x=/y//z": {}, "/a=/b%2fc": {}, "%2f": {}, "/../": {}, "/a=/../b": {}, "/a/./b=/c": {}, "/a\x01=/b": {}, "/ä=/b": {}, "/a": {}, "a=/b": {}, "/a=b": {}, "/a?x=/b": {}, "/a=/b#c": {}, "/a /b=/c": {}, "": {}} {
		var r Route
		if err := r.UnmarshalText([]byte(text)); (err != nil) != (want == Route{}) || r != want {
			t.Errorf("route %q is %v, %v; want %v", text, r, err, want)
		}
	}
}

// TestTheMigrationPageNamesSettingsThatExist: flags with one dash or two, and variables with or without the prefix.
func TestTheMigrationPageNamesSettingsThatExist(t *testing.T) {
	page, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"HTTP_PROXY": true, "NO_PROXY": true, "TOOLSEARCH_": true}
	for _, o := range options() {
		known[o.flag], known[o.env], known[o.bare] = true, true, true
	}
	named := regexp.MustCompile("[` (]--?([a-z][a-z-]+)|`([A-Z][A-Z0-9_]{3,})`").FindAllStringSubmatch(string(page), -1)
	seen := map[string]bool{}
	for _, m := range named {
		name := m[1] + m[2]
		seen[name] = true
		if !known[name] && name != "INFO" && name != "WARNING" {
			t.Errorf("the page names %s, which is no setting", name)
		}
	}
	for _, o := range options() {
		if o.bare != "" && !seen[o.bare] && !strings.HasPrefix(o.bare, "OTEL_") { // those are a standard's, not a predecessor's
			t.Errorf("the page doesn't name %s, which other programs have", o.bare)
		}
	}
}
