package wire

import (
	"io"
	"net/http"
)

// Era is the protocol family of one request.
type Era int

const (
	Legacy Era = iota
	Modern
)

// ModernVersion is the first protocol version of the modern era.
const ModernVersion = "2026-07-28"

func (e Era) String() string { panic("unfinished") }

func EraOf(h http.Header) (era Era, version string, fault *Fault) { panic("unfinished") }

type Kind int

const (
	Request Kind = iota
	Notification
	Response
	Batch
)

type Span struct{ Start, End int }

func (s Span) In(body []byte) []byte { panic("unfinished") }
func (s Span) Absent() bool          { panic("unfinished") }

type Limits struct{ Bytes, Depth int }

// DefaultLimits: 4 MiB, 200 levels.
func DefaultLimits() Limits { return Limits{Bytes: 4 << 20, Depth: 200} }

type Message struct {
	Body      []byte
	Kind      Kind
	ID        []byte
	Method    string
	Params    Span
	Name      string
	HasName   bool
	NameAt    Span
	URI       string
	TaskID    string
	Arguments Span
	HasCursor bool
	Meta      Meta
	Elements  []Message
}

type Meta struct {
	Span
	ProtocolVersion       string
	HasClientCapabilities bool
	ClientCapabilities    Span
	ProgressToken         []byte
	Traceparent           string
}

func Scan(body []byte, lim Limits) (*Message, *Fault)           { panic("unfinished") }
func (m *Message) Rewrite(name string, arguments []byte) []byte { panic("unfinished") }

type Field struct {
	Key   string
	Value []byte
}

func Fields(object []byte) ([]Field, error)                            { panic("unfinished") }
func LookAlike(key, canonical string) bool                             { panic("unfinished") }
func SetField(object []byte, key string, value []byte) ([]byte, error) { panic("unfinished") }
func Quote(s string) []byte                                            { panic("unfinished") }
func IsObject(raw []byte) bool                                         { panic("unfinished") }
func IsNull(raw []byte) bool                                           { panic("unfinished") }
func IsString(raw []byte) bool                                         { panic("unfinished") }
func IsArray(raw []byte) bool                                          { panic("unfinished") }
func String(raw []byte) (string, bool)                                 { panic("unfinished") }
func Compact(raw []byte) []byte                                        { panic("unfinished") }

func CheckHeaders(h http.Header, m *Message) *Fault { panic("unfinished") }
func EncodeValue(s string) string                   { panic("unfinished") }
func DecodeValue(v string) (string, bool)           { panic("unfinished") }

type ParamHeader struct {
	Name string
	Path []string
	Type string
}

func ParamHeaders(inputSchema []byte) ([]ParamHeader, error)         { panic("unfinished") }
func (p ParamHeader) Value(arguments []byte) (value string, ok bool) { panic("unfinished") }
func IsParamHeader(name string) bool                                 { panic("unfinished") }

type Fault struct {
	Code, Status    int
	Reason, Message string
	Data            []byte
	ID              []byte
}

func (f *Fault) Error() string         { panic("unfinished") }
func (f *Fault) StatusFor(era Era) int { panic("unfinished") }
func (f *Fault) Body() []byte          { panic("unfinished") }

const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

func ResultBody(id []byte, era Era, result []byte) []byte               { panic("unfinished") }
func ErrorBody(id []byte, code int, message string, data []byte) []byte { panic("unfinished") }
func TextResult(text string, isError bool) []byte                       { panic("unfinished") }

type Answer struct {
	Body          []byte
	ID            []byte
	Method        string
	Result, Error Span
	ErrorCode     int
	ErrorMessage  string
}

func ScanAnswer(body []byte) (*Answer, error) { panic("unfinished") }

type Event struct {
	Raw      []byte
	Type, ID string
	HasID    bool
	Data     []byte
}

func FirstEvent(buf []byte) (ev Event, rest []byte, ok bool) { panic("unfinished") }
func (e Event) WithData(data []byte) []byte                  { panic("unfinished") }

type EventReader struct{ r io.Reader }

func NewEventReader(r io.Reader, maxEvent int) *EventReader  { panic("unfinished") }
func (r *EventReader) Next() (Event, error)                  { panic("unfinished") }
func AppendEvent(dst []byte, typ string, data []byte) []byte { panic("unfinished") }
