package upstreamtest

// wait waits for c; false means the client left or the server closes.
func wait[T any](x *exchange, c <-chan T) bool {
	select {
	case <-c:
		return true
	case <-x.hr.Context().Done():
	case <-x.s.done:
	}
	return false
}
