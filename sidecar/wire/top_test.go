package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-toolsearch/sidecar/wire"
)

func nested(depth int) string { return strings.Repeat(`{"a":[`, depth) + strings.Repeat(`]}`, depth) }

func elementsIn(array []byte) (all [][]byte, err error) {
	err = wire.EachElement(array, func(element []byte) bool {
		all = append(all, element)
		return true
	})
	return all, err
}

func TestTopFieldsJudgeTheObjectsOwnNamesOnly(t *testing.T) {
	deep := nested(300_000)
	fields, err := wire.TopFields([]byte(` {"a" : {"x":1,"x":2} ,"b":` + deep + "}\n"))
	if err != nil || len(fields) != 2 || fields[0].Key != "a" || string(fields[0].Value) != `{"x":1,"x":2}` || string(fields[1].Value) != deep {
		t.Errorf("%v, %d members", err, len(fields))
	}
	elements, err := elementsIn([]byte(` [ {"x":1,"x":2} , ` + deep + " ,7]\n"))
	if err != nil || len(elements) != 3 || string(elements[0]) != `{"x":1,"x":2}` || string(elements[1]) != deep || string(elements[2]) != "7" {
		t.Errorf("%v, %d elements", err, len(elements))
	}
	for _, bad := range []string{``, `[1]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1}x`, `{"a":01}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":[1,]}`, `{"a":[}`, `{"a":"\x"}`, "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":{]}`, nested(9)[1:]} {
		if _, err := wire.TopFields([]byte(bad)); err == nil {
			t.Errorf("TopFields took %s", bad)
		}
	}
	count := 0
	if err := wire.EachElement([]byte(`[1,2,3 broken`), func([]byte) bool { count++; return count < 2 }); err != nil || count != 2 {
		t.Errorf("%v after %d elements", err, count)
	}
	for _, bad := range []string{``, `{}`, `[1 2]`, `[1,]`, `[,]`, `[1]x`, `[`} {
		if _, err := elementsIn([]byte(bad)); err == nil {
			t.Errorf("EachElement took %s", bad)
		}
	}
}

func TestAnAnswerMayBeNestedToAnyDepth(t *testing.T) {
	a, err := wire.ScanAnswer([]byte(`{"jsonrpc":"2.0","id":1,"result":` + nested(20_000) + `}`))
	if err != nil || string(a.Result.In(a.Body)) != nested(20_000) {
		t.Errorf("%v", err)
	}
}

// FuzzTop holds that values are cut where another reader of the same grammar cuts them.
func FuzzTop(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+7,{"b":"\u00e9\\\""}],"c":{},"d":[],"e":null}`, `[{"a":1,"a":2}, true ,"x"]`, "{\"\xff\":\"\\ud800\"}", `{"a":1 "b":2}`, `{"a":00}`, `[nul]`, `7`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, err := elementsIn(append(append([]byte{'['}, raw...), ']'))
		dec := jsontext.NewDecoder(bytes.NewReader(append(append([]byte{'['}, raw...), ']')), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		want, wantErr := readArray(dec)
		if (err == nil) != (wantErr == nil) && !strings.Contains(errText(wantErr), "depth") {
			t.Fatalf("%q: %v, the other reader says %v", raw, err, wantErr)
		}
		for i := range want {
			if err == nil && !bytes.Equal(elements[i], want[i]) {
				t.Errorf("%q: element %d is %q, want %q", raw, i, elements[i], want[i])
			}
		}
		fields, err := wire.TopFields(raw)
		if strict, strictErr := wire.Fields(raw); strictErr == nil && (err != nil || len(fields) != len(strict)) {
			t.Errorf("%q: %v, %d fields, Fields gives %d", raw, err, len(fields), len(strict))
		}
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func readArray(dec *jsontext.Decoder) ([][]byte, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var all [][]byte
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		all = append(all, bytes.Clone(v))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the array")
	}
	return all, nil
}

func TestTopSpanIsTheLastMemberOfThatName(t *testing.T) {
	for object, want := range map[string]string{
		`{"id":1,"result":{"id":2}}`:                 "1",
		` { "a" : 0 , "\u0069d" : "x" } `:            `"x"`,
		`{"id":1,"id":[1, 2]}`:                       "[1, 2]",
		`{"result":{"a":1,"a":2,"\ud800":0},"id":3}`: "3",
		`{"a":1}`:      "",
		`{"id":1} {}`:  "",
		`[{"id":1}]`:   "",
		`{"id":1,"b":`: "",
		``:             "",
	} {
		if got := string(wire.TopSpan([]byte(object), "id").In([]byte(object))); got != want {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}
