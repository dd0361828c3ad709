package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"mcp-toolsearch/internal/upstreamtest"
)

// compose is what the Compose file says, as far as it is ours.
type compose struct {
	Services map[string]struct {
		EnvFile     string            `yaml:"env_file"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Healthcheck struct{ Test []string }
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

// envLines are the variables of a .env file in their order, with commented-out ones when all is set.
func envLines(t testing.TB, path string, all bool) [][2]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][2]string
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		line := s.Text()
		if all {
			line = strings.TrimPrefix(line, "#")
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.ContainsAny(name, " #") {
			continue
		}
		lines = append(lines, [2]string{name, value})
	}
	return lines
}

func TestTheComposeFileKnowsOurSettings(t *testing.T) {
	data, err := os.ReadFile("../../deploy/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	if err := yaml.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	service, ok := c.Services["mcp-toolsearch"]
	if !ok || service.EnvFile != ".env" || len(service.Ports) != 1 || service.Ports[0] != "127.0.0.1:${PORT:-8092}:${PORT:-8092}" {
		t.Fatalf("%+v", c)
	}
	if len(service.Volumes) != 1 || !strings.HasSuffix(service.Volumes[0], ":/app/data") || !slices.Equal(service.Healthcheck.Test, []string{"CMD", "/mcp-toolsearch", "healthcheck"}) {
		t.Errorf("volumes %v, healthcheck %v", service.Volumes, service.Healthcheck.Test)
	}
	known := map[string]bool{}
	for _, o := range options() {
		known[o.env], known[o.bare] = true, true
	}
	variables := envLines(t, "../../deploy/compose/.env.example", true)
	if len(variables) < 10 {
		t.Errorf("only %d variables in .env.example", len(variables))
	}
	for name := range service.Environment {
		variables = append(variables, [2]string{name})
	}
	for _, v := range variables {
		if !known[v[0]] {
			t.Errorf("%s is none of our variables", v[0])
		}
	}
}

func TestTheImageOfTheComposeFileFitsIt(t *testing.T) {
	data, err := os.ReadFile("../../deploy/compose/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nENTRYPOINT [\"/mcp-toolsearch\"]\n", "\nENV PORT=8092 MANIFEST_PATH=/app/data/manifest.json\n", " /app/data\n", "\nUSER 65532:65532\n", "\nARG VERSION=dev\n", "-X main.version=${VERSION}"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
	if s := settingsFor(t, "PORT=8092", "TOOLSEARCH_CONFIG=/config/mcp.json"); s.listen() != ":8092" {
		t.Errorf("in the image a file of servers is served on %s alone", s.listen())
	}
}

func tool(name, description string, read bool) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":%t}}`, name, description, read)
}

// likeThePredecessors is a catalog in the shape of the predecessor's: two servers, one of them a gateway with several
// kinds of tools, whose names have hyphens.
func likeThePredecessors() (litellm, scanner []string) {
	return []string{
			tool("gmail-message_send", "Send an email message from the user's account.", false),
			tool("gmail-message_search", "Search messages with the mailbox's query syntax.", true),
			tool("gmail-thread_list", "List threads of the mailbox, filtered by label or unread state.", true),
			tool("gmail-thread_get", "Get one thread with all of its messages.", true),
			tool("gmail-label_list", "List the labels of the mailbox.", true),
			tool("calendar-create_event", "Create an event in a calendar, at a date and time.", false),
			tool("calendar-list_events", "List the events of a calendar between two dates.", true),
			tool("calendar-delete_event", "Delete an event from a calendar.", false),
			tool("drive-file_search", "Search files by name or content.", true),
			tool("drive-file_share", "Share a file with somebody.", false),
		}, []string{
			tool("browser_navigate", "Navigate the browser to the page at a URL.", false),
			tool("browser_take_screenshot", "Take a screenshot of the page in the browser.", true),
			tool("scan_page", "Scan a page for accessibility violations.", true),
		}
}

// TestTheEnvFileOfTheComposeFileStartsOurProgram plays the file unchanged.
func TestTheEnvFileOfTheComposeFileStartsOurProgram(t *testing.T) {
	first, second := likeThePredecessors()
	at := map[string]string{"litellm:4000": upstreamtest.New(t, first...).Origin(), "a11y-scanner:3000": upstreamtest.New(t, second...).Origin()}
	wants := map[string]string{"litellm:4000": "Bearer sk-example", "a11y-scanner:3000": "Bearer example-token"}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		host := r.In.URL.Host
		if got := r.In.Header.Get("Authorization"); got != wants[host] {
			t.Errorf("%s got the authorization %q, want %q", host, got, wants[host])
		}
		u, err := url.Parse(at[host])
		if err != nil {
			t.Error(err)
		}
		r.SetURL(u)
	}, FlushInterval: -1, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }})
	t.Cleanup(proxy.Close) // scripts go on when this function has returned
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{"testdata/compose/compose.txtar"}, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "ROOT="+root, "PROXY="+proxy.URL, "ADMIN="+freeAddress(t), "LISTEN="+freeAddress(t), "FINGERPRINT="+fingerprint(slices.Concat(first, second)))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"ready": ready, "post": post, "terminate": terminate, "refresh": refresh,
			"envfile": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, line := range envLines(t, args[0], false) {
					ts.Setenv(line[0], line[1])
				}
			}},
	})
}

// fingerprint is that of the predecessor: the number of tools and the first 16 digits of a hash over the sorted names.
func fingerprint(tools []string) string {
	names := make([]string, len(tools))
	for i, definition := range tools {
		_, rest, _ := strings.Cut(definition, `{"name":"`)
		names[i], _, _ = strings.Cut(rest, `"`)
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return fmt.Sprintf(`"fingerprint":"%d:%x"`, len(names), sum[:8])
}
