package errorpage

import (
	"fmt"
	"strings"

	"mcp-toolsearch/internal/envoy"
)

// Page is docs/errors.md.
func Page() string {
	var b strings.Builder
	b.WriteString(`# Errors and limits

Made from the code by ` + "`make docs`" + `. A test plays a request for every refusal and every fault.

Two kinds of no: a **refusal** is a result with ` + "`isError: true`" + `, which clients show to the model, so that it can correct the call; a **fault** is a
JSON-RPC error for a request that can't be acted on. Nothing was run in either case. Reasons are labels of
` + "`mcp_toolsearch_refusals_total`, `mcp_toolsearch_faults_total`" + ` and of the log. An ellipsis stands for what varies; no text repeats an argument, a
result or a token, but for a name that the caller itself sent.

## Refusals

| reason | cause | text | next step |
|---|---|---|---|
`)
	for _, r := range Refusals() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Reason, cell(r.Cause), cell(r.Text), cell(r.Next))
	}
	b.WriteString("\nIn `call_read_tools` each refused item is one text block, `[3] name: refused: …`; the others run.\n\n## Faults\n\n" +
		"| reason | cause | HTTP modern | HTTP legacy | code | text | next step |\n|---|---|---|---|---|---|---|\n")
	for _, r := range Faults() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), status(r.Modern), status(r.Legacy), r.Code, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\n`authorization` has the upstream's own status, 401 or 403.\n\n## Protected-resource metadata\n\nJSON with `error` and `error_description`, as OAuth has it.\n\n" +
		"| reason | cause | HTTP | text | next step |\n|---|---|---|---|---|\n")
	for _, r := range Metadata() {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), r.Modern, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\n## The HTTP door\n\nJSON-RPC errors of `--listen`, the same in both eras. The last four are counted in `mcp_toolsearch_relay_failures_total`.\n\n" +
		"| reason | cause | HTTP | code | text | next step |\n|---|---|---|---|---|---|\n")
	for _, r := range Door() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), status(r.Modern), r.Code, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\nWhat can't be read as HTTP at all is answered with 400, 431 (headers over 64 KiB), 501 or 505, as a JSON-RPC error with `\"id\":null` too. Behind TLS these few are net/http's own plain text, but for plain HTTP that is sent there by mistake (400).\n")
	b.WriteString("\n## Merged servers\n\nJSON-RPC errors of the route on which several servers are merged. One server is relayed as it is, with `merge_loop`, `server_failed` and `stopping` alone.\n\n" +
		"| reason | cause | HTTP modern | HTTP legacy | code | text | next step |\n|---|---|---|---|---|---|---|\n")
	for _, r := range Merged() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), status(r.Modern), status(r.Legacy), r.Code, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\n### Between the eras\n\nTo a client whose own era its server doesn't speak.\n\n" +
		"| reason | cause | HTTP modern | HTTP legacy | code | text | next step |\n|---|---|---|---|---|---|---|\n")
	for _, r := range Eras() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), status(r.Modern), status(r.Legacy), r.Code, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\n### Local commands\n\nJSON-RPC errors of servers that are commands of `--config`.\n\n" +
		"| reason | cause | HTTP modern | HTTP legacy | code | text | next step |\n|---|---|---|---|---|---|---|\n")
	for _, r := range Commands() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d | %s | %s |\n", r.Reason, cell(r.Cause), status(r.Modern), status(r.Legacy), r.Code, cell(r.Text), cell(r.Next))
	}
	b.WriteString("\n" + upstreams + "\n## Answers of Envoy's own\n\nThe shipped configuration turns them into JSON-RPC errors with `\"id\":null`. With the sidecar dead the search route is 503; nothing reaches an upstream.\n\n" +
		"| HTTP | code | text |\n|---|---|---|\n")
	for _, r := range envoy.Default().LocalReplies() {
		fmt.Fprintf(&b, "| %d | %d | %s |\n", r.Status, r.Code, cell(r.Message))
	}
	b.WriteString("\nWhat is bounded, by what, and what happens beyond it: [limits](limits.md).\n")
	return b.String()
}

// upstreams tells what comes from behind the sidecar.
const upstreams = `## What comes from an upstream

A single call's answer is the tool's own, byte for byte. One thing is added: an invalid-params error (-32602) of the upstream's gets the tool's
input schema in ` + "`message`, and in `data`" + ` when that is free. 401 and 403 keep their status; ` + "`resource_metadata`" + ` of their challenge leads to the search
route. An item of ` + "`call_read_tools`" + ` that fails says ` + "`error: …`" + ` in its place: the tool's own error, a JSON-RPC error with its code, or one of
unreachable, timed_out, garbage, too_large, endless, refused, bad_status, each with what to check. When every item was refused with 401 or 403, so is the batch.

` + "`notifications/cancelled`" + ` ends a running batch only within a session, by its ` + "`Mcp-Session-Id`" + `: without one, the requests of two clients with the same token can't be
told apart. Closing the request's stream ends it in every era.
`

func status(code int) string {
	if code == 0 {
		return "-"
	}
	return fmt.Sprint(code)
}

// cell keeps a text inside its column.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`).Replace(s)
}
