package secrets

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
)

// Finding is a line that looks as if it held a credential. It does not hold the credential.
type Finding struct {
	Line int
	Kind string
}

// String is the line number and what was found.
func (f Finding) String() string { return fmt.Sprintf("line %d: looks like %s", f.Line, f.Kind) }

// shape is a form that credentials have. Every match holds mark: looking for that first is much faster.
type shape struct {
	kind, mark string
	pattern    *regexp.Regexp
}

// shapes are credentials that can be told by their form alone.
func shapes() []shape {
	return []shape{
		{"a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN ([A-Z]+ )*PRIVATE KEY-----`)},
		{"an AWS access key", "IA", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{"a GitHub token", "_", regexp.MustCompile(`\b(gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{50,})`)},
		{"a GitLab token", "glpat-", regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20,}`)},
		{"a Slack token", "xox", regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{20,}`)},
		{"a Google key", "AIza", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
		{"an npm token", "npm_", regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}`)},
		{"a PyPI token", "pypi-", regexp.MustCompile(`\bpypi-[0-9A-Za-z_-]{50,}`)},
		{"a model provider's key", "sk-", regexp.MustCompile(`\bsk-[0-9A-Za-z_-]{32,}`)},
		{"a Stripe key", "k_live_", regexp.MustCompile(`\b[rs]k_live_[0-9A-Za-z]{20,}`)},
		{"a JSON web token", "eyJ", regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{16,}\.eyJ[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}`)},
	}
}

// assigned is a value given to something that is named like a credential.
var assigned = regexp.MustCompile(`(?i)(?:password|passwd|secret|api_?key|access_?key|auth_?token|bearer)["']?\s*(?::=|[:= ])\s*["']?([0-9A-Za-z+/_=.-]{20,})`)

// randomBits is the Shannon entropy per character above which an assigned value is taken for random.
const randomBits = 4.0

// Scan finds what looks like a credential in a text.
func Scan(text string) []Finding {
	var found []Finding
	known := shapes()
	n := 0
	for line := range strings.Lines(text) {
		n++
		if kind, ok := scanLine(known, line); ok {
			found = append(found, Finding{Line: n, Kind: kind})
		}
	}
	return found
}

func scanLine(known []shape, line string) (string, bool) {
	for _, s := range known {
		if strings.Contains(line, s.mark) && s.pattern.MatchString(line) {
			return s.kind, true
		}
	}
	if !named(line) {
		return "", false
	}
	for _, m := range assigned.FindAllStringSubmatch(line, -1) {
		if random(m[1]) {
			return "a random value under a credential's name", true
		}
	}
	return "", false
}

// named tells whether a line can match assigned.
func named(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range []string{"passw", "secret", "key", "token", "bearer"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// random tells whether a value looks generated: letters and digits mixed, and hardly any character repeated.
func random(value string) bool {
	return strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter) && entropy(value) >= randomBits
}

// entropy is the Shannon entropy of a text in bits per character.
func entropy(s string) float64 {
	count := map[rune]float64{}
	total := 0.0
	for _, r := range s {
		count[r]++
		total++
	}
	bits := 0.0
	for _, n := range count {
		bits -= n / total * math.Log2(n/total)
	}
	return bits
}
