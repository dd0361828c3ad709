package aggregate_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

func TestEqualNamesAreKeptApart(t *testing.T) {
	a := sdk(t, false, echoes("find=find of a", "only_a=only of a"))
	b := sdk(t, false, echoes("find=find of b", "only_b=only of b"))
	r := start(t, []servers.Server{at("alpha", a.URL), at("beta", b.URL)})
	for era, version := range eras() {
		t.Run(era, func(t *testing.T) {
			s := connect(t, r.url, nil, version)
			want := []string{"find", "only_a", "beta__find", "only_b"}
			if got := names(t, s); !slices.Equal(got, want) {
				t.Fatalf("tools %q, want %q", got, want)
			}
			for name, says := range map[string]string{"find": "find of a", "beta__find": "find of b", "only_b": "only of b"} {
				if got := call(t, s, name); got != says {
					t.Errorf("%s says %q, want %q", name, got, says)
				}
			}
		})
	}
	if !strings.Contains(r.log.String(), `listed_as=beta__find`) {
		t.Errorf("the collision is not logged:\n%s", r.log)
	}
}
