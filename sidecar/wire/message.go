package wire

// Kind is what a JSON-RPC body is.
type Kind int

const (
	// Request has a method and an id.
	Request Kind = iota
	// Notification has a method and no id.
	Notification
	// Response has an id and a result or an error.
	Response
	// Batch is an array of the others (MCP 2025-03-26 only).
	Batch
)

// Span is a half-open range of byte offsets into the Body it belongs to. The
// zero Span means absent: no JSON value can start and end at offset 0.
type Span struct{ Start, End int }

// In returns the bytes of body in the span, nil when the span is absent. The
// result aliases body.
func (s Span) In(body []byte) []byte {
	if s.Absent() {
		return nil
	}
	return body[s.Start:s.End:s.End]
}

// Absent reports whether there is no value.
func (s Span) Absent() bool { return s.End == 0 }

// Limits bound what Scan reads. A value of zero or less means the default.
type Limits struct {
	Bytes int // largest body
	Depth int // deepest nesting of objects and arrays; the message itself is level 1
}

// DefaultLimits are 4 MiB and 200 levels.
func DefaultLimits() Limits { return Limits{Bytes: 4 << 20, Depth: 200} }

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Bytes > 0 {
		d.Bytes = l.Bytes
	}
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	return d
}

// Message is one scanned JSON-RPC message. Its slices alias Body; nobody may
// write to them.
type Message struct {
	Body      []byte    // the scanned bytes, untouched
	Kind      Kind      //
	ID        []byte    // raw token, a string or an integer; nil when absent
	Method    string    // unescaped; "" for responses and batches
	Params    Span      // an object; absent also when null
	Name      string    // params.name when it is a string
	HasName   bool      // params.name is a string (maybe an empty one)
	NameAt    Span      // the string token of params.name
	URI       string    // params.uri when it is a string
	TaskID    string    // params.taskId when it is a string
	Arguments Span      // params.arguments, any JSON value
	HasCursor bool      // params.cursor is present and not null
	Meta      Meta      // params._meta
	Elements  []Message // of a Batch; each has the element's own bytes as Body
}

// Meta is what we read of params._meta (spec 2026-07-28, basic/index).
type Meta struct {
	Span                         // params._meta when it is an object
	ProtocolVersion       string // io.modelcontextprotocol/protocolVersion when a string
	HasClientCapabilities bool   // io.modelcontextprotocol/clientCapabilities is an object
	ClientCapabilities    Span   // that object
	ProgressToken         []byte // raw token of a string or a number, or nil
	Traceparent           string // W3C trace context, when a string
}

// Modern reports whether _meta names a version of the modern era.
func (m Meta) Modern() bool { return isModern(m.ProtocolVersion) }
