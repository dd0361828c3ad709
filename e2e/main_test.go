package e2e_test

import (
	"fmt"
	"os"
	"testing"

	"mcp-toolsearch/e2e"
)

// programs are built once for all tests of the package; TestMain owns them.
var programs *e2e.Programs

func TestMain(m *testing.M) {
	var err error
	if programs, err = e2e.NewPrograms(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := programs.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
