// Package defaultmodel holds the embedding model that is in the binary. It is apart from package model so that whoever
// reads models from files doesn't carry its 20 MB.
//
// Invariants:
//
//  1. The file is the one that the NOTICE and the goldens are about: its digest is [SHA256] (TestTheFileIsTheOneThatIsNamed).
//  2. It stays in the program's read-only pages: loading copies no table (TestLoadingCopiesNoTable).
package defaultmodel

import (
	_ "embed"
	"fmt"

	"mcp-toolsearch/model"
)

// SHA256 is the digest of the model's file, in hexadecimal.
const SHA256 = "9667c55e1706f6ebf02140b5ba449d5e8f741bed058ab45b19a3596310d307dc"

// Name is the model's name in logs and in the settings.
const Name = "embedded"

// file is a string, because the linker keeps strings in read-only pages.
//
//go:embed static.bin
var file string

// Load reads the embedded model.
func Load() (*model.Model, error) {
	m, err := model.Packed(Name, file)
	if err != nil {
		return nil, fmt.Errorf("the embedded model: %w", err)
	}
	return m, nil
}
