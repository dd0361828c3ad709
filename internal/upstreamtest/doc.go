// Package upstreamtest is a scripted MCP server for tests: raw JSON in, raw
// JSON out, so that it can serve what a real SDK refuses to serve (hints of the
// wrong type, schemas that don't compile), break in every way an upstream
// breaks, and show byte for byte what it received.
//
//	up := upstreamtest.New(t, `{"name":"mail_find","inputSchema":{"type":"object"}}`)
//	up.Script("mail_find", upstreamtest.Script{Result: `{"content":[],"size":9007199254740993}`})
//	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Hang, Times: 1})
//	… use up.URL() …
//	for _, r := range up.RequestsOf("tools/call") { … r.Name, r.Arguments, r.Header … }
//
// It speaks both eras on any path: modern (2026-07-28) per request, legacy with
// sessions. A GET or DELETE with no session gives 405; well-known paths give
// the document of SetMetadata, else 404. It closes with the test.
package upstreamtest
