package differential

import (
	"math/rand/v2"
	"strings"
)

// mixtures are n messages in which several of the tricks come together. The same seed gives the same ones.
func mixtures(seed uint64, n int) []Input {
	g := mixer{rand.New(rand.NewPCG(seed, 1))}
	out := make([]Input, n)
	for i := range out {
		out[i] = Input{"mixtures of these, at random", g.message()}
	}
	return out
}

type mixer struct{ *rand.Rand }

func pick[T any](g mixer, from []T) T { return from[g.IntN(len(from))] }

// message is a call with up to three changes.
func (g mixer) message() string {
	f := pick(g, forms())
	var changes []change
	for range 1 + g.IntN(3) {
		changes = append(changes, g.change())
	}
	m := f.build(func(at part, ms []member) []member {
		for _, c := range changes {
			ms = c(at, ms)
		}
		return ms
	})
	if g.IntN(12) == 0 {
		m = pick(g, []string{"\ufeff", " ", "\x00", "["}) + m
	}
	if g.IntN(12) == 0 {
		m += pick(g, []string{"\n", "{}", "\x00", "]", ",", m})
	}
	return m
}

func (g mixer) change() change {
	k := pick(g, keysThatSteer())
	value := pick(g, []string{k.evil, k.evil, "null", `"echo"`, `"\u0065cho"`, `"wipe"`, "{}", "[]", "1.0", "-0", `"{\"name\":\"wipe\"}"`, `{"a":1,"\u0061":2}`, `{"a":"\ud800"}`, `"\ud83d\ude00"`, "9007199254740993", "1e400"})
	switch g.IntN(4) {
	case 0: // another value
		return func(at part, ms []member) []member {
			for i := range ms {
				if at == k.at && ms[i].key == `"`+k.key+`"` {
					ms[i].value = value
				}
			}
			return ms
		}
	case 1: // another order
		return func(at part, ms []member) []member {
			if at == k.at {
				g.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
			}
			return ms
		}
	case 2: // without it
		return func(at part, ms []member) []member {
			var kept []member
			for _, m := range ms {
				if at != k.at || strings.Trim(m.key, `"`) != k.key || len(kept) == 0 {
					kept = append(kept, m)
				}
			}
			return kept
		}
	}
	s := pick(g, spellings())
	return func(at part, ms []member) []member {
		if at == k.at {
			ms = append(ms, member{`"` + s.of(k.key) + `"`, value})
		}
		return ms
	}
}
