package servers_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/sidecar/servers"
)

// fields is a Server whose differences can be shown.
type fields servers.Server

func plain(list []servers.Server) []fields {
	var all []fields
	for _, s := range list {
		all = append(all, fields(s))
	}
	return all
}

// getenv finds three variables.
func getenv(name string) (string, bool) {
	value, ok := map[string]string{"TOKEN": "m4rk", "EMPTY": "", "HOST": "tools.example.com"}[name]
	return value, ok
}

const (
	call3m = 180 * time.Second
	list2m = 120 * time.Second
	open   = 20 * time.Second
	start  = 90 * time.Second
)

func TestFilesOfClients(t *testing.T) {
	stdio := fields{Name: "files", Command: "npx", Args: []string{"-y", "server-files", "/data"}, Env: map[string]string{"LEVEL": "3", "KEY": "m4rk"}, Timeout: call3m, ListTimeout: list2m, OpenTimeout: start}
	plainURL := fields{Name: "a", URL: "http://a:1/mcp", Timeout: call3m, ListTimeout: list2m, OpenTimeout: open}
	for _, c := range []struct {
		name, file string
		want       []fields
	}{
		{"a command as most clients have it", `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server-files", "/data"], "env": {"LEVEL": 3, "KEY": "${TOKEN}"}}}}`, []fields{stdio}},
		{"the same in YAML", "mcpServers:\n  files:\n    command: npx\n    args: [-y, server-files, /data]\n    env:\n      LEVEL: 3\n      KEY: ${TOKEN}\n", []fields{stdio}},
		{"servers of an editor, with comments, inputs and commas too many", "{\n\t// mine\n\t\"inputs\": [{\"id\": \"x\"}],\n\t\"servers\": {\"files\": {\"type\": \"stdio\", \"command\": \"npx\", /* all */ \"args\": [\"-y\", \"server-files\", \"/data\",], \"env\": {\"LEVEL\": \"3\", \"KEY\": \"${env:TOKEN}\"},},},\n}", []fields{stdio}},
		{"every key of a URL", `{"mcpServers": {"Git Hub": {"type": "streamable-http", "url": "https://${HOST}/mcp", "headers": {"x-api-key": "${TOKEN}", "x-team": "${TEAM:-blue}"},
			"auth": "operator", "timeout": "90s", "listTimeout": 30, "openTimeout": 1.5, "prefix": "gh__", "readTools": ["get_*"], "writeTools": ["get_rid"], "forwardHeaders": ["x-request-id"], "disabled": false}}}`,
			[]fields{{Name: "Git-Hub", URL: "https://tools.example.com/mcp", Header: http.Header{"X-Api-Key": {"m4rk"}, "X-Team": {"blue"}}, Auth: servers.Operator, Timeout: 90 * time.Second,
				ListTimeout: 30 * time.Second, OpenTimeout: 1500 * time.Millisecond, Prefix: "gh", ReadTools: []string{"get_*"}, WriteTools: []string{"get_rid"}, ForwardHeaders: []string{"X-Request-Id"}}}},
		{"order is the file's, disabled ones are left out", `{"mcpServers": {"b": {"url": "http://a:1/mcp", "disabled": true}, "a": {"url": "http://a:1/mcp"}}}`, []fields{plainURL}},
		{"other programs' words for the URL and type", `{"mcpServers": {"a": {"transport": "http", "serverUrl": "http://a:1/mcp", "description": "x", "autoApprove": ["y"]}}}`, []fields{plainURL}},
		{"credentials in a header without auth are the operator's", `{mcpServers: {a: {url: "http://a:1/mcp", headers: {Authorization: "Bearer ${TOKEN}"}}}}`,
			[]fields{{Name: "a", URL: "http://a:1/mcp", Header: http.Header{"Authorization": {"Bearer m4rk"}}, Auth: servers.Operator, Timeout: call3m, ListTimeout: list2m, OpenTimeout: open}}},
		{"the caller's token", "mcpServers: {a: {url: 'http://a:1/mcp', auth: caller}}", []fields{{Name: "a", URL: "http://a:1/mcp", Auth: servers.Caller, Timeout: call3m, ListTimeout: list2m, OpenTimeout: open}}},
		{"more time for a11y", "mcpServers: {a: {url: 'http://a11y:1/mcp'}}", []fields{{Name: "a", URL: "http://a11y:1/mcp", Timeout: 280 * time.Second, ListTimeout: list2m, OpenTimeout: open}}},
		{"a dollar sign that means itself, and defaults", `{"mcpServers": {"x": {"command": "$HOME/x", "args": ["$${TOKEN}", "${EMPTY:-d}", "${EMPTY}", "${NOT:-}"], "cwd": "/tmp"}}}`,
			[]fields{{Name: "x", Command: "$HOME/x", Args: []string{"${TOKEN}", "d", "", ""}, Cwd: "/tmp", Timeout: call3m, ListTimeout: list2m, OpenTimeout: start}}},
		{"a byte order mark, and a schema", "\xef\xbb\xbf{\"$schema\": \"x\", \"mcpServers\": {\"a\": {\"url\": \"http://a:1/mcp\"}}}", []fields{plainURL}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := servers.Parse([]byte(c.file), "mcp.json", getenv)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, plain(list)); diff != "" {
				t.Errorf("servers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMistakesRepeatNoValue(t *testing.T) {
	one := func(keys string) string { return "{\"mcpServers\": {\"a\": {\n" + keys + "\n}}}" }
	for _, c := range []struct{ name, file, want string }{
		{"no JSON", "{\n\"mcpServers\": {\n\"a\" {}}}", "mcp.json: line 3: this is no JSON"},
		{"more after the end", "{\"mcpServers\": {\"a\": {\"url\": \"http://a/\"}}}\n{}", "line 2: "},
		{"no YAML", "mcpServers:\n  a: [", "line 2: this is neither JSON nor YAML"},
		{"an empty file", "# nothing\n", "the file is empty"},
		{"two documents", "mcpServers: {}\n---\na: b\n", "second document"},
		{"aliases", "mcpServers: &x\n  a: *x\n", "line 2: aliases"},
		{"too deep", "a: " + strings.Repeat("[", 30) + strings.Repeat("]", 30), "nested too deeply"},
		{"too deep in JSON", `{"a": ` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + "}", "nested too deeply"},
		{"too large", strings.Repeat(" ", 1<<20+1), "at most 1048576"},
		{"a list at the top", "- a\n", "the file must be an object"},
		{"a misspelt top", "\n{\"mcpServer\": {}}", `line 2: "mcpServer" is unknown in the file: did you mean mcpServers?`},
		{"another program's settings", `{"mcpServers": {}, "globalShortcut": "m4rk"}`, `"globalShortcut" is unknown in the file: keep what isn't`},
		{"nothing about servers", "{}", "there is no mcpServers"},
		{"no server", `{"mcpServers": {}}`, "there is no server under mcpServers"},
		{"all disabled", one(`"url": "http://a/", "disabled": true`), "every server is disabled"},
		{"both words", `{"mcpServers": {"a": {"url": "http://a/"}}, "servers": {}}`, "put all under mcpServers"},
		{"a name twice", "{\"mcpServers\": {\"a\": {\"url\": \"http://a/\"},\n\"a\": {}}}", `line 2: "a" is there twice`},
		{"names that become one", `{"mcpServers": {"a b": {"url": "http://a/"}, "A-b": {"url": "http://b/"}}}`, `"a b" and "A-b" are the same name`},
		{"a name of nothing", `{"mcpServers": {"!": {"url": "http://a/"}}}`, `"!" is no name for a server`},
		{"a server that is no object", `{"mcpServers": {"a": "m4rk"}}`, "server a must be an object"},
		{"a misspelt key", one("\"url\": \"http://a/\",\n\"read_tool\": []"), `line 3: "read_tool" is unknown in server a: did you mean readTools?`},
		{"a key nobody knows", one(`"url": "http://a/", "bogus": "m4rk"`), `"bogus" is unknown in server a: these are known: args, auth,`},
		{"a key that narrows the tools", one(`"url": "http://a/", "includeTools": ["m4rk"]`), `"includeTools" of server a is not taken: hide tools with --overlay`},
		{"a missing variable", one("\"url\": \"http://a/\",\n\"headers\": {\"X-Key\": \"m4rk ${NOT_THERE}\"}"), "line 3: the header X-Key of server a needs the variable NOT_THERE, which is not set"},
		{"two missing variables", one(`"command": "${ONE} ${TWO}"`), "TWO"},
		{"a variable in a default", one(`"command": "m4rk ${A:-${B}}"`), "has a variable inside the default of ${A:-...}"},
		{"an open brace", one(`"command": "m4rk ${A"`), "has ${ without }"},
		{"an editor's question", one(`"command": "x", "args": ["${input:m4rk}"]`), "${input:...}, which an editor fills in"},
		{"an expression", one(`"command": "${A-b}"`), "something else than a variable's name"},
		{"neither", one(`"timeout": 3`), "server a has neither url nor command"},
		{"both", one(`"url": "http://a/", "command": "x"`), "a command and a url: keep one"},
		{"a wrong scheme", one(`"url": "htps://m4rk@a/"`), `url of server a has the scheme "htps"`},
		{"two URLs", one(`"url": "http://a/", "serverUrl": "http://b/"`), "has two URLs"},
		{"no host", one(`"url": "http:///mcp"`), "has no host"},
		{"the old transport", one(`"type": "sse", "url": "http://a/"`), "type sse of server a is a transport that is not spoken here"},
		{"another transport", one(`"type": "m4rk", "url": "http://a/"`), "type of server a must be stdio or http"},
		{"stdio with a URL", one(`"type": "stdio", "url": "http://a/"`), "its type is http"},
		{"http with a command", one(`"type": "http", "command": "x"`), "its type is stdio"},
		{"stdio without a command", one(`"type": "stdio"`), "server a has no command"},
		{"http without a URL", one(`"type": "http"`), "neither url nor command"},
		{"a URL with arguments", one(`"url": "http://a/", "args": ["m4rk"]`), "those of a command"},
		{"a command with headers", one(`"command": "x", "headers": {"X-A": "m4rk"}`), "it gets no headers"},
		{"a command with auth", one(`"command": "x", "auth": "caller"`), "auth of server a must be none"},
		{"an unknown auth", one(`"url": "http://a/", "auth": "m4rk"`), "none, operator or caller"},
		{"none with credentials", one(`"url": "http://a/", "auth": "none", "headers": {"Authorization": "m4rk"}`), "is none, but its headers have Authorization"},
		{"caller with credentials", one(`"url": "http://a/", "auth": "caller", "headers": {"Authorization": "m4rk"}`), "is caller, but its headers"},
		{"operator without", one(`"url": "http://a/", "auth": "operator"`), "is operator, but it has no headers"},
		{"a time in milliseconds", one(`"url": "http://a/", "timeout": 60000`), "a plain number is seconds"},
		{"a time that is none", one(`"url": "http://a/", "timeout": "m4rk"`), "timeout of server a must be a time"},
		{"a prefix with spaces", one(`"url": "http://a/", "prefix": "m4 rk"`), "prefix of server a must be"},
		{"a header of the protocol", one(`"url": "http://a/", "headers": {"mcp-session-id": "m4rk"}`), "headers of server a has Mcp-Session-Id"},
		{"a header of spaces", one(`"url": "http://a/", "headers": {"a b": "m4rk"}`), "a name that no header can have"},
		{"a header that is empty", one(`"url": "http://a/", "headers": {"X-A": "${EMPTY}"}`), "the header X-A of server a is empty"},
		{"a caller's credentials by the back door", one(`"url": "http://a/", "forwardHeaders": ["cookie"]`), "go on with auth: caller alone"},
		{"a pattern with an open bracket", one(`"url": "http://a/", "readTools": ["a["]`), "no pattern for tool names"},
		{"arguments that are no list", one(`"command": "x", "args": "m4rk"`), "args of server a must be a list"},
		{"an argument that is no text", one(`"command": "x", "args": [{"m4rk": 1}]`), "an entry in args of server a must be a text"},
		{"no command in it", one(`"command": " "`), "command of server a is empty"},
		{"null", one(`"command": null`), "command of server a must be a text"},
		{"neither true nor false", one(`"command": "x", "disabled": "m4rk"`), "must be true or false"},
		{"a variable that can't be", one(`"command": "x", "env": {"a=b": "m4rk"}`), "a name that no variable can have"},
		{"a zero byte", one(`"command": "x\u0000m4rk"`), "zero byte"},
		{"a key twice", one("\"url\": \"http://a/\",\n\"url\": \"http://m4rk/\""), `line 3: "url" is there twice in server a`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := servers.Parse([]byte(c.file), "mcp.json", getenv)
			if err == nil || !strings.Contains(err.Error(), c.want) || list != nil {
				t.Fatalf("error %v with %d servers, want one with %q", err, len(list), c.want)
			}
			if strings.Contains(err.Error(), "m4rk") {
				t.Errorf("a value is repeated: %v", err)
			}
		})
	}
}

func TestAllMistakesOfAFileAreToldTogether(t *testing.T) {
	_, err := servers.Parse([]byte("mcpServers:\n  a: {url: 'ftp://a', timeot: 3}\n  b: {}\n"), "mcp.yaml", getenv)
	if err == nil || strings.Count(err.Error(), "\n") != 2 || !strings.Contains(err.Error(), "did you mean timeout") {
		t.Errorf("error %v, want three lines", err)
	}
}

// FuzzParse: no file panics; what is accepted has unique names, one way to connect each, and times.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{", `{"mcpServers": {"a": {"url": "http://a/mcp", "headers": {"X": "${TOKEN}"}}}}`, "mcpServers:\n  a:\n    command: x\n", "{\"servers\": {}, // x\n}",
		`{mcpServers: {a: {command: x, args: [1, true, null]}}}`, "a: &a [*a]", `{"mcpServers": {"a": {"url": "http://a", "timeout": 1e300}}}`, "{/*", `{"a": "\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := servers.Parse([]byte(text), "f", getenv)
		if err != nil {
			if list != nil {
				t.Errorf("servers beside the error %v", err)
			}
			return
		}
		names := map[string]bool{}
		for _, s := range list {
			if names[s.Name] || s.Name == "" || servers.Clean(s.Name) != s.Name || (s.URL == "") == (s.Command == "") || s.Timeout <= 0 || s.ListTimeout <= 0 || s.OpenTimeout <= 0 {
				t.Errorf("%+v can't be", fields(s))
			}
			names[s.Name] = true
		}
	})
}

// TestThePageOfTheFileNamesEveryKey: and the example on it is one.
func TestThePageOfTheFileNamesEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, err = servers.Parse([]byte(`{"mcpServers": {"a": {"bogus": 1}}}`), "f", getenv)
	_, keys, ok := strings.Cut(err.Error(), "these are known: ")
	if keys, _, _ = strings.Cut(keys, "\n"); !ok {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(keys, ", ") {
		if !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("the page doesn't name %s", key)
		}
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	list, err := servers.Parse([]byte(example), "example", func(string) (string, bool) { return "x", true })
	if err != nil || len(list) != 3 || list[0].Command == "" || list[1].Auth != servers.Operator || list[2].Auth != servers.Caller {
		t.Errorf("the example: %v %v", list, err)
	}
}
