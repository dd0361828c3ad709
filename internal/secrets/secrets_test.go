package secrets_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/secrets"
	"mcp-toolsearch/internal/setup"
)

func TestNoSecretIsCommitted(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git repository here, so nothing says which files are tracked: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) || bytes.IndexByte(content, 0) >= 0 {
			continue // deleted but not yet committed, or binary
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range secrets.Scan(string(content)) {
			t.Errorf("%s: %s: take it out, and revoke it if it is real", name, f)
		}
	}
}

// The samples are put together here, so that this file holds none.
func samples() map[string]string {
	mixed := "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7n"
	return map[string]string{
		"a private key":          "-----BEGIN RSA PRIVATE" + " KEY-----",
		"an AWS access key":      "AKIA" + "ABCDEFGHIJKLMNOP",
		"a GitHub token":         "ghp_" + mixed[:36],
		"a GitLab token":         "glpat-" + mixed[:20],
		"a Slack token":          "xoxb-" + mixed[:24],
		"a Google key":           "AIza" + mixed[:35],
		"an npm token":           "npm_" + mixed[:36],
		"a PyPI token":           "pypi-" + mixed + mixed,
		"a model provider's key": "sk-" + mixed,
		"a Stripe key":           "sk_live_" + mixed[:24],
		"a JSON web token":       "eyJ" + mixed[:20] + ".eyJ" + mixed[:20] + "." + mixed[:20],
		"a random value under a credential's name": `password = "` + mixed[:24] + `"`,
	}
}

func TestSecretsAreFound(t *testing.T) {
	for kind, sample := range samples() {
		t.Run(kind, func(t *testing.T) {
			got := secrets.Scan("first line\nx " + sample + " y\n")
			if len(got) != 1 || got[0].Line != 2 || got[0].Kind != kind {
				t.Errorf("found %v, want %s on line 2", got, kind)
			}
		})
	}
}

func TestAFindingDoesNotPrintTheSecret(t *testing.T) {
	for kind, sample := range samples() {
		for _, f := range secrets.Scan(sample) {
			if strings.Contains(f.String(), sample[len(sample)-10:]) {
				t.Errorf("%s: the finding prints it", kind)
			}
		}
	}
}

func TestWhatOnlyLooksLikeOneIsLeft(t *testing.T) {
	for _, text := range []string{
		"secret: some-long-but-plain-words-here",
		"Authorization: Bearer alice-token-of-a-test",
		"password = 11111111111111111111111a",
		"sha256 c75488ad0be907f077883691aa3832a79b509c1f6c993b420683e90793e13efc",
		"the api key is read from TOOLSEARCH_API_KEY",
	} {
		if got := secrets.Scan(text); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}
