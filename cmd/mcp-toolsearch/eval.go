package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"mcp-toolsearch/search"
	"mcp-toolsearch/search/measure"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/overlay"
)

// evalFlags are the eval command's own flags.
type evalFlags struct {
	tools, questions string
	k                string
	json             bool
	worst            int
}

// evalCommand measures search on a catalog with questions whose answers are known.
func evalCommand(_ context.Context, t terminal, args []string) error {
	var own evalFlags
	s, words, err := settingsOf(t, "eval", args, func(fs *flag.FlagSet) {
		fs.StringVar(&own.tools, "tools", "", "`FILE` of tools, one JSON object a line: name, description, inputSchema, and server if the name doesn't say it.")
		fs.StringVar(&own.questions, "questions", "", "`FILE` of questions, one JSON object a line: id, lang, query, relevant.")
		fs.StringVar(&own.k, "k", "1,5,10", "`PLACES` up to which hits are counted: whole numbers from 1 to 1000, separated by commas.")
		fs.BoolVar(&own.json, "json", false, "Print one JSON object.")
		fs.IntVar(&own.worst, "worst", 10, "How many of the worst questions are shown; 0 shows none.")
	})
	if err != nil {
		return err
	}
	if err := stray("eval", words); err != nil {
		return err
	}
	if own.tools == "" || own.questions == "" {
		return usageError{errors.New("give both files: mcp-toolsearch eval --tools tools.jsonl --questions questions.jsonl (docs/search.md says what is in them)")}
	}
	ks, err := places(own.k)
	if err != nil {
		return usageError{err}
	}
	if err := errors.Join(s.fileMistakes()...); err != nil {
		return usageError{err}
	}
	_, rules, err := s.openOverlay()
	if err != nil {
		return usageError{err}
	}
	docs, err := readTools(own.tools, rules)
	if err != nil {
		return err
	}
	questions, err := readQuestions(own.questions)
	if err != nil {
		return err
	}
	options, err := s.searchOptions()
	if err != nil {
		return err
	}
	before := heap()
	report := measure.Run(docs, questions, measure.Options{K: ks, Search: options})
	if own.json {
		return json.NewEncoder(t.out).Encode(report)
	}
	return printReport(t.out, &report, evalContext{tools: len(docs), memory: heap() - before, embedder: s.Embedder,
		worst: own.worst, ks: ks, unknown: unknownNames(docs, questions)})
}

func places(list string) ([]int, error) {
	var ks []int
	for _, part := range strings.Split(list, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || k < 1 || k > 1000 {
			return nil, fmt.Errorf("--k: %q is not a place from 1 to 1000: write it like 1,5,10", part)
		}
		if !slices.Contains(ks, k) {
			ks = append(ks, k)
		}
	}
	slices.Sort(ks)
	return ks, nil
}

// readTools reads tools as a catalog has them: of two tools of one name the first, and what the overlay makes of them.
func readTools(path string, rules *overlay.Overlay) ([]search.Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileMistake("--tools", path, err)
	}
	defer f.Close()
	var docs []search.Document
	known := map[string]bool{}
	err = measure.EachLine(f, func(line []byte) error {
		line = slices.Clone(line)
		d, ok := catalog.DocumentOf(line)
		if !ok {
			return errors.New(`not a tool: it needs a "name" and an object as "inputSchema"`)
		}
		var labels struct {
			Server string `json:"server"`
		}
		if err := json.Unmarshal(line, &labels); err == nil {
			d.Source = labels.Server
		}
		say := rules.Of(d.Name)
		if known[d.Name] || say.Hide {
			return nil
		}
		known[d.Name] = true
		d.Source, d.Aliases, d.Pinned = cmp.Or(say.Source, d.Source), say.Aliases, say.Pin
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		return nil, lineMistake("--tools", path, err)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("--tools: %s has no tool to search (or the overlay hides every one): write one JSON object a line", path)
	}
	return docs, nil
}

// lineMistake names the file that a line is in.
func lineMistake(name, path string, err error) error {
	if errors.Is(err, syscall.EISDIR) {
		return fileMistake(name, path, err)
	}
	return fmt.Errorf("%s: %s: %w", name, path, err)
}

func readQuestions(path string) ([]measure.Question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileMistake("--questions", path, err)
	}
	defer f.Close()
	questions, err := measure.ReadQuestions(f)
	if err != nil {
		return nil, lineMistake("--questions", path, err)
	}
	if len(questions) == 0 {
		return nil, fmt.Errorf("--questions: %s has no question: write one JSON object a line", path)
	}
	return questions, nil
}

// unknownNames are relevant names that no tool has: most likely spelling mistakes in the questions.
func unknownNames(docs []search.Document, questions []measure.Question) []string {
	known := map[string]bool{}
	for i := range docs {
		known[docs[i].Name] = true
	}
	var unknown []string
	for _, q := range questions {
		for _, name := range q.Relevant {
			if !known[name] && !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
		}
	}
	return unknown
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// evalContext is what a printed report says beside the figures.
type evalContext struct {
	tools, worst int
	memory       int64
	embedder     string
	ks           []int
	unknown      []string
}

func printReport(w io.Writer, r *measure.Report, c evalContext) error {
	fmt.Fprintf(w, "%d tools, %d questions, embedder %s\n\n", c.tools, r.All.N, c.embedder)
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprint(tw, "language\tn")
	for _, k := range c.ks {
		fmt.Fprintf(tw, "\thit@%d", k)
	}
	fmt.Fprintln(tw, "\trecall@5\tmrr")
	langs := make([]string, 0, len(r.ByLang))
	for lang := range r.ByLang {
		langs = append(langs, lang)
	}
	slices.Sort(langs)
	for _, lang := range langs {
		printFigures(tw, lang, r.ByLang[lang], c.ks)
	}
	printFigures(tw, "all", r.All, c.ks)
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nsearch p50 %.0f µs, p99 %.0f µs; build %.0f ms; memory of the index %.1f MB\n",
		float64(r.P50.Nanoseconds())/1e3, float64(r.P99.Nanoseconds())/1e3, float64(r.Build.Microseconds())/1e3, float64(c.memory)/1e6)
	for _, name := range c.unknown {
		fmt.Fprintf(w, "no tool is called %q: correct the name in the questions\n", name)
	}
	printWorst(w, r.Worst(c.worst))
	return nil
}

func printFigures(w io.Writer, label string, f measure.Figures, ks []int) {
	fmt.Fprintf(w, "%s\t%d", label, f.N)
	for _, k := range ks {
		fmt.Fprintf(w, "\t%.3f", f.Hit[k])
	}
	fmt.Fprintf(w, "\t%.3f\t%.3f\n", f.Recall5, f.MRR)
}

func printWorst(w io.Writer, worst []measure.Answer) {
	if len(worst) == 0 {
		return
	}
	fmt.Fprintln(w, "\nThe worst questions, and what came instead:")
	for _, a := range worst {
		first := "not among the first ten"
		if a.First > 0 {
			first = fmt.Sprintf("at place %d", a.First)
		}
		came := "nothing"
		if len(a.Names) > 0 {
			came = strings.Join(a.Names[:min(5, len(a.Names))], ", ")
		}
		fmt.Fprintf(w, "  %s (%s) %s\n    wanted %s: %s\n    got    %s\n", a.Question.ID, a.Question.Lang, a.Question.Query,
			strings.Join(a.Question.Relevant, ", "), first, came)
	}
}
