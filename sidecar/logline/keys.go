package logline

// Origin says where a key's values come from.
type Origin string

// The origins. Nothing else is logged: no value comes from a request's or an answer's content.
const (
	Closed    Origin = "one of a fixed set of words"
	Measured  Origin = "counted or measured here"
	Settings  Origin = "settings or files of the operator's"
	Catalog   Origin = "names that a listing gave; never a name that only a caller said"
	Gateway   Origin = "the gateway's, when it has the form of a UUID; else made here"
	Trace     Origin = "a trace's id, random; from the caller's traceparent when there is one"
	OwnText   Origin = "texts of the program's own, with settings and names in them"
	Command   Origin = "what a local command of the operator's printed; only with --log-server-stderr"
	Program   Origin = "the program's code and build"
	Transport Origin = "addresses and process ids of this machine"
)

// Key is one key of the log's lines.
type Key struct {
	Name    string
	About   string
	Origin  Origin
	Example string
	// Pattern is what each value must match as a whole, as a regular expression; "" is any value of its origin.
	Pattern string
}

const (
	number = `-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?`
	word   = `[a-z0-9_]*`
)

// Keys are all keys, those of decisions first.
func Keys() []Key { return append(append(ofDecisions(), ofServers()...), ofProgram()...) }

// ofDecisions are those of the line that each decision has.
func ofDecisions() []Key {
	return []Key{
		{"kind", "What was done with a request: pass, answer, forward or merge. Of a warning: which kind of failure, or of name.", Closed, "forward", word},
		{"method", "The JSON-RPC method when it is one of the protocol's, else other; the HTTP method of a request without a body; metadata when it asks how to log in.", Closed, "tools/call",
			`other|response|batch|metadata|GET|DELETE|OPTIONS|HEAD|initialize|ping|[a-z]+/[A-Za-z_]+(/[a-z_]+)?`},
		{"meta_tool", "Which of the five, if any.", Closed, "call_read_tool", `|search_tools|describe_tools|call_read_tools?|call_write_tool`},
		{"tool", "The tool that a call names, when it is in the caller's catalog; else nothing.", Catalog, "mail_find", ""},
		{"outcome", "ok, refused, fault or relayed. Of a failed listing: its kind.", Closed, "ok", word},
		{"reason", "Why it was refused, as in errors.md.", Closed, "wrong_door", word},
		{"detail", "Of catalog_unavailable: how the listing failed. Of a warning about a listing: what was wrong with the answer, in words of the program's own.", OwnText, "timed_out", ""},
		{"era", "The protocol's era.", Closed, "modern", `|modern|legacy`},
		{"ms", "How long the decision took, in milliseconds.", Measured, "1.25", number},
		{"request_id", "Joins a line to the gateway's access log.", Gateway, "7f3c1d2e-0000-4a5b-8c9d-0123456789ab", `|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Z2-7]{26}`},
		{"trace_id", "Joins a line to its trace, where it is recorded.", Trace, "4bf92f3577b34da6a3ce929d0e0e4736", `|[0-9a-f]{32}`},
	}
}

// ofServers are those of lines about MCP servers, listings and the gateway.
func ofServers() []Key {
	return []Key{
		{"server", "A merged server's name in the configuration.", Settings, "mail", ""},
		{"first", "Of two servers with the same name: who has it.", Settings, "mail", ""},
		{"other", "Of two servers with the same name: who hasn't.", Settings, "files", ""},
		{"name", "The name of a tool or prompt that two servers list.", Catalog, "search", ""},
		{"listed_as", "The name under which the other one is listed.", Catalog, "files__search", ""},
		{"at", "A merged server's address, without user, password and query; or its command's name.", Settings, "http://mail:8080/mcp", ""},
		{"where", "The same.", Settings, "http://mail:8080/mcp", ""},
		{"auth", "Whether the configuration has credentials for it.", Closed, "yes", `yes|no`},
		{"what", "Why a server could not be listed, in words of the program's own.", OwnText, "HTTP status 503", ""},
		{"path", "An aggregate path of --routes.", Settings, "/mcp/all", ""},
		{"status", "An HTTP status; of a local command, how it ended.", Measured, "503", `[0-9]+|[a-z][a-z ():0-9-]*`},
		{"next", "What to do about it.", OwnText, "raise --list-timeout", ""},
		{"cause", "Why a local command could not be started.", OwnText, "executable file not found", ""},
		{"pid", "A local command's process id.", Transport, "4711", number},
		{"ran", "How long a local command ran.", Measured, "2m0s", ""},
		{"junk_lines", "How many lines on its stdout were no messages.", Measured, "0", number},
		{"stderr_lines", "How many lines it printed on stderr.", Measured, "3", number},
		{"undelivered", "How many of its messages found nobody.", Measured, "0", number},
		{"line", "A line that a local command printed on stderr, at debug level.", Command, "ready", ""},
		{"stderr", "The last lines that a local command printed on stderr before it ended by itself.", Command, "out of memory", ""},
		{"request_body_mode", "The ext_proc filter's mode for requests.", Closed, "BUFFERED", `[A-Z_]*`},
		{"response_body_mode", "The same for answers.", Closed, "NONE", `[A-Z_]*`},
		{"ends", "When a certificate ends.", Settings, "2027-01-01T00:00:00Z", ""},
		{"max_edit", "The setting --max-edit.", Settings, "32000", number},
	}
}

// ofProgram are those of lines about the program itself.
func ofProgram() []Key {
	return []Key{
		{"version", "The program's version.", Program, "1.4.0", ""},
		{"transport", "stdio, where no listener serves.", Closed, "stdio", word},
		{"extproc", "Where Envoy connects.", Transport, "127.0.0.1:9201", ""},
		{"listen", "Where MCP clients connect.", Transport, "127.0.0.1:8092", ""},
		{"admin", "Where the admin listener is.", Transport, "127.0.0.1:9202", ""},
		{"tls", "Whether that is with TLS.", Closed, "true", `true|false`},
		{"upstream", "The setting --upstream, or that servers are merged.", Settings, "http://127.0.0.1:8080", ""},
		{"routes", "How many pairs --routes has.", Measured, "1", number},
		{"servers", "How many servers are merged.", Measured, "9", number},
		{"rules", "How many rules the overlay has.", Measured, "4", number},
		{"tools", "How many tools there are.", Measured, "120", number},
		{"fp", "The fingerprint of what was listed: a hash.", Measured, "9f86d081", ""},
		{"time", "When the manifest was written.", Measured, "2026-01-01T00:00:00Z", ""},
		{"manifest", "The setting --manifest-path.", Settings, "/app/data/manifest.json", ""},
		{"now", "Where a manifest was set aside.", Settings, "/app/data/manifest.json.bad", ""},
		{"why", "What is wrong with the manifest.", OwnText, "no space left on device", ""},
		{"rename", "Why it could not be set aside.", OwnText, "permission denied", ""},
		{"error", "What is wrong with a file of the operator's, or with a refresh.", OwnText, "servers.json: line 3: mail has no url", ""},
		{"notice", "The setting --drain-notice.", Settings, "2s", ""},
		{"timeout", "The setting --drain-timeout.", Settings, "20s", ""},
		{"panic", "What kind of mistake in the program a request ran into, never the value.", Program, "runtime error: index out of range [3] with length 3", ""},
		{"stack", "Where in the program: functions and lines, without arguments.", Program, "main.serve:12", ""},
	}
}
