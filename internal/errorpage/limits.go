package errorpage

import "slices"

// Limit is one bound and what happens beyond it.
type Limit struct {
	What    string
	Default string
	Setting string // flag without dashes; "" when it can't be set
	Beyond  string
}

// liveMemory is the limit that the others keep the program below.
const liveMemory = "live memory"

// Limits are all bounds of the sidecar.
func Limits() []Limit {
	return slices.Concat(work(), parts())
}

// work are the limits on how much is done at a time.
func work() []Limit {
	return []Limit{
		{"requests in work, all doors together", "4096", "max-requests", "`overloaded`"},
		{"ext_proc streams beyond these, which wait to be told so", "1,024", "", "the stream ends with RESOURCE_EXHAUSTED; the client gets Envoy's 503"},
		{"event streams through the HTTP door", "4096", "max-streams", "`overloaded`"},
		{"connections to the HTTP door", "8192", "max-connections", "`overloaded`, and the connection ends; behind TLS it only ends"},
		{"request bodies held at a time", "128MiB", "max-bodies", "`overloaded`"},
		{"listings at a time", "32", "max-listings", "the others wait"},
		{"memory of listings under way, reckoned by the largest of late", "256 MiB, or a tenth of the memory limit", "", "the others wait"},
		{"listings that wait", "256", "max-waiting-listings", "`overloaded`"},
		{"wait of a listing for its turn", "10 s", "", "`overloaded`"},
		{"index builds at a time", "one a core", "", "the others wait"},
		{liveMemory, "50 % of the memory limit", "", "half of the catalogs leave; `overloaded` for who needs a listing"},
		{"tools' readings that the index remembers", "100 MiB, or 6 % of the memory limit", "", "those not seen the longest are read again"},
		{"compiled input schemas", "64 MiB, or 3 % of the memory limit", "", "those not needed the longest are compiled again"},
		{"time for a request's headers at the HTTP door, idle connections", "10 s, 2 m", "", "the connection ends"},
		{"streams of a connection at the HTTP door (HTTP/2)", "250", "", "the client waits"},
	}
}

// parts are the limits on what is read, kept and answered.
func parts() []Limit {
	return []Limit{
		{"request body", "4MiB", "max-body", "`body_too_large`"},
		{"time for a body to arrive at the HTTP door", "60 s", "", "`body_slow`"},
		{"headers of a request at the HTTP door", "64 KiB", "", "HTTP 431"},
		{"silence on a stream that is open through the HTTP door", "15 s", "", "a comment is sent, which clients ignore"},
		{"doors of this kind that a request may pass", "4 others", "", "`loop`"},
		{"nesting of a request body", "200", "", "`too_deep`"},
		{"pages of one listing", "100", "max-pages", "`catalog_unavailable` (too_large)"},
		{"tools of one listing", "20000", "max-tools", "`catalog_unavailable` (too_large)"},
		{"bytes of one listing", "64MiB", "max-listing", "`catalog_unavailable` (too_large)"},
		{"time of one listing", "30s", "list-timeout", "`catalog_unavailable` (timed_out)"},
		{"a cursor that comes twice", "1", "", "`catalog_unavailable` (endless)"},
		{"a failed listing is not tried again for", "2 s", "", "the same refusal"},
		{"listing again for an unknown name or a refresh", "30 s", "", "the list of the last time, with a note"},
		{"age of a list that can't be renewed", "30m", "catalog-max-stale", "`catalog_unavailable`"},
		{"catalogs kept", "10000", "max-callers", "the least used is listed again at its next use"},
		{"memory of all catalogs", "512MiB", "max-catalogs", "the least used is listed again at its next use"},
		{"input schema that is checked", "1 MiB, 4,000 objects", "", "calls go through unchecked and are counted"},
		{"work of checking one call's arguments", "250,000 evaluations", "", "the call goes through unchecked; its tool is counted once in `mcp_toolsearch_uncompilable_schemas_total`"},
		{"nesting of a call's arguments", "200", "", "`bad_arguments`, in arguments_json `bad_call`"},
		{"faults of arguments told one by one", "30", "", "the last line counts the others"},
		{"schema in a refusal", "24,000 bytes", "", "a pointer to describe_tools"},
		{"name and Mcp-Param-* headers of a call", "6,000 bytes", "", "`header_unsafe`"},
		{"query of a search", "8,192 bytes", "", "the rest is not read"},
		{"hits of a search", "50 (8 unless asked)", "", "fewer hits"},
		{"answer of a search", "8000", "search-tokens", "schemas, then hits are left out; the text says so"},
		{"hits with their schema", "3", "search-schemas", "describe_tools has the others"},
		{"names of describe_tools", "10", "", "`bad_call`"},
		{"answer of describe_tools", "128,000 bytes", "", "long definitions are left out or lose the end of their description; the text says so"},
		{"calls of a batch", "20", "batch-calls", "`bad_call`"},
		{"calls of a batch at a time", "8", "batch-parallel", "the others wait"},
		{"time of one call of a batch", "5m", "batch-timeout", "an error in its place"},
		{"answer of one call of a batch", "4MiB", "max-answer", "an error in its place"},
		{"answer of a batch", "8MiB", "max-batch", "errors in place of the last results"},
		{"the upstream's own instructions", "10000", "max-instructions", "cut, with a note"},
		{"sources named in the instructions", "400 UTF-16 units", "", "an ellipsis"},
		{"wait for the sources in the instructions", "1 s", "", "left out"},
		{"answer that is edited", "32000", "max-edit", "theirs is shortened, then ours; a larger one passes as it is, and counts in `mcp_toolsearch_answers_not_edited_total` when our instructions are missing from it"},
		{"tools of all merged servers together", "20000, 64 MiB", "", "the rest is left out of the list"},
		{"wait for a merged server that has never answered", "1 s", "", "the others are listed without it, and the list is good for 30 s only; later requests don't wait for it"},
		{"wait for one that has, but has no list yet", "3 s", "", "the same"},
		{"wait for the first list of tools of any merged server", "60 s", "", "`servers_down`, or a list without tools"},
		{"processes of a local command", "16", "max-processes", "the longest idle one is ended; `server_busy` when each has a call"},
		{"listing again because a merged server says that it changed", "every 2 s", "", "changes are gathered; who asks gets the new list at once"},
		{"pause before a merged server that failed is listed again", "1 s, doubled up to 1 m", "", "its last known tools stand in, marked"},
		{"instructions of all merged servers together", "16 KiB", "", "those that don't fit are left out, with a note"},
		{"session id of merged servers", "6,000 bytes", "", "sessions that don't fit in are opened anew at another replica"},
		{"callers whose merged listings are kept", "10,000; 512 MiB, or 8 % of the memory limit", "", "the least used is listed again at its next use"},
		{"resources that a client is subscribed to at a server of the other era", "1,000, of 8 KiB", "", "`too_many_subscriptions`; of a list of them the others are acknowledged"},
		{"sessions kept at a server", "10,000, 30 m idle", "", "the least used one is ended and opened anew at its next use"},
		{"silence of a server during a call, a listing, an opening", "3 m, 2 m, 20 s", "", "given up; timeouts can be set for each server"},
		{"pause before a server that can't be reached is asked again", "500 ms, doubled up to 1 m", "", "requests fail at once, but for the first one after it"},
		{"time for a client of another era to answer what a server asks", "10 m, 1,000 calls", "", "`question_timeout`; the server is told no"},
		{"questions of a server of another era during a call", "50", "", "`questions_endless`"},
		{"tasks whose merged server is remembered", "10,000", "", "the servers that have tasks are asked"},
		{"headers of an upstream's or a server's answer", "256 KiB", "", "the answer is refused"},
		{"files of servers, of the overlay, of certificates, of secrets", "16 MiB, 16 MiB, 1 MiB, 64 KiB", "", "the file is refused, and what was said before stays"},
		{"a local command's messages that wait for a slow reader, for each stream", "1,024, 16 MiB", "", "notifications are dropped, an answer never is"},
		{"protected-resource document", "64 KiB, 10 s", "", "`metadata_unavailable`"},
	}
}
