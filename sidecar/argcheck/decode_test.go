package argcheck

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	got, err := decode([]byte(` {"a":[1.0,-0,12345678901234567890],"b":{"c":null,"d":true,"\u0065":"\u00e9"}} `), 3)
	want := map[string]any{
		"a": []any{json.Number("1.0"), json.Number("-0"), json.Number("12345678901234567890")},
		"b": map[string]any{"c": nil, "d": true, "e": "é"},
	}
	if diff := cmp.Diff(any(want), got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":                       ``,
		"a repeated key":                `{"a":1,"a":2}`,
		"a key repeated by an escape":   `{"a":1,"\u0061":2}`,
		"half a character":              `"\ud800"`,
		"bytes that aren't UTF-8":       "\"\xff\"",
		"two values":                    `1 2`,
		"a value and a comma":           `{},`,
		"a byte order mark":             "\ufeff{}",
		"a number with a leading zero":  `01`,
		"a comment":                     `{/**/}`,
		"one level too many of arrays":  `[[[[]]]]`,
		"one level too many of objects": `{"a":{"a":{"a":{}}}}`,
		"an array that doesn't end":     `[1,`,
		"an object that doesn't end":    `{"a":1`,
		"an object without a value":     `{"a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if v, err := decode([]byte(raw), 3); err == nil {
				t.Errorf("decode took it as %v", v)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	long := strings.Repeat("7", 500)
	tests := map[string]struct{ text, want string }{
		"a number stays as it is written":      {"-1.50E+3", "-1.50E+3"},
		"a big integer stays":                  {"12345678901234567890", "12345678901234567890"},
		"the largest float stays":              {"1.7976931348623157e308", "1.7976931348623157e308"},
		"a huge exponent becomes a large one":  {"2e999999999", "2e799"},
		"a huge negative number":               {"-2e999999999", "-2e799"},
		"an exponent beyond int":               {"2e99999999999999999999", "2e799"},
		"a tiny number":                        {"2e-99999999999999999999", "2e-801"},
		"a zero with a huge exponent":          {"0.00e999999999", "0"},
		"zeros before the digits":              {"0.0005e500", "5e496"},
		"zeros after the digits":               {"5000e500", "5e503"},
		"too many digits keep the first ones":  {long, long[:400] + "e100"},
		"too many digits behind a point":       {"0." + long, long[:400] + "e-400"},
		"the exponent's bound keeps the order": {"1e5000", "1e799"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := number(tt.text)
			if string(got) != tt.want {
				t.Errorf("number = %s, want %s", got, tt.want)
			}
			if _, ok := new(big.Rat).SetString(string(got)); !ok || !json.Valid([]byte(got)) {
				t.Errorf("%s isn't a number that can be compared", got)
			}
		})
	}
}
