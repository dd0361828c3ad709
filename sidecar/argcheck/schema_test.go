package argcheck

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCompile(t *testing.T) {
	tests := map[string]struct{ schema, fits, not string }{
		"no schema means any object":           {``, `{"x":1}`, `1`},
		"null means any object":                {`null`, `{"x":1}`, `1`},
		"an empty schema means any object":     {`{}`, `{"x":1}`, `[]`},
		"true means any object":                {`true`, `{"x":1}`, `"x"`},
		"no $schema is 2020-12":                {prop(`{"prefixItems":[{"type":"string"}]}`), `{"v":["a",1]}`, `{"v":[1]}`},
		"2020-12":                              {`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"v":{"$ref":"#/$defs/s","minLength":2}},"$defs":{"s":{"type":"string"}}}`, `{"v":"ab"}`, `{"v":"a"}`},
		"2019-09":                              {`{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"v":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"v":["a"]}`, `{"v":["a",1]}`},
		"draft-07":                             {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"v":["a"]}`, `{"v":["a",1]}`},
		"draft-07 ignores what is beside $ref": {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"$ref":"#/definitions/s","minLength":2}},"definitions":{"s":{"type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"draft-07 over https without a hash":   {`{"$schema":"https://json-schema.org/draft-07/schema","properties":{"v":{"if":{"type":"string"},"then":{"minLength":2}}}}`, `{"v":"ab"}`, `{"v":"a"}`},
		"draft-07 with $defs":                  {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"draft-06":                             {`{"$schema":"http://json-schema.org/draft-06/schema#","properties":{"v":{"const":1}}}`, `{"v":1}`, `{"v":2}`},
		"draft-04":                             {`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"v":{"minimum":1,"exclusiveMinimum":true}}}`, `{"v":2}`, `{"v":1}`},
		"an unknown $schema is 2020-12":        {`{"$schema":"https://schemas.example.invalid/own","properties":{"v":{"prefixItems":[{"type":"string"}]}}}`, `{"v":["a"]}`, `{"v":[1]}`},
		"a $schema that isn't text":            {`{"$schema":7,"properties":{"v":{"type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a property named $schema":             {`{"properties":{"$schema":{"type":"string"}}}`, `{"$schema":"a"}`, `{"$schema":1}`},
		"a reference by $anchor":               {`{"properties":{"v":{"$ref":"#s"}},"$defs":{"x":{"$anchor":"s","type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a reference by $id":                   {`{"$id":"https://schemas.example.invalid/root","properties":{"v":{"$ref":"s.json"}},"$defs":{"x":{"$id":"s.json","type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a reference by its full address":      {`{"$id":"https://schemas.example.invalid/root","properties":{"v":{"$ref":"https://schemas.example.invalid/root#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a reference by an escaped pointer":    {`{"properties":{"v":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"type":"string"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a reference into another property":    {`{"properties":{"a":{"type":"string"},"v":{"$ref":"#/properties/a"}}}`, `{"v":"a"}`, `{"v":1}`},
		"a reference to the root":              {`{"properties":{"v":{"$ref":"#"}},"additionalProperties":false}`, `{"v":{"v":{}}}`, `{"v":{"w":1}}`},
		"a dynamic reference":                  {`{"$dynamicAnchor":"node","properties":{"v":{"$dynamicRef":"#node"}},"additionalProperties":false}`, `{"v":{"v":{}}}`, `{"v":{"w":1}}`},
		"a recursive reference in 2019-09":     {`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"v":{"$recursiveRef":"#"}},"additionalProperties":false}`, `{"v":{"v":{}}}`, `{"v":{"w":1}}`},
		"keywords nobody knows":                {`{"x-own":{"type":1},"properties":{"v":{"type":"string","optional":true}}}`, `{"v":"a"}`, `{"v":1}`},
		"a pattern that Go can't run":          {prop(`{"type":"string","pattern":"^(?!x)a$"}`), `{"v":"x"}`, `{"v":1}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := mustCompile(t, tt.schema)
			if p, _ := s.Check([]byte(tt.fits)); p != nil {
				t.Errorf("%s doesn't fit: %v", tt.fits, p)
			}
			if p, _ := s.Check([]byte(tt.not)); p == nil {
				t.Errorf("%s fits", tt.not)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{}}}`, b.String(), n)
	}
	tests := map[string]struct{ schema, why string }{
		"a reference to nothing":                 {prop(`{"$ref":"#/$defs/Missing"}`), "doesn't compile"},
		"a reference to an anchor that isn't":    {prop(`{"$ref":"#missing"}`), "doesn't compile"},
		"a reference to the web":                 {prop(`{"$ref":"https://schemas.example.invalid/x.json"}`), "nothing is fetched"},
		"a reference to a file":                  {prop(`{"$ref":"file:///etc/hostname"}`), "nothing is fetched"},
		"a relative reference":                   {prop(`{"$ref":"other.json"}`), "nothing is fetched"},
		"a reference to the draft itself":        {prop(`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`), "another document"},
		"a schema of itself":                     {`{"$ref":"#"}`, "without end"},
		"a schema of itself through two others":  {`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"type":"object"},{"$ref":"#"}]}}}`, "without end"},
		"a property of itself":                   {prop(`{"$ref":"#/properties/v"}`), "without end"},
		"a long chain of references":             {chain(100), "more than 64"},
		"a type nobody knows":                    {prop(`{"type":"text"}`), "doesn't compile"},
		"a required that is true":                {prop(`{"required":true}`), "doesn't compile"},
		"text that isn't JSON":                   {`{"type":`, "strict JSON"},
		"a key twice":                            {`{"type":"object","type":"object"}`, "strict JSON"},
		"a schema that is text":                  {`"object"`, "doesn't compile"},
		"arguments that can't be an object":      {`{"type":"string"}`, "allows no object"},
		"a schema of false":                      {`false`, "allows no object"},
		"arguments that can't be, in the end":    {`{"allOf":[{"anyOf":[{"type":"array"},{"const":1}]}]}`, "allows no object"},
		"too many bytes":                         {`{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, "bytes"},
		"too many levels":                        {strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), "levels"},
		"too many booleans":                      {`{"allOf":[` + strings.Repeat(`true,`, maxSchemaObjects) + `true]}`, "objects"},
		"too many objects":                       {`{"allOf":[` + strings.Repeat(`{},`, maxSchemaObjects) + `{}]}`, "objects"},
		"long keys over many objects":            {`{"properties":{"` + strings.Repeat("k", 500_000) + `":{"allOf":[` + strings.Repeat(`{},`, 100) + `{}]}}}`, "too large"},
		"a dynamic reference over two resources": {`{"$dynamicRef":"#x","$defs":{"a":{"$id":"a","$dynamicAnchor":"x"}}}`, "dynamic"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Compile([]byte(tt.schema))
			if err == nil {
				t.Fatal("Compile took it")
			}
			if !strings.Contains(err.Error(), tt.why) || len(err.Error()) > 500 || strings.Contains(err.Error(), "\n") {
				t.Errorf("error of %d bytes: %.600s; want one that says %q", len(err.Error()), err, tt.why)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// failingTransport fails the test when anything goes out.
type failingTransport struct{ t *testing.T }

func (f failingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("a request went out to %s", r.URL.Host)
	return nil, errors.New("no network in this test")
}

func TestNothingIsFetched(t *testing.T) {
	before, client := http.DefaultTransport, http.DefaultClient.Transport
	http.DefaultTransport, http.DefaultClient.Transport = failingTransport{t}, failingTransport{t}
	t.Cleanup(func() { http.DefaultTransport, http.DefaultClient.Transport = before, client })

	// A file that would make the schema compile if it were read.
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(file))
	for _, ref := range []string{
		"https://schemas.example.invalid/x.json", "http://127.0.0.1:9/x", "//schemas.example.invalid/x", "file://" + file, file,
		"x.json", "./x.json", "../x.json", "x.json#/a", "urn:x:y", "data:application/json,{}", "ftp://schemas.example.invalid/x",
	} {
		for _, schema := range []string{
			prop(`{"$ref":"` + ref + `"}`),
			prop(`{"$dynamicRef":"` + ref + `"}`),
			`{"$id":"https://schemas.example.invalid/base/","properties":{"v":{"$ref":"` + ref + `"}}}`,
			`{"$id":"file://` + filepath.Dir(file) + `/","properties":{"v":{"$ref":"` + ref + `"}}}`,
			`{"$defs":{"a":{"$id":"https://schemas.example.invalid/a","$schema":"` + ref + `"}},"$ref":"#/$defs/a"}`,
		} {
			if _, err := Compile([]byte(schema)); err == nil {
				t.Errorf("%s compiles", schema)
			}
		}
		if _, err := Compile([]byte(`{"$schema":"` + ref + `"}`)); err != nil {
			t.Errorf("$schema %s: %v", ref, err)
		}
	}
}

func TestOneSchemaServesManyGoroutines(t *testing.T) {
	s := mustCompile(t, shifts)
	var wg sync.WaitGroup
	for n := range 16 {
		wg.Go(func() {
			for i := range 50 {
				key := fmt.Sprintf("k%d", n*i)
				if got, _ := s.Check([]byte(`{"query":{"team":"b","` + key + `":1}}`)); len(got) != 1 || got[0].Path != "query."+key {
					t.Errorf("problems of another call: %v", got)
				}
				if got, paths := s.Repair([]byte(`{"query":"{\"team\":\"` + key + `\"}"}`)); string(got) != `{"query":{"team":"`+key+`"}}` || len(paths) != 1 {
					t.Errorf("repair of another call: %s %q", got, paths)
				}
			}
		})
	}
	wg.Wait()
}
