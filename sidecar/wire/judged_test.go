package wire_test

import (
	"net/http"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func TestWhatWasJudgedIsReadAsItWasWritten(t *testing.T) {
	for _, server := range []string{"mail", "bücher", "two words", "=?base64?x?=", ""} {
		h := http.Header{wire.JudgedHeader: {wire.Judged(wire.AsLifted, server)}}
		if as, got, present, ok := wire.ReadJudged(h); as != wire.AsLifted || got != server || !present || !ok {
			t.Errorf("%q is read as %q %q, %v, %v", server, as, got, present, ok)
		}
	}
}

func TestWhatWasJudgedMustBeUnderstood(t *testing.T) {
	for name, tc := range map[string]struct {
		values      []string
		present, ok bool
	}{
		"none":                   {nil, false, true},
		"one":                    {[]string{"read a"}, true, true},
		"two":                    {[]string{"read a", "write a"}, true, false},
		"an unknown kind":        {[]string{"any a"}, true, false},
		"no server":              {[]string{"read"}, true, false},
		"empty":                  {[]string{""}, true, false},
		"a server without sense": {[]string{"read =?base64?%?="}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, present, ok := wire.ReadJudged(http.Header{wire.JudgedHeader: tc.values}); present != tc.present || ok != tc.ok {
				t.Errorf("present %v, ok %v", present, ok)
			}
		})
	}
}
