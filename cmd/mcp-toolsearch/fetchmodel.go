package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mcp-toolsearch/model/fetch"
)

// fetchModel downloads the large embedding model.
func fetchModel(ctx context.Context, t terminal, args []string) error {
	s, words, err := settingsOf(t, "fetch-model", args, nil)
	if err != nil {
		return err
	}
	if err := stray("fetch-model", words); err != nil {
		return err
	}
	if s.ModelDir == "" {
		return usageError{errors.New("name the folder: mcp-toolsearch fetch-model --model-dir /var/lib/mcp-toolsearch/model")}
	}
	src := fetch.Large(s.ModelURL)
	show := &progress{out: t.err, now: time.Now, bar: isTerminal(t.err)}
	if err := fetch.Download(ctx, s.ModelDir, src, fetch.Options{Progress: show.report}); err != nil {
		show.end()
		return err
	}
	_, err = fmt.Fprintf(t.out, "The model is in %s (%s). Use it with --model-dir %s.\n", s.ModelDir, megabytes(src.Size()), s.ModelDir)
	return err
}

// isTerminal tells whether someone watches.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progress shows how far a download is: a bar that is drawn anew ten times a second on a terminal, and a line for each
// finished file everywhere.
type progress struct {
	out   io.Writer
	now   func() time.Time
	bar   bool
	file  string
	begun time.Time
	first int64 // bytes that were there when this run began
	drawn time.Time
}

const (
	barWidth = 30
	redraw   = 100 * time.Millisecond
)

func (p *progress) report(at fetch.Progress) {
	now := p.now()
	if at.Finished {
		p.end()
		how := "fetched"
		if at.Kept {
			how = "was there already"
		}
		fmt.Fprintf(p.out, "%s  %s  %s\n", at.File, megabytes(at.Total), how)
		return
	}
	if p.file != at.File {
		p.file, p.begun, p.first, p.drawn = at.File, now, at.Done, time.Time{}
	}
	if !p.bar || now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	filled := int(at.Done * barWidth / at.Total)
	line := fmt.Sprintf("%s  [%s%s] %3d%%  %s of %s", at.File, strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		at.Done*100/at.Total, megabytes(at.Done), megabytes(at.Total))
	if took := now.Sub(p.begun); took >= time.Second && at.Done > p.first {
		speed := float64(at.Done-p.first) / took.Seconds()
		left := time.Duration(float64(at.Total-at.Done) / speed * float64(time.Second))
		line += fmt.Sprintf("  %s/s  %s left", megabytes(int64(speed)), left.Round(time.Second))
	}
	fmt.Fprint(p.out, "\r\x1b[K"+line)
}

// end leaves the bar's line.
func (p *progress) end() {
	if p.bar && !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.drawn = time.Time{}
}

func megabytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
