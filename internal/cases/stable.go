package cases

import (
	"encoding/json"
	"fmt"
	"testing"
)

// otherCaller is the way that needs a second caller.
const otherCaller = "catalog of another caller"

// unstable asks for the list of tools again and again, in every way that the case names, and says when it changed.
func (p *player) unstable(tb testing.TB, c Case, call []byte) error {
	first, err := p.toolBytes(p.stack, "Bearer one", call)
	if err != nil {
		return err
	}
	for _, way := range c.Across {
		stack, who := p.stack, "Bearer one"
		switch way {
		case "same process":
		case "restart":
			stack = p.open(tb, p.up, p.file.Operator)
		case "catalog grown by 200 tools":
			p.up.SetTools(append(p.tools, grown(200)...)...)
			who = "Bearer after growth"
		case otherCaller:
			p.up.SetToolsFor("Bearer two", grown(3)...)
			who = "Bearer two"
		default:
			return fmt.Errorf("across: %q is not understood", way)
		}
		for i := range max(c.Repeat, 1) {
			again, err := p.toolBytes(stack, who, call)
			if err != nil {
				return err
			}
			if again != first {
				return fmt.Errorf("%s, time %d: the tools differ:\n%s\n%s", way, i+1, first, again)
			}
		}
	}
	return nil
}

func (p *player) toolBytes(s Stack, who string, call []byte) (string, error) {
	x, err := p.send(s, who, call)
	if err != nil {
		return "", err
	}
	var r struct{ Tools json.RawMessage }
	if err := json.Unmarshal(x.result, &r); err != nil || r.Tools == nil {
		return "", fmt.Errorf("the answer has no tools: %.300s", x.body)
	}
	return string(r.Tools), nil
}

func grown(n int) []string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprintf(`{"name":"grown_tool_%d","inputSchema":{"type":"object"}}`, i)
	}
	return tools
}
