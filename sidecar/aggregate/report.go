package aggregate

// Report says what a refresh found.
type Report struct {
	// Fingerprint is the number of tools and 16 hex digits of their names'
	// SHA-256: the same when no tool came or went.
	Fingerprint string `json:"fingerprint"`
	// Tools is the number of tools; Characters is the length of their
	// definitions, and Tokens a quarter of that.
	Tools      int `json:"tools"`
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
	// Sources are the servers in their order.
	Sources []SourceReport `json:"sources"`
}

// SourceReport is one server's part of a [Report].
type SourceReport struct {
	Name  string `json:"name"`
	Tools int    `json:"tools"`
	// State is up, old (down, and its last known tools are listed) or down.
	State string `json:"state"`
	// Failure is the kind of the last failure, "" when up.
	Failure string `json:"failure,omitempty"`
}
