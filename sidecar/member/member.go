package member

import (
	"context"
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

var errNotYet = errors.New("member: not built yet")

// Member is one MCP server. It is safe for concurrent use.
type Member struct{ o Options }

// New makes a member; nothing is sent before the first request.
func New(o Options) *Member { return &Member{o: o} }

// Close ends the sessions (but for shared ones) and waits, some seconds at
// most, for everything the member runs. Answers that are still open break.
func (m *Member) Close() {}

// Name is the server's name.
func (m *Member) Name() string { return m.o.Server.Name }

// State is how the server is doing.
func (m *Member) State() State { return State{Up: true} }

// Describe gives what the server says of itself to c: from memory, else by
// server/discover or initialize. Errors are *Error, *AuthError or the context's.
func (m *Member) Describe(ctx context.Context, c Client) (*Description, error) {
	return nil, errNotYet
}

// List reads all pages of tools/list, prompts/list, resources/list or
// resources/templates/list as c: the raw items in order. A server that doesn't
// know the method has none. Errors are *Error, *AuthError or the context's.
func (m *Member) List(ctx context.Context, c Client, method string) ([][]byte, error) {
	return nil, errNotYet
}

// Relay passes one HTTP request of a client on as it is, untouched but for the
// headers: the member's own credentials and allow-list hold. h are the client's
// headers, session id included. For a client whose era the server speaks.
func (m *Member) Relay(ctx context.Context, c Client, method string, body []byte, h http.Header) (*Answer, error) {
	return nil, errNotYet
}

// Session gives the server as c sees it. With id "" it uses the sticky session
// of c.Key and opens one when there is none; a non-empty id, of a sealed
// session, is resumed without asking the server, unless c.Key's own session
// has taken its place since. Errors are *Error, *AuthError or the context's.
func (m *Member) Session(ctx context.Context, c Client, id string) (*Session, error) {
	return nil, errNotYet
}

// Session is one client's view of a server. It is cheap: make one for each
// request. It is safe for concurrent use.
type Session struct {
	m   *Member
	c   Client
	era wire.Era // the server's
}

// ID is the server's session id: "" when the server has no sessions or is
// modern. It changes when the session is lost.
func (s *Session) ID() string { return "" }

// Era is the era in which the server is spoken to.
func (s *Session) Era() wire.Era { return s.era }

// Post sends one JSON-RPC message of the client's, in the client's era, and
// gives the answer in that era. h are the headers of the client's request;
// Mcp-Param-* is taken from it in the modern era, everything else is made anew. The
// server's 4xx is an answer (also 401 and 403). A lost session is opened anew
// once and the message sent again. Errors are *Error or the context's.
func (s *Session) Post(ctx context.Context, body []byte, h http.Header) (*Answer, error) {
	return nil, errNotYet
}

// Stream opens the stream of what the server says unasked: GET, or
// subscriptions/listen on a modern server. lastEventID may be "".
func (s *Session) Stream(ctx context.Context, lastEventID string) (*Answer, error) {
	return nil, errNotYet
}

// End ends the session at the server (DELETE) and forgets it.
func (s *Session) End(ctx context.Context) {}
