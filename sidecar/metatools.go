package sidecar

import (
	"net/http"
	"strconv"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// The five meta-tools.
const (
	SearchTools   = "search_tools"
	DescribeTools = "describe_tools"
	CallReadTool  = "call_read_tool"
	CallReadTools = "call_read_tools"
	CallWriteTool = "call_write_tool"
)

// MetaTool is one of the five tools that a search route lists.
type MetaTool struct {
	Name, Title, Description string
	InputSchema              string // compact JSON
	Annotations              string // compact JSON, all four hints
}

// MetaToolNames lists the five names in the order of tools/list.
func MetaToolNames() []string {
	tools := MetaTools()
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

func isMetaTool(name string) bool {
	switch name {
	case SearchTools, DescribeTools, CallReadTool, CallReadTools, CallWriteTool:
		return true
	}
	return false
}

const (
	closedRead = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
	openRead   = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`
	openWrite  = `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`

	nameAndArguments = `"name":{"type":"string","description":"Exact tool name"},` +
		`"arguments":{"type":"object","properties":{},"additionalProperties":true,"description":"The tool's own arguments"}`
)

// MetaTools returns the five definitions of the standard profile, in their fixed order.
func MetaTools() []MetaTool {
	return []MetaTool{
		{
			Name: SearchTools, Title: "Search tools",
			Description: "Find tools by what you want to do; start here. This server has many more tools than are listed. " +
				"Describe the task in any language (\"send an email\"), or give a tool's name. " +
				"Each hit says which tool runs it and its required arguments; the best hits come with their input schema.",
			InputSchema: `{"type":"object","properties":{"query":{"type":"string","description":"The task in a few words"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":50,"default":8},` +
				`"server":{"type":"string","description":"Only tools of this source"},` +
				`"access":{"type":"string","enum":["read","write"],"description":"Only read-only tools, or only others"},` +
				`"refresh":{"type":"boolean","description":"List the tools again first"}},"required":["query"]}`,
			Annotations: closedRead,
		},
		{
			Name: DescribeTools, Title: "Describe tools",
			Description: "Get the full description and input schema of tools found with search_tools, when a hit came without its schema.",
			InputSchema: `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":10}},"required":["names"]}`,
			Annotations: closedRead,
		},
		{
			Name: CallReadTool, Title: "Call a read-only tool",
			Description: "Run one read-only tool found with search_tools: {\"name\":\"wiki_get_page\",\"arguments\":{\"id\":\"42\"}}. " +
				"The arguments must fit its input schema. Returns the tool's own result.",
			InputSchema: `{"type":"object","properties":{` + nameAndArguments + `},"required":["name"]}`,
			Annotations: openRead,
		},
		{
			Name: CallReadTools, Title: "Call several read-only tools",
			Description: "Run up to 20 read-only tools found with search_tools at once: {\"calls\":[{\"name\":\"wiki_get_page\",\"arguments\":{\"id\":\"42\"}}]}. Returns each result or error in order; one failure doesn't stop the others.",
			InputSchema: `{"type":"object","properties":{"calls":{"type":"array","minItems":1,"maxItems":20,"items":{"type":"object","properties":{` +
				nameAndArguments + `},"required":["name"]}}},"required":["calls"]}`,
			Annotations: openRead,
		},
		{
			Name: CallWriteTool, Title: "Call a tool that may change something",
			Description: "Run one tool that may change something, found with search_tools (read-only ones work too). It takes effect at once: check name and arguments first.",
			InputSchema: `{"type":"object","properties":{` + nameAndArguments + `},"required":["name"]}`,
			Annotations: openWrite,
		},
	}
}

// toolsArray is the value of "tools" in the answer to tools/list. _meta asks Claude Code to load the five at once
// instead of deferring them behind a search of its own.
func toolsArray(p Profile) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, t := range p.MetaTools() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":` + quote(t.Name) + `,"title":` + quote(t.Title) + `,"description":` + quote(t.Description) +
			`,"inputSchema":` + t.InputSchema + `,"annotations":` + t.Annotations + `,"_meta":{"anthropic/alwaysLoad":true}}`)
	}
	b.WriteByte(']')
	return b.String()
}

// toolsList answers tools/list: the five, from memory, the same for every caller (spec 2026-07-28 server/tools allows
// "public" only because nothing in it depends on who asks).
func (e *Engine) toolsList(t *turn) Decision {
	if fault := e.checkEra(t); fault != nil {
		return e.fault(t, fault)
	}
	if t.msg.HasCursor {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidParams, Status: http.StatusBadRequest, Reason: "unknown_cursor",
			Message: "there is only one page of tools: ask without a cursor"})
	}
	result := `{"tools":` + toolsArray(e.o.Profile) + `}`
	if t.era == wire.Modern {
		ttl := strconv.FormatInt(e.o.ToolsTTL.Milliseconds(), 10)
		result = `{"resultType":"complete","tools":` + toolsArray(e.o.Profile) + `,"ttlMs":` + ttl + `,"cacheScope":"public"}`
	}
	return e.answer(t, []byte(result))
}
