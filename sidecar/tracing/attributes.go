package tracing

// The attributes of spans. Those without our prefix are of OpenTelemetry's semantic conventions.
const (
	Method     = "mcp.method.name"
	Version    = "mcp.protocol.version"
	Tool       = "gen_ai.tool.name"
	Operation  = "gen_ai.operation.name"
	ErrorType  = "error.type"
	HTTPMethod = "http.request.method"
	Status     = "http.response.status_code"
	InnerTool  = "mcp_toolsearch.tool"
	Decision   = "mcp_toolsearch.decision"
	Outcome    = "mcp_toolsearch.outcome"
	Era        = "mcp_toolsearch.era"
	Tools      = "mcp_toolsearch.tools"
	Hits       = "mcp_toolsearch.hits"
	Repaired   = "mcp_toolsearch.repairs"
	Item       = "mcp_toolsearch.item"
)

// Attribute defines one attribute: what it says, and where its values come from.
type Attribute struct{ Key, Meaning, Values string }

// Attributes are all that spans can have.
func Attributes() []Attribute {
	return []Attribute{
		{Method, "The method of the JSON-RPC message.", "the protocol's methods; another one isn't named"},
		{Version, "The protocol version that the request names.", "the versions that exist"},
		{Tool, "The tool that is called: one of the five, or a tool of the caller's catalog.", "names of the caller's catalog"},
		{Operation, "That a tool is called.", "execute_tool"},
		{ErrorType, "Why it failed.", "the reasons of docs/errors.md, the outcomes of a listing, tool_error, no_answer, or an HTTP status"},
		{HTTPMethod, "The method of a request without a message.", "GET, DELETE, OPTIONS, HEAD"},
		{Status, "The HTTP status of the answer.", "a number"},
		{InnerTool, "The tool that one of the five was asked for.", "names of the caller's catalog; a name that isn't there is not told"},
		{Decision, "What was done with the request.", "pass, answer, forward, merge"},
		{Outcome, "How it ended.", "ok, refused, fault, relayed, error"},
		{Era, "The protocol's era.", "legacy, modern"},
		{Tools, "How many tools were listed, or looked through.", "a number"},
		{Hits, "How many tools a search found.", "a number"},
		{Repaired, "In how many places arguments were decoded from JSON text.", "a number"},
		{Item, "Which item of call_read_tools.", "a number, from 1"},
	}
}

// SpanName defines the name of spans.
type SpanName struct{ Name, Meaning string }

// SpanNames are all names; {method} and {tool} are the values of [Method], or "other", and [Tool].
func SpanNames() []SpanName {
	return []SpanName{
		{"{method} {tool}", "A request, from its arrival to its answer (kind SERVER). Under it, a request that goes on to the aggregate route until its answer was passed back, and a call that call_read_tools makes (kind CLIENT)."},
		{"tools/list", "A listing: all pages, and the index that is built of them (kind CLIENT). Callers that wait for the same listing share it; it is part of the first one's trace."},
		{"search", "One search in the index."},
		{"check", "An inner call: its tool is looked up, its arguments are repaired and checked."},
		{"item", "One item of call_read_tools."},
	}
}
