package licences

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Module is a dependency and what its licence file says.
type Module struct {
	Path, Version string
	// Licences are SPDX identifiers, sorted; empty when none was recognised.
	Licences []string
	// Notice is the text of its NOTICE file, which must travel with the binary; mostly empty.
	Notice string
}

// Modules lists the modules of other people that the packages matching the patterns are built from, sorted by path.
// With tests, also what their tests are built from. It runs `go list` in dir.
func Modules(ctx context.Context, dir string, tests bool, patterns ...string) ([]Module, error) {
	args := []string{"list", "-deps", "-json=Module"}
	if tests {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	return parse(out)
}

func parse(listed []byte) ([]Module, error) {
	seen := map[string]bool{}
	var all []Module
	dec := json.NewDecoder(bytes.NewReader(listed))
	for {
		var pkg struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		err := dec.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read what go list printed: %w", err)
		}
		m := pkg.Module
		if m == nil || m.Main || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		read, err := readModule(m.Path, m.Version, m.Dir)
		if err != nil {
			return nil, err
		}
		all = append(all, read)
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// readModule reads the licence and notice files in a module's folder.
func readModule(path, version, dir string) (Module, error) {
	m := Module{Path: path, Version: version}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return m, fmt.Errorf("%s: %w: run go mod download", path, err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		licence := strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")
		notice := strings.HasPrefix(name, "NOTICE")
		if e.IsDir() || !licence && !notice {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return m, err
		}
		if notice {
			m.Notice = string(text)
			continue
		}
		m.Licences = append(m.Licences, Recognise(string(text))...)
	}
	slices.Sort(m.Licences)
	m.Licences = slices.Compact(m.Licences)
	return m, nil
}

// Recognise names the known licences whose wording is in a text: permissive ones, and MPL-2.0, which binds only changes to
// its own files, and we change none. Whatever else the text says it doesn't see: another copyleft licence is simply not
// recognised.
func Recognise(text string) []string {
	words := strings.ToLower(strings.Join(strings.Fields(text), " "))
	var found []string
	for _, known := range []struct{ id, wording string }{
		{"Apache-2.0", "apache license version 2.0, january 2004"},
		{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
		{"MPL-2.0", "mozilla public license, version 2.0"},
		{"MPL-2.0", "mozilla public license version 2.0"},
		{"Unlicense", "this is free and unencumbered software released into the public domain"},
		{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
		{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met"},
	} {
		if strings.Contains(words, known.wording) && !slices.Contains(found, known.id) {
			found = append(found, known.id)
		}
	}
	if i := slices.Index(found, "BSD"); i >= 0 {
		found[i] = "BSD-2-Clause"
		if strings.Contains(words, "neither the name of") {
			found[i] = "BSD-3-Clause"
		}
	}
	return found
}

// Notice is the content of the project's NOTICE file: the shipped modules, then what is said about shipped data.
func Notice(shipped []Module, data ...string) string {
	var b strings.Builder
	b.WriteString("mcp-toolsearch\nCopyright the mcp-toolsearch authors. MIT, see LICENSE.\n\n")
	b.WriteString("The program is built with these modules, unchanged; each module's path is where its source is:\n\n")
	for _, m := range shipped {
		fmt.Fprintf(&b, "  %s %s  %s\n", m.Path, m.Version, strings.Join(m.Licences, ", "))
	}
	for _, m := range shipped {
		if m.Notice != "" {
			fmt.Fprintf(&b, "\n%s says:\n\n", m.Path)
			for line := range strings.Lines(strings.TrimSpace(m.Notice)) {
				b.WriteString(strings.TrimRight("    "+line, " \t\r\n") + "\n")
			}
		}
	}
	for _, text := range data {
		b.WriteString("\n" + text)
	}
	return b.String()
}
