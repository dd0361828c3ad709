package reliability_test

import (
	"testing"
	"time"
)

// killedAtEveryStage kills the product before and after each piece of each kind of request on a tapped connection, and
// starts it again.
func killedAtEveryStage(t *testing.T, s *stand, tapped string, kinds []kind) *row {
	return atEveryStage(t, s, tapped, kinds, "product killed at a stage of a request, on the connection "+tapped, s.kill, s.start)
}

// resetAtEveryStage breaks a tapped connection off before and after each piece of each kind of request.
func resetAtEveryStage(t *testing.T, s *stand, tapped string, kinds []kind) *row {
	return atEveryStage(t, s, tapped, kinds, "connection "+tapped+" reset at a stage of a request", s.taps[tapped].reset, func() {})
}

// mostPieces bounds the stages of one kind of request and direction; a request has fewer.
const mostPieces = 8

func atEveryStage(t *testing.T, s *stand, tapped string, kinds []kind, fault string, strike, mend func()) *row {
	t.Helper()
	r := &row{fault: fault, door: s.door}
	tap, c := s.taps[tapped], newClient(s.url, "stages")
	defer c.web.CloseIdleConnections()
	var outcomes []outcome
	for _, k := range kinds {
		s.recovered(c, k, time.Now()) // connections are open, catalogs known
		tap.arm(nil, nil)
		if o := c.do(t.Context(), k); !o.ok {
			t.Fatalf("%s fails without a fault: %s", k, o.said)
		}
		_, pieces := tap.disarm()
		for _, w := range []way{forth, back} {
			for piece := 1; piece <= min(pieces[w], mostPieces); piece++ {
				for _, after := range []bool{false, true} {
					tap.arm(&point{way: w, piece: piece, after: after}, strike)
					o := c.do(t.Context(), k)
					if struck, _ := tap.disarm(); !struck {
						continue // the pieces came together this time
					}
					r.struck++
					outcomes = append(outcomes, o)
					over := time.Now()
					mend()
					r.recoveries = append(r.recoveries, s.recovered(c, k, over))
				}
			}
		}
	}
	r.count(s.server, outcomes...)
	r.judge(t, outcomes, true)
	return r
}
