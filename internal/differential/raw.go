package differential

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// rawCall is a call of a tool through the read door.
func rawCall(name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":%s,"arguments":{"a":1}}}}`, quoted(name))
}

// rawDirect is a call of a tool by its own name, which the search route doesn't take.
const rawDirect = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe","arguments":{}}}`

// RawInput is what is written on one connection.
type RawInput struct {
	// Class is the row of the table; Text what is written.
	Class, Text string
	// Cut says that the writer's half ends behind the text.
	Cut bool
}

// rawRequest is one request; headers without Host are lines with CRLF.
func rawRequest(target, headers, body string) string {
	return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer one\r\n" + headers + "\r\n" + body
}

const rawJSON = "Content-Type: application/json\r\n"

func rawLength(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }

func rawChunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// RawInputs are requests as no client's library would write them, all of a call that may run or of one that may not, to the
// search path of [testdoor].
func RawInputs() []RawInput {
	all := append(rawHeaders(), rawLengths()...)
	return append(all, rawPaths()...)
}

func rawHeaders() (all []RawInput) {
	modern := strings.Replace(rawCall("echo"), `"params":{`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+wire.ModernVersion+`","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
	head := rawJSON + "Mcp-Protocol-Version: " + wire.ModernVersion + "\r\nMcp-Method: tools/call\r\n" + rawLength(len(modern))
	for _, names := range []string{"Mcp-Name: call_read_tool", "Mcp-Name: wipe", "Mcp-Name: echo", "Mcp-Name: call_read_tool\r\nMcp-Name: wipe", "Mcp-Name: wipe\r\nMcp-Name: call_read_tool", "Mcp-Name: call_read_tool, wipe",
		"Mcp-Name: call_read_tool\r\n wipe", "Mcp-Name : wipe", "Mcp-Name: call_read_tool\r\nMcp-Name : wipe", "Mcp_Name: wipe\r\nMcp-Name: call_read_tool", "Mcp-Name: call_read_tool\r\nMCP-NAME: wipe", "Mcp-Name: call_read_tool\x00", "Mcp-Name: call_read_tool\r\nMcp-Method: ping", "X: y\nMcp-Name: wipe\r\nMcp-Name: call_read_tool"} {
		all = append(all, RawInput{"headers: twice, folded, other than the body", rawRequest("/mcp/search", head+names+"\r\n", modern), false})
	}
	body := rawCall("echo")
	for _, kinds := range []string{rawJSON + rawJSON, rawJSON + "Content-Type: text/plain\r\n", "Content-Type: text/plain\r\n", "Content-Type: application/json; charset=utf-16\r\n", "", rawJSON + "Content-Encoding: gzip\r\n", rawJSON + "Content-Encoding: identity\r\n", rawJSON + "Content-Encoding: gzip, identity\r\n"} {
		all = append(all, RawInput{"content types and encodings", rawRequest("/mcp/search", kinds+rawLength(len(body)), body), false})
	}
	return all
}

func rawLengths() (all []RawInput) {
	body, hidden := rawCall("echo"), rawRequest("/mcp/search", rawJSON+rawLength(len(rawCall("wipe"))), rawCall("wipe"))
	add := func(class, headers, body string) {
		all = append(all, RawInput{class, rawRequest("/mcp/search", rawJSON+headers, body), headers == rawLength(len(body)+1) || strings.HasPrefix(headers, "Transfer-Encoding") && strings.HasSuffix(body, "}\r\n")})
	}
	n := len(body)
	for _, headers := range []string{rawLength(n), rawLength(n - 1), rawLength(n + 1), rawLength(0), rawLength(n) + rawLength(n), rawLength(n) + rawLength(n-1), rawLength(n-1) + rawLength(n), fmt.Sprintf("Content-Length: %d, %d\r\n", n, n), fmt.Sprintf("Content-Length: +%d\r\n", n), fmt.Sprintf("Content-Length: 0x%x\r\n", n), fmt.Sprintf("Content-Length : %d\r\n", n), "Content-Length: -1\r\n", "Content-Length: 99999999999999999999\r\n", ""} {
		add("lengths: short, long, two", headers, body)
		add("a second request behind the body", headers, body+hidden)
	}
	const chunked = "Transfer-Encoding: chunked\r\n"
	for _, headers := range []string{chunked, chunked + rawLength(n), rawLength(4) + chunked, chunked + chunked, "Transfer-Encoding: identity\r\n" + rawLength(n), "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: identity, chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\x0bchunked\r\n", "Transfer-Encoding: CHUNKED\r\n", "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: \"chunked\"\r\n"} {
		add("Transfer-Encoding in all ways", headers, rawChunked(body))
		add("a second request behind the chunks", headers, rawChunked(body)+hidden)
	}
	for _, chunks := range []string{"0\r\n\r\n", fmt.Sprintf("%X;ext=1\r\n%s\r\n0\r\n\r\n", n, body), fmt.Sprintf("0x%x\r\n%s\r\n0\r\n\r\n", n, body), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", n-1, body), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", n+1, body), fmt.Sprintf("-%x\r\n%s\r\n0\r\n\r\n", n, body), fmt.Sprintf("ffffffffffffffffff\r\n%s\r\n0\r\n\r\n", body),
		fmt.Sprintf("%x\n%s\n0\n\n", n, body), fmt.Sprintf("%x \r\n%s\r\n0\r\n\r\n", n, body), fmt.Sprintf("%x\r\n%s\r\n0\r\nMcp-Name: wipe\r\n\r\n", n, body), fmt.Sprintf("%x\r\n%s\r\n0\r\nContent-Length: 4\r\n\r\n", n, body), fmt.Sprintf("%x\r\n%s\r\n", n, body), fmt.Sprintf("%x;\n%s\r\n0\r\n\r\n", n, body)} {
		add("chunks: bad sizes, extensions, trailers", chunked, chunks)
		add("a second request behind bad chunks", chunked, chunks+hidden)
	}
	return all
}

// rawPaths leave the aggregate path itself out: it is open to everybody whom the servers let in.
func rawPaths() (all []RawInput) {
	for _, target := range []string{"/mcp/search", "/mcp/search/", "/mcp/search/../all", "/mcp/search/%2e%2e/all", "/mcp/search%2f..%2fall", "//mcp/search", "/mcp//search", "/mcp/search;x=1", "/mcp/./search", "/mcp/%73earch", "/mcp/search?x=/mcp/all", "/mcp/search#/mcp/all", "/mcp/search\\..\\all", "/MCP/SEARCH", "http://localhost/mcp/search", "http://other.example/mcp/search", "http://localhost/mcp/search/../all", "*", "mcp/search", "/mcp/all/", "//mcp/all", "/mcp/%61ll", "/mcp/search%00", "/mcp/search%"} {
		for _, body := range []string{rawCall("echo"), rawDirect} {
			all = append(all, RawInput{"paths and absolute targets", rawRequest(target, rawJSON+rawLength(len(body)), body), false})
		}
	}
	return all
}

// RawWrong says what of the calls that reached the server was never authorised, or nothing.
func RawWrong(calls []upstreamtest.Request, path string) string {
	if len(calls) > 1 {
		return fmt.Sprintf("%d calls ran", len(calls))
	}
	for _, r := range calls {
		names := r.Header.Values("Mcp-Name")
		switch {
		case r.Name != "echo" || string(r.Arguments) != `{"a":1}`:
			return fmt.Sprintf("%q ran with %s", r.Name, r.Arguments)
		case r.Path != path:
			return "sent to " + r.Path
		case len(names) > 1 || len(names) == 1 && names[0] != "echo":
			return fmt.Sprintf("sent with the names %q", names)
		case r.Header.Get("Content-Length") != fmt.Sprint(len(r.Body)):
			return "sent with the length " + r.Header.Get("Content-Length")
		case len(r.Header.Values("Content-Type")) > 1 || r.Header.Get("Content-Encoding") != "" && r.Header.Get("Content-Encoding") != "identity":
			return "sent with another content type or encoding"
		}
	}
	return ""
}

// RawExchange writes on a connection, ends its half when an answer is there, and reads until the door ends the other half.
func RawExchange(t testing.TB, addr string, in RawInput) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, in.Text); err != nil {
		return // refused before all was written
	}
	if in.Cut {
		_ = conn.(*net.TCPConn).CloseWrite()
	}
	answered := false
	r := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Errorf("no end within 20 s: %.200q", in.Text)
			}
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body) // the door may reset what follows a refusal
		resp.Body.Close()
		if !answered && !in.Cut {
			answered = true
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}
}
