package argcheck

import (
	"fmt"
	"strings"
	"testing"
)

// strangers is a closed schema of some properties, and arguments with keys
// that it doesn't know: all of about one length, so that any may be a typo of
// any.
func strangers(properties, unknown int) (schema, arguments string) {
	var known, sent []string
	for i := range properties {
		known = append(known, fmt.Sprintf(`"property_name_%06d":{}`, i))
	}
	for i := range unknown {
		sent = append(sent, fmt.Sprintf(`"unexpected_%06d":0`, i))
	}
	return `{"type":"object","properties":{` + strings.Join(known, ",") + `},"additionalProperties":false}`, `{` + strings.Join(sent, ",") + `}`
}

func BenchmarkCheckOfUnknownKeys(b *testing.B) {
	for _, size := range [][2]int{{3000, 1000}, {3000, 5000}, {40, 20_000}, {40, 100_000}} {
		for _, closing := range []string{"additionalProperties", "unevaluatedProperties"} {
			b.Run(fmt.Sprintf("%d %d %s", size[0], size[1], closing), func(b *testing.B) {
				schema, arguments := strangers(size[0], size[1])
				s, err := Compile([]byte(strings.Replace(schema, "additionalProperties", closing, 1)))
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(arguments)))
				for b.Loop() {
					if problems, _ := s.Check([]byte(arguments)); len(problems) != maxProblems+1 {
						b.Fatalf("%d problems", len(problems))
					}
				}
			})
		}
	}
}
