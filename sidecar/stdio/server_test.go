package stdio_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// server is a scripted MCP server on stdio. Its role says what it makes of server/discover and how it ends; the name of
// a tool says what a call does.
type server struct {
	role string
	mu   sync.Mutex
	out  *bufio.Writer
	asks map[string]chan string // requests to the client that wait
	told []string               // notifications
}

func serve(role string) {
	if role == "never" {
		fmt.Fprintln(os.Stderr, "secret-on-stderr")
		os.Exit(3)
	}
	s := &server{role: role, out: bufio.NewWriter(os.Stdout), asks: map[string]chan string{}}
	if strings.Contains(role, "clings") {
		signal.Ignore(syscall.SIGTERM)
	}
	fmt.Fprintln(os.Stderr, "secret-on-stderr")
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		s.line([]byte(strings.TrimSuffix(line, "\n")))
	}
	if strings.Contains(role, "clings") {
		time.Sleep(time.Hour)
	}
}

func (s *server) print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.WriteString(line + "\n")
	_ = s.out.Flush()
}

func (s *server) line(line []byte) {
	m, fault := wire.Scan(line, wire.Limits{Bytes: 8 << 20})
	if fault != nil {
		s.print(string(fault.Body()))
		return
	}
	switch m.Kind {
	case wire.Response:
		s.mu.Lock()
		c := s.asks[string(m.ID)]
		s.mu.Unlock()
		c <- string(line)
	case wire.Notification:
		s.mu.Lock()
		s.told = append(s.told, string(line))
		s.mu.Unlock()
		if m.Method == "notifications/initialized" && strings.Contains(s.role, "early") {
			s.print(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		}
	default:
		if m.Name == "stops" { // reading
			s.print(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(m.Meta.ProgressToken) + `,"progress":1}}`)
			time.Sleep(time.Hour)
		}
		go s.request(m)
	}
}

func (s *server) answer(id []byte, result string) {
	s.print(string(wire.ResultBody(id, wire.Legacy, []byte(result))))
}

func (s *server) request(m *wire.Message) {
	id := string(m.ID)
	switch m.Method {
	case "initialize":
		if strings.Contains(s.role, "refuses") {
			s.print(string(wire.ErrorBody(m.ID, -32000, "not today", nil)))
			return
		}
		s.answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"pid `+strconv.Itoa(os.Getpid())+`","version":"1"}}`)
	case "server/discover":
		s.discover(m)
	case "subscriptions/listen":
		s.print(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
		s.print(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	case "tools/call":
		s.call(m)
	case "echo":
		s.print(`{"jsonrpc":"2.0","id":` + id + `,  "result":{"got":` + string(m.Params.In(m.Body)) + `,"n":1.0,"big":9007199254740993,"k":1,"k":2,"s":"\ud800"}}`)
	default:
		s.print(string(wire.ErrorBody(m.ID, wire.CodeMethodNotFound, "no such method", nil)))
	}
}

func (s *server) discover(m *wire.Message) {
	switch {
	case strings.Contains(s.role, "modern"):
		s.answer(m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{}}`)
	case strings.Contains(s.role, "exits"):
		os.Exit(1)
	case strings.Contains(s.role, "silent"):
	default:
		s.print(string(wire.ErrorBody(m.ID, wire.CodeMethodNotFound, "no such method", nil)))
	}
}

func (s *server) call(m *wire.Message) {
	id, token := string(m.ID), string(m.Meta.ProgressToken)
	switch name, n, _ := strings.Cut(m.Name, ":"); name {
	case "pid":
		s.answer(m.ID, `{"pid":`+strconv.Itoa(os.Getpid())+`}`)
	case "progress":
		for i := range 3 {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%q}}`, token, i, n))
		}
		s.answer(m.ID, `{"of":`+strconv.Quote(n)+`}`)
	case "log":
		s.print(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"logged ` + n + `"}}`)
		s.answer(m.ID, `{}`)
	case "ask":
		s.answer(m.ID, `{"client":`+s.ask(n)+`}`)
	case "junk":
		s.print("Starting up on port 1\n\n[1,2]\n{\"half\":\n\"text\"\nnull\n{\"jsonrpc\":\"2.0\"}\x00\x1b[31m")
		s.answer(m.ID, `{"after":"junk"}`)
	case "big":
		size, _ := strconv.Atoi(n)
		s.answer(m.ID, `{"text":"`+strings.Repeat("x", size)+`"}`)
	case "bigfirst":
		size, _ := strconv.Atoi(n)
		s.print(`{"result":{"text":"` + strings.Repeat("x", size) + `"},"jsonrpc":"2.0","id":` + id + `}`)
	case "flood":
		for i := range 5000 {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, i))
		}
		s.answer(m.ID, `{"flood":"over"}`)
	case "told":
		s.mu.Lock()
		told := strings.Join(s.told, ",")
		s.mu.Unlock()
		s.answer(m.ID, `{"told":[`+told+`]}`)
	case "wait":
		s.print(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`)
	case "late":
		time.Sleep(200 * time.Millisecond)
		s.answer(m.ID, `{"late":true}`)
	case "environment":
		s.answer(m.ID, `{"env":`+string(wire.Quote(strings.Join(os.Environ(), ";")))+`}`)
	default:
		s.odd(m, name)
	}
}

// odd are the calls after which the process is not what it was.
func (s *server) odd(m *wire.Message, name string) {
	switch name {
	case "crash":
		os.Exit(3)
	case "deaf":
		_ = os.Stdin.Close()
	case "grandchild":
		cmd := exec.Command("sleep", "300")
		cmd.Stdout = os.Stdout // it holds the pipe open
		if err := cmd.Start(); err != nil {
			s.print(string(wire.ErrorBody(m.ID, wire.CodeInternal, err.Error(), nil)))
			return
		}
		s.answer(m.ID, `{"pid":`+strconv.Itoa(cmd.Process.Pid)+`}`)
	case "changed":
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.answer(m.ID, `{}`)
	}
}

// ask sends a request to the client, with an id that may well be one of the client's own, and returns the answer.
func (s *server) ask(id string) string {
	c := make(chan string, 1)
	s.mu.Lock()
	s.asks[id] = c
	s.mu.Unlock()
	s.print(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":"who?"}}`)
	return <-c
}
