package member

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestNothingIsLostOrCrossedWhileSessionsAreLost: many clients of both eras,
// some sharing a key, at a server that forgets its sessions again and again.
func TestNothingIsLostOrCrossedWhileSessionsAreLost(t *testing.T) {
	for _, eras := range []upstreamtest.Eras{upstreamtest.LegacyOnly, upstreamtest.ModernOnly, upstreamtest.Both} {
		up := scripted(t, eras)
		for i := range 16 {
			up.Script(fmt.Sprintf("tool_%d", i), upstreamtest.Script{Result: fmt.Sprintf(`{"resultType":"complete","content":[],"marker":"m%d."}`, i)})
		}
		m := newMember(t, up.URL(), nil)
		stop := time.Now().Add(300 * time.Millisecond)
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				c := clientOf(wire.Era(i%2), fmt.Sprintf("key-%d-%d", i%2, i%4))
				for n := 0; time.Now().Before(stop); n++ {
					if i == 0 && rand.IntN(4) == 0 {
						up.LoseSessions()
					}
					ask(t, m, c, fmt.Sprintf("%d", n), i)
				}
			})
		}
		wg.Wait()
		if !m.State().Up {
			t.Errorf("state %+v", m.State())
		}
		m.Close()
		if up.Sessions() > 8 {
			t.Errorf("%d sessions are left", up.Sessions())
		}
	}
}

func ask(t *testing.T, m *Member, c Client, id string, i int) {
	t.Helper()
	s, err := m.Session(t.Context(), c, "")
	if err != nil {
		t.Errorf("session: %v", err)
		return
	}
	a, err := s.Post(t.Context(), call(c.Era, id, fmt.Sprintf("tool_%d", i), "{}"), nil)
	if err != nil {
		t.Errorf("post: %v", err)
		return
	}
	defer a.Body.Close()
	raw, err := io.ReadAll(a.Body)
	text := string(raw)
	switch {
	case err != nil:
		t.Errorf("read: %v", err)
	case a.Status == 404 && c.Era == wire.Legacy: // lost twice within one request
	case !strings.Contains(text, fmt.Sprintf(`"marker":"m%d."`, i)) || !strings.Contains(text, `"id":`+id+`,`):
		if !strings.Contains(text, "session not found") {
			t.Errorf("call %s of client %d got %d %s", id, i, a.Status, text)
		}
	}
}
