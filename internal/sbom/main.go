// Program sbom writes what a built mcp-toolsearch is made of, as a CycloneDX document: the modules that its own build
// information names, and the data files that are embedded in it.
//
// Invariants:
//  1. Every module of the binary is listed with its version and checksum, and every embedded file with its digest
//     (TestWhatIsBuilt).
//  2. The binary that it is about is the same whoever builds it, and wherever, and needs no
//     library of its machine (TestWhatIsBuilt).
package main

import (
	"errors"
	"fmt"
	"os"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("name the binary, its version and the file to write: sbom bin/mcp-toolsearch 1.2.3 bin/mcp-toolsearch.cdx.json")
	}
	bill, err := billOf(args[0], ".", args[1])
	if err != nil {
		return err
	}
	out, err := os.Create(args[2])
	if err != nil {
		return err
	}
	if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bill); err != nil {
		return err
	}
	return out.Close()
}
