package e2e_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
)

// programs are built once for all tests of the package; TestMain owns them.
var programs *e2e.Programs

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" { // a local command of TestClientsThroughStdio
		if err := featureserver.New(false).ServeStdio(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
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
