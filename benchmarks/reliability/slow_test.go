package reliability_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slowClients connects many clients that send a request a byte at a time, while others work: those must not notice.
func slowClients(t *testing.T, s *stand, rows *table) *row {
	r := &row{fault: "500 clients that send a byte a second, 32 others", door: s.door}
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	var cut atomic.Int64
	connections := times(500, 100)
	if !*full {
		r.fault = "100 clients that send a byte a second, 32 others"
	}
	all := underLoad(t, s, func() {
		for i := range connections {
			conn, err := net.Dial("tcp", u.Host)
			if err != nil {
				t.Error(err)
				return
			}
			r.struck++
			begun := []string{"POST " + u.Path + " HT", "POST " + u.Path + " HTTP/1.1\r\nHost: " + u.Host + "\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"}[i%2]
			slow.Go(func() {
				if dribble(ctx, conn, begun) {
					cut.Add(1)
				}
			})
		}
		pause(time.Duration(times(20, 2)) * time.Second)
	})
	stop()
	slow.Wait()
	r.count(s.server, all...)
	r.judge(t, all, false)
	t.Logf("%d of %d slow clients were cut off", cut.Load(), connections)
	if half := int64(connections / 2); *full && cut.Load() < half {
		t.Errorf("%d slow clients were cut off; want the %d that never end their headers", cut.Load(), half)
	}
	s.nothingIsLeft(&rows.left)
	return r
}

// dribble sends a byte a second until ctx ends or the other side has had enough, which it tells.
func dribble(ctx context.Context, conn net.Conn, begun string) (cut bool) {
	defer conn.Close()
	if _, err := conn.Write([]byte(begun)); err != nil {
		return true
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if _, err := conn.Write([]byte(" ")); err != nil {
				return true
			}
		}
	}
}

// slowServer merges a server that answers a byte a second beside one that is well: calls of the other must not notice.
func slowServer(t *testing.T, program string) *row {
	dribbling := serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-q.Context().Done():
				return
			case <-time.After(time.Second):
			}
		}
	}))
	s := alone(t, program, setting{servers: func(_ *stand, all map[string]any) {
		all["tar"] = map[string]any{"url": "http://" + dribbling + "/mcp", "listTimeout": "3s", "openTimeout": "3s", "timeout": "3s"}
	}})
	r := &row{fault: "a merged server that answers a byte a second, 32 clients of others", door: s.door, struck: 1}
	all := underLoad(t, s, func() { pause(time.Duration(times(20, 4)) * time.Second) })
	r.count(s.server, all...)
	r.judge(t, all, false)
	return r
}
