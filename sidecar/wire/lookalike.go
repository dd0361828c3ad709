package wire

import (
	"strings"
	"unicode"
)

// LookAlike reports whether key is not canonical, but a reader that folds case
// or Unicode, that stops at or drops NUL and invisible characters, that
// ignores white space, "_" and "-", or that also takes a field's own snake_case
// name, would read it as canonical.
func LookAlike(key, canonical string) bool {
	if key == canonical {
		return false
	}
	want := fold(canonical)
	return fold(key) == want || fold(upToNUL(key)) == want
}

func upToNUL(key string) string {
	cut, _, _ := strings.Cut(key, "\x00")
	return cut
}

// fold maps the spellings a lax reader could mistake for each other to one.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r
		case r == '_' || r == '-':
			return -1
		case r == 'ı' || r == 'İ':
			// Not in Unicode's simple folding, but equal to i for readers that
			// compare letter by letter in upper case.
			return 'i'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me, unicode.Z):
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, key)
}

// twice looks a key up folded whole, then folded up to its first NUL.
func twice(key string, canonical func(folded string) string) string {
	if c := canonical(fold(key)); c != "" {
		return c
	}
	if cut := upToNUL(key); cut != key {
		return canonical(fold(cut))
	}
	return ""
}

// messageLookAlike returns the member of a message that key looks like, or "".
// The caller has dealt with the exact keys.
func messageLookAlike(key string) string {
	return twice(key, func(folded string) string {
		switch folded {
		case "jsonrpc", "method", "id", "params", "result", "error":
			return folded
		}
		return ""
	})
}

// paramLookAlike is messageLookAlike for the members of params.
func paramLookAlike(key string) string {
	return twice(key, func(folded string) string {
		switch folded {
		case "name", "arguments", "uri", "cursor":
			return folded
		case "meta":
			return "_meta"
		case "taskid":
			return "taskId"
		}
		return ""
	})
}

// metaLookAlike is messageLookAlike for the two required members of _meta.
func metaLookAlike(key string) string {
	return twice(key, func(folded string) string {
		switch folded {
		case "io.modelcontextprotocol/protocolversion":
			return versionKey
		case "io.modelcontextprotocol/clientcapabilities":
			return capabilitiesKey
		}
		return ""
	})
}
