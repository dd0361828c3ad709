package upstream

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/internal/upstreamtest"
)

func TestLoginIsPassedOnAtEveryStep(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		for name, tc := range map[string]struct {
			eras   upstreamtest.Eras
			method string
			skip   int
		}{
			"the modern list":              {upstreamtest.ModernOnly, "tools/list", 0},
			"the second page":              {upstreamtest.ModernOnly, "tools/list", 1},
			"initialize":                   {upstreamtest.LegacyOnly, "initialize", 0},
			"the initialized notification": {upstreamtest.LegacyOnly, "notifications/initialized", 0},
			"the legacy list":              {upstreamtest.LegacyOnly, "tools/list", 1},
			"the legacy list's next page":  {upstreamtest.LegacyOnly, "tools/list", 2},
		} {
			t.Run(name, func(t *testing.T) {
				up := upstreamtest.New(t, tools(4)...)
				up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.PageSize = tc.eras, 2 })
				up.Fail(tc.method, upstreamtest.Fault{Kind: upstreamtest.Status, Status: status, Skip: tc.skip,
					Header: http.Header{"Www-Authenticate": {challenge, "Basic"}}, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"s3cret"}}`})
				_, err := list(t, newClient(t, nil), up)
				var auth *AuthError
				if !errors.As(err, &auth) {
					t.Fatalf("error = %v, want an AuthError", err)
				}
				if diff := cmp.Diff(&AuthError{Status: status, Challenge: []string{challenge, "Basic"}}, auth); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				noSecrets(t, err)
				if up.Sessions() != 0 {
					t.Errorf("a session was left open")
				}
			})
		}
	}
}

func TestALostSessionStartsOverOnce(t *testing.T) {
	up := upstreamtest.New(t, tools(6)...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.PageSize = upstreamtest.LegacyOnly, 2 })
	// The modern probe is the first tools/list, the first page the second.
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.ForgetSession, Skip: 2, Times: 1})
	l, err := list(t, newClient(t, nil), up)
	if err != nil || len(l.Tools) != 6 || l.Pages != 3 {
		t.Fatalf("listing = %v, %v, want 6 tools once each", l, err)
	}
	if n := len(up.RequestsOf("initialize")); n != 2 {
		t.Errorf("%d sessions were opened, want 2", n)
	}

	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.ForgetSession})
	_, err = list(t, newClient(t, nil), up)
	if e := mustKind(t, err, BadStatus); e.Status != http.StatusNotFound {
		t.Errorf("status = %d, want 404", e.Status)
	}
}

func TestLegacyServersOfAllKinds(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*upstreamtest.Behaviour)
		header string // MCP-Protocol-Version after initialize
	}{
		"without sessions":           {func(b *upstreamtest.Behaviour) { b.Stateless = true }, "2025-11-25"},
		"that negotiate 2025-06-18":  {func(b *upstreamtest.Behaviour) { b.LegacyVersion = "2025-06-18" }, "2025-06-18"},
		"that negotiate 2025-03-26":  {func(b *upstreamtest.Behaviour) { b.LegacyVersion = "2025-03-26" }, ""},
		"that prime and chat a lot":  {func(b *upstreamtest.Behaviour) { b.SSE, b.Prime, b.Chatter = true, true, true }, "2025-11-25"},
		"that answer in many pieces": {func(b *upstreamtest.Behaviour) { b.Chunked, b.PageSize = true, 1 }, "2025-11-25"},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, tools(3)...)
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly; tc.change(b) })
			l, err := list(t, newClient(t, nil), up)
			if err != nil || len(l.Tools) != 3 {
				t.Fatalf("listing = %v, %v", l, err)
			}
			last := up.RequestsOf("notifications/initialized")[0]
			if got := last.Header.Get("Mcp-Protocol-Version"); got != tc.header {
				t.Errorf("version header = %q, want %q", got, tc.header)
			}
		})
	}
}

func TestAServerThatChoosesAVersionNobodyOffered(t *testing.T) {
	for _, version := range []string{"2099-01-01", "banana"} {
		up := upstreamtest.New(t, tools(1)...)
		up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.LegacyVersion = upstreamtest.LegacyOnly, version })
		_, err := list(t, newClient(t, nil), up)
		mustKind(t, err, Garbage)
		if up.Sessions() != 0 {
			t.Errorf("a session was left open")
		}
	}
}

// TestASlowGoodbyeEnds: a server that hangs on DELETE delays a listing by the
// parting time at most.
func TestASlowGoodbyeEnds(t *testing.T) {
	up := upstreamtest.New(t, tools(1)...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly })
	up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Hang, Skip: 4})
	began := time.Now()
	l, err := list(t, newClient(t, nil), up)
	if err != nil || len(l.Tools) != 1 {
		t.Fatalf("listing = %v, %v", l, err)
	}
	if took := time.Since(began); took < partingTimeout || took > partingTimeout+5*time.Second {
		t.Errorf("took %v, want about %v", took, partingTimeout)
	}
}
