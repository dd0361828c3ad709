package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"mcp-toolsearch/sidecar"
)

type object = map[string]any

// talk is one client's session on a search route, and what it has cost so far.
type talk struct {
	session *mcp.ClientSession
	codec   tokenizer.Codec
	spent   int
}

// step is one call of the conversation and what its answer must be.
type step struct {
	about   string
	tool    string
	args    object
	isError bool
	has     []string // substrings of the answer's text
}

// The first questions of the conversations. They are printed for people to try, so that these find what the conversation
// has shown to be there.
const (
	lightQuery = "create an issue in the tracker"
	fullQuery  = "read a text file"
)

// The conversation about the made-up tools: find, look, be refused, read, read several, write, see what was written.
func script() []step {
	issue := object{"project": "TB", "title": "Rotate the signing key"}
	return []step{
		{"find a tool for the task", sidecar.SearchTools, object{"query": lightQuery}, false, []string{"1. tallyboard_create_issue", sidecar.CallWriteTool}},
		{"find another", sidecar.SearchTools, object{"query": "search my mailbox for messages from a customer", "limit": 3}, false, []string{"1. postrider_search_messages", sidecar.CallReadTool}},
		{"ask in Lithuanian", sidecar.SearchTools, object{"query": "išsiųsk sąskaitą klientui", "limit": 3}, false, []string{"billfold_send_invoice"}},
		{"ask in Japanese", sidecar.SearchTools, object{"query": "会議室を予約したい", "limit": 3}, false, []string{"daybook_book_room"}},
		{"look at one closely", sidecar.DescribeTools, object{"names": []string{"tallyboard_create_issue"}}, false, []string{"inputSchema"}},
		{"a write through the read door is refused", sidecar.CallReadTool, object{"name": "tallyboard_create_issue", "arguments": issue}, true, []string{sidecar.CallWriteTool}},
		{"arguments that don't fit are refused", sidecar.CallWriteTool, object{"name": "tallyboard_create_issue", "arguments": object{"project": "TB", "titel": "x"}}, true, []string{"title", "required"}},
		{"read", sidecar.CallReadTool, object{"name": "postrider_search_messages", "arguments": object{"query": "invoice"}}, false, nil},
		{"read several at once", sidecar.CallReadTools, object{"calls": []object{
			{"name": "postrider_search_messages", "arguments": object{"query": "contract"}},
			{"name": "tallyboard_list_issues", "arguments": object{}}}}, false, []string{"[1] postrider_search_messages: ok", "[2] tallyboard_list_issues: ok"}},
		{"write", sidecar.CallWriteTool, object{"name": "tallyboard_create_issue", "arguments": issue}, false, nil},
		{"what was written can be read", sidecar.CallReadTool, object{"name": "tallyboard_list_issues", "arguments": object{}}, false, []string{"Rotate the signing key"}},
	}
}

func converse(ctx context.Context, s *stack) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	if s.dir != "" {
		return compare(ctx, codec, s, fullScript(s.dir))
	}
	if err := compare(ctx, codec, s, script()); err != nil {
		return err
	}
	if s.everything == nil {
		return nil
	}
	return official(ctx, codec, s.envoy.URL("/everything/search"))
}

// compare plays a script on the search route and counts what it costs beside the definitions of all tools.
func compare(ctx context.Context, codec tokenizer.Codec, s *stack, script []step) error {
	all, count, err := definitions(ctx, codec, s.envoy.URL("/mcp/all"))
	if err != nil {
		return err
	}
	t := &talk{codec: codec}
	five, err := t.connect(ctx, s.envoy.URL("/mcp/search"))
	if err != nil {
		return err
	}
	defer t.session.Close()
	fmt.Printf("\nA client lists the tools through Envoy: %d instead of %d, %s tokens of definitions instead of %s.\n",
		len(sidecar.MetaTools()), count, thousands(five), thousands(all))
	for i, st := range script {
		if err := t.play(ctx, i+1, st); err != nil {
			return err
		}
	}
	total := five + t.spent
	fmt.Printf("\nDefinitions and the whole conversation: %s tokens. The definitions of all %d tools alone: %s (%.1f %% saved).\n",
		thousands(total), count, thousands(all), 100*(1-float64(total)/float64(all)))
	if total >= all {
		return errors.New("the conversation cost more than loading every tool")
	}
	return nil
}

// official plays a call through the official test server, which has nothing to do with this project.
func official(ctx context.Context, codec tokenizer.Codec, url string) error {
	fmt.Println("\nThe same with the official test server, on its own pair of routes:")
	t := &talk{codec: codec}
	if _, err := t.connect(ctx, url); err != nil {
		return err
	}
	defer t.session.Close()
	for i, st := range []step{
		{"find a tool", sidecar.SearchTools, object{"query": "echo a message", "limit": 2}, false, []string{"echo"}},
		{"run it", sidecar.CallReadTool, object{"name": "echo", "arguments": object{"message": "hello through Envoy"}}, false, []string{"hello through Envoy"}},
	} {
		if err := t.play(ctx, i+1, st); err != nil {
			return err
		}
	}
	return nil
}

// connect opens a session and returns the tokens of the listed definitions, as a model sees them.
func (t *talk) connect(ctx context.Context, url string) (int, error) {
	tokens, n, err := t.list(ctx, url)
	if err == nil && n != len(sidecar.MetaTools()) {
		err = fmt.Errorf("%s lists %d tools, not five", url, n)
	}
	return tokens, err
}

func definitions(ctx context.Context, codec tokenizer.Codec, url string) (tokens, n int, err error) {
	t := &talk{codec: codec}
	tokens, n, err = t.list(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	return tokens, n, t.session.Close()
}

func (t *talk) list(ctx context.Context, url string) (tokens, n int, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	t.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return 0, 0, fmt.Errorf("connect to %s: %w", url, err)
	}
	for tool, err := range t.session.Tools(ctx, nil) {
		if err != nil {
			return 0, 0, fmt.Errorf("list the tools of %s: %w", url, err)
		}
		seen, err := json.Marshal(object{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema})
		if err != nil {
			return 0, 0, err
		}
		tokens += t.count(string(seen))
		n++
	}
	return tokens, n, nil
}

func (t *talk) count(text string) int {
	n, err := t.codec.Count(text)
	if err != nil {
		return len(text) / 4
	}
	return n
}

// play makes one call, prints it, and checks the answer.
func (t *talk) play(ctx context.Context, n int, st step) error {
	args, err := json.Marshal(st.args)
	if err != nil {
		return err
	}
	res, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: st.tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return fmt.Errorf("step %d (%s): %w", n, st.about, err)
	}
	var text strings.Builder
	for _, c := range res.Content {
		if block, ok := c.(*mcp.TextContent); ok {
			text.WriteString(block.Text + "\n")
		}
	}
	t.spent += t.count(string(args)) + t.count(text.String())
	fmt.Printf("\n%d. %s\n   -> %s %s\n%s", n, st.about, st.tool, args, excerpt(text.String()))
	if res.IsError != st.isError {
		return fmt.Errorf("step %d (%s): isError is %t", n, st.about, res.IsError)
	}
	for _, want := range st.has {
		if !strings.Contains(text.String(), want) {
			return fmt.Errorf("step %d (%s): the answer lacks %q", n, st.about, want)
		}
	}
	return nil
}

const (
	excerptLines = 7
	excerptRunes = 150
)

func excerpt(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var b strings.Builder
	for i, line := range lines {
		if i == excerptLines {
			fmt.Fprintf(&b, "      (%d more lines)\n", len(lines)-i)
			break
		}
		if r := []rune(line); len(r) > excerptRunes {
			line = string(r[:excerptRunes]) + " ..."
		}
		b.WriteString("      " + line + "\n")
	}
	return b.String()
}

// thousands writes 123456 as 123,456.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
