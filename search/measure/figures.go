package measure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcp-toolsearch/search"
)

// Options say what to measure.
type Options struct {
	// K are the places up to which hits are counted; none: 1, 5 and 10.
	K []int
	// Search are the options of the index.
	Search search.Options
}

// mrrDepth is how far down the first relevant tool is looked for.
const mrrDepth = 10

// Report is what measuring gave.
type Report struct {
	// All are the figures of all questions, ByLang those of each language.
	All    Figures
	ByLang map[string]Figures
	// P50 and P99 are the times of a search, embedding included.
	P50, P99 time.Duration
	// Build is the time to build the index, embedding included.
	Build time.Duration
	// Answers are what each question found, in the order of the questions.
	Answers []Answer
}

// Figures are shares of a set of questions, from 0 to 1.
type Figures struct {
	// N is the number of questions.
	N int
	// Hit says, by k, for how many a relevant tool is among the first k.
	Hit map[int]float64
	// Recall5 is the mean share of the relevant tools (of five, when there are
	// more) that is among the first five.
	Recall5 float64
	// MRR is the mean of one through the place of the first relevant tool, nothing
	// beyond the tenth.
	MRR float64
}

// Answer is what one question found.
type Answer struct {
	Question Question
	// Names are the tools found, best first: as many as were asked for.
	Names []string
	// First is the place of the first relevant tool, from 1; 0: not found.
	First int
	// Recall5 is this question's part of Recall5.
	Recall5 float64
}

// Run indexes docs and asks all questions.
func Run(docs []search.Document, questions []Question, o Options) Report {
	if len(o.K) == 0 {
		o.K = []int{1, 5, 10}
	}
	began := time.Now()
	ix := search.Build(docs, o.Search)
	r := Report{Build: time.Since(began), Answers: make([]Answer, len(questions))}
	depth := max(mrrDepth, slices.Max(o.K))
	for _, q := range questions { // caches of the machine are warm afterwards
		ix.Search(search.Query{Text: q.Query, Limit: depth})
	}
	times := make([]time.Duration, len(questions))
	for i, q := range questions {
		began := time.Now()
		found := ix.Search(search.Query{Text: q.Query, Limit: depth})
		times[i] = time.Since(began)
		names := make([]string, 0, depth)
		for _, h := range found.Hits[:min(depth, len(found.Hits))] {
			names = append(names, docs[h.Doc].Name)
		}
		r.Answers[i] = judge(q, names)
	}
	slices.Sort(times)
	r.P50, r.P99 = percentile(times, .5), percentile(times, .99)
	r.count(o.K)
	return r
}

// judge compares what was found with what is relevant.
func judge(q Question, names []string) Answer {
	a := Answer{Question: q, Names: names}
	relevant := map[string]bool{}
	for _, name := range q.Relevant {
		relevant[name] = true
	}
	among5 := 0
	for i, name := range names {
		if !relevant[name] {
			continue
		}
		if a.First == 0 {
			a.First = i + 1
		}
		if i < 5 {
			among5++
		}
	}
	a.Recall5 = float64(among5) / float64(max(1, min(5, len(relevant))))
	return a
}

// percentile is the least time that a share of the sorted times doesn't exceed.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (r *Report) count(ks []int) {
	byLang := map[string][]Answer{}
	for _, a := range r.Answers {
		byLang[a.Question.Lang] = append(byLang[a.Question.Lang], a)
	}
	r.All = figures(r.Answers, ks)
	r.ByLang = make(map[string]Figures, len(byLang))
	for lang, answers := range byLang {
		r.ByLang[lang] = figures(answers, ks)
	}
}

func figures(answers []Answer, ks []int) Figures {
	f := Figures{N: len(answers), Hit: map[int]float64{}}
	for _, k := range ks {
		f.Hit[k] = 0
	}
	if f.N == 0 {
		return f
	}
	for _, a := range answers {
		for _, k := range ks {
			if a.First > 0 && a.First <= k {
				f.Hit[k]++
			}
		}
		f.Recall5 += a.Recall5
		if a.First > 0 && a.First <= mrrDepth {
			f.MRR += 1 / float64(a.First)
		}
	}
	for _, k := range ks {
		f.Hit[k] /= float64(f.N)
	}
	f.Recall5 /= float64(f.N)
	f.MRR /= float64(f.N)
	return f
}

// Worst returns up to n questions that found least, those without any relevant
// tool first, in the order of the questions.
func (r *Report) Worst(n int) []Answer {
	worst := slices.Clone(r.Answers)
	slices.SortStableFunc(worst, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(place(b), place(a)), cmp.Compare(a.Recall5, b.Recall5))
	})
	worst = slices.DeleteFunc(worst, func(a Answer) bool { return a.Recall5 == 1 })
	return worst[:min(n, len(worst))]
}

// place is a question's first place, with the missing ones after all.
func place(a Answer) int {
	if a.First == 0 {
		return 1 << 30
	}
	return a.First
}

// MarshalJSON writes the figures with the keys n, hit@K, recall@5 and mrr.
func (f Figures) MarshalJSON() ([]byte, error) { return json.Marshal(f.keys()) }

func (f Figures) keys() map[string]any {
	keys := map[string]any{"n": f.N, "recall@5": f.Recall5, "mrr": f.MRR}
	for k, share := range f.Hit {
		keys[fmt.Sprintf("hit@%d", k)] = share
	}
	return keys
}

// MarshalJSON writes one object: the keys of Figures, by_lang (language → the
// same keys), search_p50_us, search_p99_us (microseconds) and build_ms.
func (r Report) MarshalJSON() ([]byte, error) {
	keys := r.All.keys()
	keys["by_lang"] = r.ByLang
	keys["search_p50_us"] = micro(r.P50)
	keys["search_p99_us"] = micro(r.P99)
	keys["build_ms"] = micro(r.Build) / 1000
	return json.Marshal(keys)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
