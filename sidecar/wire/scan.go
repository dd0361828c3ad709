package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// deepest is the last nesting before the one at which jsontext itself gives up.
const deepest = 10000 - 1

// Scan reads a POST body in one strict pass (invariants 1 to 5 of the package).
// Faults carry the message's id when it was read and is valid; the status is
// 413 for a body over the limit, else 400.
func Scan(body []byte, lim Limits) (*Message, *Fault) {
	lim = lim.orDefault()
	if len(body) > lim.Bytes {
		return nil, &Fault{Code: CodeInvalidRequest, Status: http.StatusRequestEntityTooLarge, Reason: "body_too_large",
			Message: fmt.Sprintf("the request body is larger than %d bytes: send a smaller one", lim.Bytes)}
	}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return nil, parseFault("byte_order_mark", "the body starts with a byte order mark: send plain UTF-8 JSON")
	}
	s := newScanner(body, min(lim.Depth, deepest))
	var m *Message
	var fault *Fault
	switch s.dec.PeekKind() {
	case '{':
		m, fault = s.message()
	case '[':
		m, fault = s.batch()
	default:
		fault = s.scalarBody()
	}
	if fault != nil {
		return nil, fault
	}
	return m, nil
}

// scanner walks a body token by token, so that depth is counted on the way.
type scanner struct {
	dec   *jsontext.Decoder
	body  []byte
	depth int

	mayHavePrototype bool // only then keys inside values are looked at
	prototype        bool // there was such a key
}

// prototypeKey is a key like any other but in JavaScript, where an object that
// is copied member by member takes the value for its prototype: readers there
// lose the key, or find members that nobody sent.
const prototypeKey = "__proto__"

func newScanner(body []byte, depth int) *scanner {
	// The decoder parses a bytes.Buffer in place; the capped slice keeps it
	// from ever seeing spare capacity.
	return &scanner{dec: jsontext.NewDecoder(bytes.NewBuffer(body[:len(body):len(body)])), body: body, depth: depth,
		mayHavePrototype: bytes.Contains(body, []byte(prototypeKey)) || bytes.Contains(body, []byte(`\u00`))}
}

func (s *scanner) scalarBody() *Fault {
	if _, fault := s.value(); fault != nil {
		return fault
	}
	if fault := s.end(); fault != nil {
		return fault
	}
	return invalid("not_an_object", "the body is not a JSON-RPC message: send one JSON object")
}

// end refuses anything but white space after the value.
func (s *scanner) end() *Fault {
	_, err := s.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return parseFault("trailing_data", "there is data after the JSON-RPC message: send one message a request")
}

// open reads { or [ and returns its offset.
func (s *scanner) open() (int, *Fault) {
	if _, err := s.dec.ReadToken(); err != nil {
		return 0, s.syntax(err)
	}
	if s.dec.StackDepth() > s.depth {
		return 0, invalid("too_deep", fmt.Sprintf("the body nests deeper than %d levels: flatten it", s.depth))
	}
	return s.at() - 1, nil
}

// at is the offset behind the token read last.
func (s *scanner) at() int { return int(s.dec.InputOffset()) }

// value reads any value and returns where it is.
func (s *scanner) value() (Span, *Fault) {
	if k := s.dec.PeekKind(); k != '{' && k != '[' {
		raw, err := s.dec.ReadValue()
		if err != nil {
			return Span{}, s.syntax(err)
		}
		return Span{s.at() - len(raw), s.at()}, nil
	}
	outside := s.dec.StackDepth()
	start, fault := s.open()
	if fault != nil {
		return Span{}, fault
	}
	for s.dec.StackDepth() > outside {
		if fault := s.step(); fault != nil {
			return Span{}, fault
		}
	}
	return Span{start, s.at()}, nil
}

func (s *scanner) step() *Fault {
	if k := s.dec.PeekKind(); k == '{' || k == '[' {
		_, fault := s.open()
		return fault
	}
	in, before := s.dec.StackIndex(s.dec.StackDepth())
	token, err := s.dec.ReadToken()
	if err != nil {
		return s.syntax(err)
	}
	isKey := in == '{' && before%2 == 0 && token.Kind() == '"'
	if s.mayHavePrototype && isKey && token.String() == prototypeKey {
		s.prototype = true
	}
	return nil
}

func prototypeFault() *Fault {
	return invalid("prototype_key", "a key is "+prototypeKey+", which readers in JavaScript don't take for a key: use another one")
}

// CheckValue holds one JSON value to what Scan demands of every value in a
// message. It is for what becomes part of one without having been scanned there.
func CheckValue(value []byte, lim Limits) *Fault {
	lim = lim.orDefault()
	s := newScanner(value, min(lim.Depth, deepest))
	if _, fault := s.value(); fault != nil {
		return fault
	}
	if fault := s.end(); fault != nil {
		return fault
	}
	if s.prototype {
		return prototypeFault()
	}
	return nil
}

// text reads a value and decodes it when it is a string.
func (s *scanner) text() (value string, isString bool, at Span, fault *Fault) {
	isString = s.dec.PeekKind() == '"'
	if at, fault = s.value(); fault != nil || !isString {
		return "", false, at, fault
	}
	value, isString = String(at.In(s.body))
	return value, isString, at, nil
}

// object reads an object and calls member for each of its keys; member reads
// the value.
func (s *scanner) object(member func(key string) *Fault) (Span, *Fault) {
	start, fault := s.open()
	if fault != nil {
		return Span{}, fault
	}
	for s.dec.PeekKind() != '}' {
		key, err := s.dec.ReadToken()
		if err != nil {
			return Span{}, s.syntax(err)
		}
		name := key.String()
		s.prototype = s.prototype || name == prototypeKey
		if fault := member(name); fault != nil {
			return Span{}, fault
		}
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return Span{}, s.syntax(err)
	}
	return Span{start, s.at()}, nil
}

// syntax turns a decoder's error into a fault. The decoder's text quotes the
// body, so it isn't repeated.
func (s *scanner) syntax(err error) *Fault {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return invalid("duplicate_name", "an object in the body has two members of the same name: send each name once")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return parseFault("truncated", "the body ends inside the JSON: send the whole message")
	}
	offset := s.at()
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = int(syntactic.ByteOffset)
	}
	return parseFault("invalid_json", fmt.Sprintf("the body is not valid UTF-8 JSON near byte %d: correct it", offset))
}

// batch scans an array of messages.
func (s *scanner) batch() (*Message, *Fault) {
	m := &Message{Body: s.body, Kind: Batch}
	if _, fault := s.open(); fault != nil {
		return nil, fault
	}
	for s.dec.PeekKind() != ']' {
		element, fault := s.element()
		if fault != nil {
			// Whose id a refused batch answers would be a guess.
			fault.ID = nil
			return nil, fault
		}
		m.Elements = append(m.Elements, *element)
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return nil, s.syntax(err)
	}
	if fault := s.end(); fault != nil {
		return nil, fault
	}
	if len(m.Elements) == 0 {
		return nil, invalid("empty_batch", "the batch is empty: send at least one message")
	}
	return m, nil
}

func (s *scanner) element() (*Message, *Fault) {
	if s.dec.PeekKind() != '{' {
		if _, fault := s.value(); fault != nil {
			return nil, fault
		}
		return nil, invalid("batch_element", "an element of the batch is not a JSON-RPC message: send objects only")
	}
	s.prototype = false
	e := &envelope{scanner: s}
	at, fault := s.object(e.member)
	if fault != nil {
		return nil, fault
	}
	m, fault := e.finish()
	if fault != nil {
		return nil, fault
	}
	m.rebase(at)
	m.Body = at.In(s.body)
	return m, nil
}

func (s *scanner) message() (*Message, *Fault) {
	e := &envelope{scanner: s}
	if _, fault := s.object(e.member); fault != nil {
		return nil, fault
	}
	if fault := s.end(); fault != nil {
		return nil, fault
	}
	m, fault := e.finish()
	if fault != nil {
		return nil, fault
	}
	m.Body = s.body
	return m, nil
}
