package member

// talk is what is remembered of a client between its requests where the eras
// are translated.
type talk struct{}

func (t *talk) end() {}

// parking holds calls that wait for their client's answer.
type parking struct{}
