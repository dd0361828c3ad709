package cases

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// changing is a stack whose list of tools has another name from the nth request on.
func changing(n int) Stack {
	served := 0
	return Stack{Do: func(*http.Request) (*http.Response, error) {
		served++
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a%t"}]}}`, served < n)))}, nil
	}, URL: "http://x.example/"}
}

func TestAListThatChangesIsSeen(t *testing.T) {
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	reopened := func(testing.TB, *upstreamtest.Server, Operator) Stack { return changing(1) }
	for name, tt := range map[string]struct {
		across string
		from   int
		want   string
	}{
		"stays the same":        {"same process", 100, ""},
		"changes on its own":    {"same process", 7, "same process, time 6: the tools differ"},
		"changes by a restart":  {"restart", 100, "restart, time 1: the tools differ"},
		"changes by growth":     {"catalog grown by 200 tools", 2, "grown by 200 tools, time 1"},
		"changes by the caller": {"catalog of another caller", 2, "another caller, time 1"},
		"in an unknown way":     {"another planet", 100, "not understood"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{file: &File{}, era: wire.Modern, up: upstreamtest.New(t), open: reopened, stack: changing(tt.from)}
			err := p.unstable(t, Case{Repeat: 10, Across: []string{tt.across}}, request)
			if got := fmt.Sprint(err); !strings.Contains(got, tt.want) || tt.want == "" && err != nil {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
