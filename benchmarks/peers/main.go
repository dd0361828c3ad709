package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"mcp-toolsearch/internal/evalcatalog"
	defaultmodel "mcp-toolsearch/model/default"
	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/catalog"
)

const (
	seed   = 1  // of the generated catalogs
	hits   = 10 // that every contender is asked for
	rounds = 5  // of all questions
)

func main() {
	write := flag.String("write", "", "`FOLDER` to write catalogs and questions to, for peers.py; nothing is measured then")
	flag.Parse()
	if err := run(os.Stdout, *write); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// sizes are the numbers of tools.
func sizes() []int { return []int{500, 5_000} }

func run(w io.Writer, folder string) error {
	questions, err := english()
	if err != nil {
		return err
	}
	if folder != "" {
		return export(folder, questions)
	}
	for _, n := range sizes() {
		docs, err := documents(evalcatalog.Generate(n, seed))
		if err != nil {
			return err
		}
		if err := compare(w, docs, questions, rounds); err != nil {
			return err
		}
	}
	return nil
}

// english are the questions of the project's own set in the language that every peer stems.
func english() ([]evalcatalog.Question, error) {
	all, err := evalcatalog.Questions()
	return slices.DeleteFunc(all, func(q evalcatalog.Question) bool { return q.Lang != "en" }), err
}

func documents(tools []evalcatalog.Tool) ([]search.Document, error) {
	docs := make([]search.Document, len(tools))
	for i, t := range tools {
		d, ok := catalog.DocumentOf(t.Definition())
		if !ok {
			return nil, fmt.Errorf("the generated tool %s is no tool", t.Name)
		}
		d.Source = t.Server
		docs[i] = d
	}
	return docs, nil
}

// contender is one search engine with its index.
type contender struct {
	name  string
	ask   func(question string) (found int, err error)
	build time.Duration
	times []time.Duration
}

func compare(w io.Writer, docs []search.Document, questions []evalcatalog.Question, rounds int) error {
	all, err := contenders(docs)
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	for range rounds {
		for _, q := range questions {
			for i := range all {
				began := time.Now()
				_, err := all[i].ask(q.Query)
				all[i].times = append(all[i].times, time.Since(began))
				if err != nil {
					return fmt.Errorf("%s: question %s: %w", all[i].name, q.ID, err)
				}
			}
		}
	}
	return printTable(w, len(docs), len(questions), all)
}

// contenders builds all indexes; ours come first.
func contenders(docs []search.Document) ([]contender, error) {
	model, err := defaultmodel.Load()
	if err != nil {
		return nil, err
	}
	ours := func(name string, o search.Options) contender {
		began := time.Now()
		ix := search.Build(docs, o)
		return contender{name: name, build: time.Since(began), ask: func(question string) (int, error) {
			return len(ix.Search(search.Query{Text: question, Limit: hits}).Hits), nil
		}}
	}
	began := time.Now()
	ask, err := bleveIndex(docs)
	peer := contender{name: "bleve v2", build: time.Since(began), ask: ask}
	return []contender{ours("words", search.Options{}), ours("hybrid", search.Options{Embedder: model}), peer}, err
}

// printTable writes times, and how many times as long as each of ours the peer takes.
func printTable(w io.Writer, tools, questions int, all []contender) error {
	fmt.Fprintf(w, "%d tools, %d questions, one core\n", tools, questions)
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\tbuild ms\tp50 µs\tp99 µs\tp50 / words\tp50 / hybrid\tp99 / words\tp99 / hybrid\t")
	for _, c := range all {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t", c.name, c.build.Milliseconds(), c.at(50).Microseconds(), c.at(99).Microseconds())
		for _, percent := range []int{50, 99} {
			for _, base := range all[:2] {
				fmt.Fprintf(tw, "%.2f\t", float64(c.at(percent))/float64(max(1, base.at(percent))))
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// at is the time that so many of a hundred searches stay under.
func (c *contender) at(percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(c.times))
	return sorted[len(sorted)*percent/100]
}

// export writes what mcp-toolsearch eval and peers.py read.
func export(folder string, questions []evalcatalog.Question) error {
	err := writeLines(filepath.Join(folder, "questions.jsonl"), questions)
	for _, n := range sizes() {
		err = cmp.Or(err, writeLines(filepath.Join(folder, fmt.Sprintf("tools-%d.jsonl", n)), evalcatalog.Generate(n, seed)))
	}
	return err
}

func writeLines[T any](path string, values []T) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriter(f)
	enc := json.NewEncoder(out)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return out.Flush()
}
