package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
)

// programs are built once for all tests of the package; TestMain owns them.
var programs *e2e.Programs

// taints are the values that must not be found in anything that the programs record.
var taints = e2e.NewTaints()

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
	http.DefaultTransport = taints.Transport(http.DefaultTransport)
	code := programs.RunAll(m, taints)
	if err := programs.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
