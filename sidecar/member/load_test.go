package member

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestNothingIsCrossedWhileSessionsAreLost: many clients of both eras, some
// sharing a key, at a server that forgets its sessions again and again. Each
// answer is the client's own; what fails was lost twice within one request.
func TestNothingIsCrossedWhileSessionsAreLost(t *testing.T) {
	for _, eras := range []upstreamtest.Eras{upstreamtest.LegacyOnly, upstreamtest.ModernOnly, upstreamtest.Both} {
		up := scripted(t, eras)
		for i := range 16 {
			up.Script(fmt.Sprintf("tool_%d", i), upstreamtest.Script{Result: fmt.Sprintf(`{"resultType":"complete","content":[],"marker":"m%d."}`, i)})
		}
		m := newMember(t, up.URL(), nil)
		var answered, lost atomic.Int64
		done := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				c := clientOf(wire.Era(i%2), fmt.Sprintf("key-%d-%d", i%2, i%4))
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					if ownAnswerOf(t, m, c, fmt.Sprintf("%d", n), i) {
						answered.Add(1)
					} else {
						lost.Add(1)
					}
				}
			})
		}
		for range 3 {
			so := answered.Load()
			until(t, "sixty more are answered", func() bool { return answered.Load() > so+60 })
			up.LoseSessions()
		}
		close(done)
		wg.Wait()
		if !m.State().Up || lost.Load() > answered.Load() {
			t.Errorf("%d answered, %d lost, state %+v", answered.Load(), lost.Load(), m.State())
		}
		m.Close()
	}
}

// ownAnswerOf calls a client's own tool; false when the server lost the session twice.
func ownAnswerOf(t *testing.T, m *Member, c Client, id string, i int) bool {
	t.Helper()
	s, err := m.Session(t.Context(), c, "")
	var a *Answer
	if err == nil {
		a, err = s.Post(t.Context(), call(c.Era, id, fmt.Sprintf("tool_%d", i), "{}"), nil)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Status != http.StatusNotFound {
			t.Errorf("client %d: %v", i, err)
		}
		return false
	}
	defer a.Body.Close()
	raw, err := io.ReadAll(a.Body)
	text := string(raw)
	switch {
	case err != nil:
		t.Errorf("client %d: %v", i, err)
	case a.Status == http.StatusNotFound:
		return false
	case !strings.Contains(text, fmt.Sprintf(`"marker":"m%d."`, i)) || !strings.Contains(text, `"id":`+id+`,`):
		t.Errorf("call %s of client %d got %d %s", id, i, a.Status, text)
	}
	return true
}
