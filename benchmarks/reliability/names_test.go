package reliability_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"mcp-toolsearch/internal/fixtures"
)

// names answers questions for names, all with loopback, or fails all.
type names struct{ failing atomic.Bool }

// serveNames answers on port 53 of a loopback address, where the resolver of the product looks.
func serveNames(t *testing.T, address string) *names {
	t.Helper()
	conn, err := net.ListenPacket("udp", address+":53")
	if err != nil {
		fixtures.Skip(t, "a name server of one's own needs root: "+err.Error())
	}
	t.Cleanup(func() { conn.Close() })
	n := &names{}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := n.answer(buf[:size]); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	return n
}

func (n *names) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Header.Response, m.Additionals = true, nil
	q := m.Questions[0]
	switch {
	case n.failing.Load():
		m.Header.RCode = dnsmessage.RCodeServerFailure
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// namesDontResolve lets the name of a merged server stop resolving when its connections are gone.
func namesDontResolve(t *testing.T, program string, rows *table) {
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		fixtures.Skip(t, "a resolver of one's own needs root and unshare: "+err.Error())
	}
	const address = "127.0.0.53"
	n := serveNames(t, address)
	resolver := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(resolver, []byte("nameserver "+address+"\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := alone(t, program, setting{shell: "mount --bind " + resolver + " /etc/resolv.conf", servers: func(s *stand, all map[string]any) {
		_, port, _ := strings.Cut(s.taps["to the server"].addr(), ":")
		all["ledger"] = map[string]any{"url": "http://ledger.example:" + port + "/mcp"}
	}})
	r := &row{fault: "the name of a merged server doesn't resolve", door: s.door}
	c := newClient(s.url, "names")
	var all []outcome
	for range times(5, 1) {
		s.recovered(c, read, time.Now())
		n.failing.Store(true)
		s.taps["to the server"].reset()
		r.struck++
		for _, k := range kinds() {
			o := c.do(t.Context(), k)
			if (k == list || k == search) && !o.ok {
				t.Errorf("without the server's name %s fails: %s", k, o.said)
			}
			all = append(all, o)
		}
		n.failing.Store(false)
		r.recoveries = append(r.recoveries, s.recovered(c, read, time.Now()))
	}
	r.count(s.server, all...)
	r.judge(t, all, true)
	rows.add(r)
}
