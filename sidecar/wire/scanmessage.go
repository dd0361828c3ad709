package wire

import "strconv"

// envelope collects one message while its object is walked. A fault of meaning
// is noted, not returned at once: the walk goes on to the end, because a fault
// of syntax outweighs it and because the id to answer may come last.
type envelope struct {
	*scanner
	m         Message
	fault     *Fault
	version   bool // jsonrpc is "2.0"
	hasMethod bool
	hasResult bool
	hasError  bool
}

func (e *envelope) note(f *Fault) {
	if e.fault == nil {
		e.fault = f
	}
}

// callMethod is the method that runs a tool.
const callMethod = "tools/call"

// member reads one member of the message itself (JSON-RPC 2.0, sections 4, 5).
func (e *envelope) member(key string) *Fault {
	switch key {
	case "jsonrpc":
		text, ok, _, fault := e.text()
		e.version = ok && text == "2.0"
		return fault
	case "id":
		return e.id()
	case "method":
		return e.method()
	case "params":
		return e.params()
	case "result":
		e.hasResult = true
	case "error":
		e.hasError = true
	default:
		e.refuseLookAlike(messageLookAlike(key))
	}
	_, fault := e.value()
	return fault
}

func (e *envelope) id() *Fault {
	at, fault := e.value()
	if fault != nil {
		return fault
	}
	if raw := at.In(e.body); validID(raw) {
		e.m.ID = raw
		return nil
	}
	e.note(invalid("invalid_id", "the id is neither a string nor an integer within ±(2^53-1): send one of those"))
	return nil
}

func (e *envelope) method() *Fault {
	text, ok, _, fault := e.text()
	if fault != nil {
		return fault
	}
	e.hasMethod = true
	e.m.Method = text
	if !ok || text == "" {
		e.note(invalid("invalid_method", "the method is not a non-empty string: send a method name"))
	}
	if LookAlike(text, callMethod) {
		// Relayed as an unknown method, it would be a call for a lax server.
		e.note(invalid("look_alike_method", "the method looks like "+strconv.Quote(callMethod)+" but is spelled otherwise: use the exact name"))
	}
	return nil
}

func (e *envelope) params() *Fault {
	switch e.dec.PeekKind() {
	case '{':
		at, fault := e.object(e.param)
		e.m.Params = at
		return fault
	case 'n':
		// Every reader takes null as "no params".
	default:
		e.note(invalid("invalid_params_type", "params is not an object: MCP has named parameters only"))
	}
	_, fault := e.value()
	return fault
}

// param reads one member of params.
func (e *envelope) param(key string) (fault *Fault) {
	m := &e.m
	switch key {
	case "name":
		var at Span
		if m.Name, m.HasName, at, fault = e.text(); m.HasName {
			m.NameAt = at
		}
	case "arguments":
		m.Arguments, fault = e.value()
	case "uri":
		m.URI, _, _, fault = e.text()
	case "taskId":
		m.TaskID, _, _, fault = e.text()
	case "cursor":
		m.HasCursor = e.dec.PeekKind() != 'n'
		_, fault = e.value()
	case "_meta":
		if e.dec.PeekKind() != '{' {
			_, fault = e.value()
			return fault
		}
		m.Meta.Span, fault = e.object(e.meta)
	default:
		e.refuseLookAlike(paramLookAlike(key))
		_, fault = e.value()
	}
	return fault
}

const (
	versionKey      = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
)

// meta reads one member of params._meta.
func (e *envelope) meta(key string) (fault *Fault) {
	m := &e.m.Meta
	switch key {
	case versionKey:
		m.ProtocolVersion, _, _, fault = e.text()
	case capabilitiesKey:
		m.HasClientCapabilities = e.dec.PeekKind() == '{'
		var at Span
		if at, fault = e.value(); m.HasClientCapabilities {
			m.ClientCapabilities = at
		}
	case "progressToken":
		kind := e.dec.PeekKind()
		var at Span
		if at, fault = e.value(); fault == nil && (kind == '"' || kind == '0') {
			m.ProgressToken = at.In(e.body)
		}
	case "traceparent":
		m.Traceparent, _, _, fault = e.text()
	default:
		e.refuseLookAlike(metaLookAlike(key))
		_, fault = e.value()
	}
	return fault
}

func (e *envelope) refuseLookAlike(canonical string) {
	if canonical == "" {
		return
	}
	e.note(invalid("look_alike_key", "a key looks like "+strconv.Quote(canonical)+" but is spelled otherwise: use the exact key"))
}

// finish decides what the walked object is.
func (e *envelope) finish() (*Message, *Fault) {
	if e.prototype {
		e.note(prototypeFault())
	}
	if !e.version {
		e.note(invalid("jsonrpc_version", `jsonrpc is not "2.0": send "jsonrpc":"2.0"`))
	}
	switch {
	case e.hasMethod && (e.hasResult || e.hasError):
		e.note(invalid("request_and_response", "the message has both a method and a result or error: send one of them"))
	case e.hasResult && e.hasError:
		e.note(invalid("result_and_error", "the message has both a result and an error: send one of them"))
	case e.hasMethod:
		e.finishRequest()
	case e.hasResult || e.hasError:
		e.m.Kind = Response
		if e.m.ID == nil {
			e.note(invalid("response_without_id", "the response has no id: repeat the request's id"))
		}
	default:
		e.note(invalid("no_method", "the message has neither a method nor a result or error: send a method"))
	}
	if e.fault != nil {
		e.fault.ID = e.m.ID
		return nil, e.fault
	}
	return &e.m, nil
}

func (e *envelope) finishRequest() {
	if e.m.ID != nil {
		e.m.Kind = Request
		return
	}
	e.m.Kind = Notification
	if e.m.Method == callMethod {
		// Some servers run it all the same, with nobody to answer to.
		e.note(invalid("call_without_id", "tools/call has no id: send it as a request"))
	}
}

// rebase makes the spans relative to an element of a batch.
func (m *Message) rebase(at Span) {
	for _, s := range []*Span{&m.Params, &m.NameAt, &m.Arguments, &m.Meta.Span, &m.Meta.ClientCapabilities} {
		if !s.Absent() {
			s.Start -= at.Start
			s.End -= at.Start
		}
	}
}

// maxSafe is the largest integer every JSON reader holds exactly (RFC 8259,
// section 6).
const maxSafe = 1<<53 - 1

// validID accepts a string, or an integer token within ±(2^53-1) written
// without fraction, exponent or negative zero: readers agree on those only.
func validID(raw []byte) bool {
	if IsString(raw) {
		return true
	}
	if string(raw) == "-0" {
		return false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && n >= -maxSafe && n <= maxSafe
}
