package licences_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/internal/licences"
	"mcp-toolsearch/internal/setup"
)

var update = flag.Bool("update", false, "write NOTICE anew")

func TestEveryModuleHasASuitableLicence(t *testing.T) {
	modules, err := licences.Modules(t.Context(), root(t), true, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 10 {
		t.Fatalf("only %d modules were found", len(modules))
	}
	for _, m := range modules {
		if len(m.Licences) == 0 {
			t.Errorf("%s %s: no suitable licence was recognised: read its licence; then teach licences.Recognise, or do without it", m.Path, m.Version)
		}
	}
}

func TestNoticeListsTheShippedModules(t *testing.T) {
	shipped, err := licences.Modules(t.Context(), root(t), false, "./cmd/mcp-toolsearch")
	if err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(filepath.Join(root(t), "model", "default", "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	path, want := filepath.Join(root(t), "NOTICE"), licences.Notice(shipped, string(model))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("NOTICE is out of date (-want +got); run make docs\n%s", diff)
	}
}

func TestTextsAreRecognised(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that the following conditions are met:"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"MIT", "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a\ncopy of this software and", []string{"MIT"}},
		{"Apache", "   Apache License\n   Version 2.0, January 2004\n", []string{"Apache-2.0"}},
		{"two clauses", bsd, []string{"BSD-2-Clause"}},
		{"three clauses", bsd + " Neither the name of X", []string{"BSD-3-Clause"}},
		{"two licences in one file", "Apache License Version 2.0, January 2004 … " + bsd, []string{"Apache-2.0", "BSD-2-Clause"}},
		{"Mozilla", "Mozilla Public License, version 2.0\n\n1. Definitions", []string{"MPL-2.0"}},
		{"Mozilla with a heading", "Mozilla Public License Version 2.0\n====================\n\n1. Definitions", []string{"MPL-2.0"}},
		{"public domain", "This is free and unencumbered software released\ninto the public domain.", []string{"Unlicense"}},
		{"copyleft", "GNU AFFERO GENERAL PUBLIC LICENSE Version 3", nil},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := licences.Recognise(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("recognised %v, want %v", got, tt.want)
			}
		})
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
