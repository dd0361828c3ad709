package licences

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suits says whether an SPDX expression leaves a choice of licences that suit tests and tools of a MIT program: permissive
// ones, and MPL-2.0, which binds only changes to its own files. Expressions with parentheses inside are not understood.
func Suits(expression string) bool {
	choices := strings.Split(strings.Trim(expression, "()"), " OR ")
	return slices.ContainsFunc(choices, func(choice string) bool {
		for one := range strings.SplitSeq(choice, " AND ") {
			if !slices.Contains([]string{"0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0",
				"MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"}, strings.TrimSpace(one)) {
				return false
			}
		}
		return true
	})
}

// PythonPackages lists the packages that pip has installed in a folder, with the licences that suit.
func PythonPackages(dir string) ([]Module, error) {
	infos, err := filepath.Glob(filepath.Join(dir, "*.dist-info"))
	if err != nil {
		return nil, err
	}
	var all []Module
	for _, info := range infos {
		text, err := os.ReadFile(filepath.Join(info, "METADATA"))
		if err != nil {
			return nil, err
		}
		m := pythonModule(text)
		if len(m.Licences) == 0 {
			if m.Licences, err = textsIn(info, "METADATA"); err != nil {
				return nil, err
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// pythonModule reads a package's METADATA (PEP 566, PEP 639). The expression counts first, then the plain field, then the
// classifiers: of those, each must suit.
func pythonModule(metadata []byte) Module {
	head, _, _ := bytes.Cut(bytes.ReplaceAll(metadata, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	var m Module
	var expression, plain string
	var classified []string
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Name":
			m.Path = value
		case "Version":
			m.Version = value
		case "License-Expression":
			expression = value
		case "License":
			plain = value
		case "Classifier":
			if licence, ok := strings.CutPrefix(value, "License :: OSI Approved :: "); ok {
				classified = append(classified, classifier(licence))
			}
		}
	}
	for _, said := range [][]string{{expression}, {classifier(plain)}, {strings.Join(classified, " AND ")}} {
		if said[0] == "" || said[0] == "UNKNOWN" {
			continue
		}
		if Suits(said[0]) {
			m.Licences = said
		}
		if expression != "" || m.Licences != nil {
			break
		}
	}
	return m
}

// classifier is the SPDX identifier of a classifier, or of what people write into the plain field.
func classifier(text string) string {
	switch text {
	case "MIT License":
		return "MIT"
	case "BSD License":
		return "BSD"
	case "Apache Software License":
		return "Apache-2.0"
	case "ISC License (ISCL)", "ISC License":
		return "ISC"
	case "Mozilla Public License 2.0 (MPL 2.0)":
		return "MPL-2.0"
	case "Python Software Foundation License":
		return "PSF-2.0"
	case "The Unlicense (Unlicense)":
		return "Unlicense"
	}
	return text
}

// textsIn are the licences recognised in a folder and in the one below it that holds licences alone. A package that was
// published without its licence file may still say the licence in its description.
func textsIn(dir, description string) ([]string, error) {
	var found []string
	for _, folder := range []string{dir, filepath.Join(dir, "licenses")} {
		m, err := readModule(dir, "", folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		found = append(found, m.Licences...)
	}
	if text, err := os.ReadFile(filepath.Join(dir, description)); err == nil && len(found) == 0 && strings.Contains(string(text), "is licensed under the MIT License.") {
		found = []string{"MIT"}
	}
	return found, nil
}

// NodePackages lists the packages that npm has installed in a node_modules folder, with the licences that suit.
func NodePackages(dir string) ([]Module, error) {
	var all []Module
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != "package.json" {
			return err
		}
		folder := filepath.Dir(path)
		above := filepath.Dir(folder)
		if filepath.Base(above) != "node_modules" && filepath.Base(filepath.Dir(above)) != "node_modules" {
			return nil // a file of a package, not its own
		}
		m, err := nodeModule(folder)
		if err == nil && m.Path != "" && m.Version != "" { // else it only says how a folder's files are read
			all = append(all, m)
		}
		return err
	})
	return all, err
}

// nodeModule reads a package's own package.json.
func nodeModule(folder string) (Module, error) {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return Module{}, err
	}
	var said struct {
		Name, Version string
		License       json.RawMessage
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return Module{}, fmt.Errorf("%s: %w", folder, err)
	}
	m := Module{Path: said.Name, Version: said.Version}
	var licence string
	switch err := json.Unmarshal(said.License, &licence); {
	case err == nil && Suits(licence):
		m.Licences = []string{licence}
	case err != nil || strings.HasPrefix(licence, "SEE LICENSE"): // it may be missing, or of an older form
		if m.Licences, err = textsIn(folder, "README.md"); err != nil {
			return m, err
		}
	}
	return m, nil
}
