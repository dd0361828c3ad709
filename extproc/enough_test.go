package extproc_test

import (
	"net/http"
	"strings"
	"testing"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
)

// comeAgain tells the only answer to what is too much.
func comeAgain(answers []*extprocv3.ProcessingResponse) bool {
	if len(answers) != 1 || answers[0].GetImmediateResponse() == nil {
		return false
	}
	a := answers[0].GetImmediateResponse()
	return a.Status.Code == http.StatusServiceUnavailable && strings.Contains(a.Headers.String(), "retry-after") && strings.HasPrefix(string(a.Body), `{"jsonrpc":"2.0","id":null,"error":`)
}

func TestStreamsThatAreTooManyAreToldToComeAgain(t *testing.T) {
	refused := 0
	places := bounds.Door{Requests: bounds.NewGate(1, func() { refused++ })}
	d := newDoor(t, extproc.Options{Engine: always(sidecar.Decision{Kind: sidecar.Pass, Path: "/mcp/all"}), Patience: patient, Bounds: places})
	first := d.open()
	first.say(rowHeaders)
	second := d.open()
	answers, ended := second.send(parseLine(rowHeaders).message(t))
	if !comeAgain(answers) || !ended || refused != 1 {
		t.Errorf("answers %v, ended %t, %d counted", answers, ended, refused)
	}
	if s := second.end(); s.Code() != codes.OK {
		t.Errorf("the stream ended with %v", s)
	}
	for _, early := range []string{rowBody, "request_headers modes=STREAMED/NONE :method=POST"} {
		odd := d.open()
		if answers, ended := odd.send(parseLine(early).message(t)); len(answers) != 0 || !ended || odd.end().Code() == codes.OK {
			t.Errorf("%s: %v, ended %t: such a stream must end with an error, or Envoy carries the request on", early, answers, ended)
		}
	}
	gone := d.open()
	if err := gone.stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if s := gone.end(); s.Code() != codes.Aborted {
		t.Errorf("a stream that closed without a request ended with %v", s)
	}
	first.cancel()
	<-first.handler.ended
	third := d.open()
	if said := third.say(rowHeaders); strings.HasPrefix(strings.Join(said, " "), "immediate") {
		t.Errorf("there is room, and it was turned away: %v", said)
	}
}

func TestBodiesThatAreTooMuchAreToldToComeAgain(t *testing.T) {
	bodies := bounds.NewGate(10, nil)
	bodies.Take(5)
	d := newDoor(t, extproc.Options{Engine: always(sidecar.Decision{Kind: sidecar.Pass, Path: "/mcp/all"}), Patience: patient, Bounds: bounds.Door{Bodies: bodies}})
	p := d.open()
	p.say(rowHeaders)
	answers, ended := p.send(parseLine(rowBody).message(t))
	if !comeAgain(answers) || !ended || bodies.Inside() != 5 {
		t.Errorf("answers %v, ended %t, %d bytes held", answers, ended, bodies.Inside())
	}
	bodies.Give(5)
	p = d.open()
	p.say(rowHeaders)
	if said := p.say(rowBody); strings.HasPrefix(strings.Join(said, " "), "immediate") || bodies.Inside() != 0 {
		t.Errorf("%v, and %d bytes held while the upstream works", said, bodies.Inside())
	}
}

func TestTooMuchWorkThroughEnvoy(t *testing.T) {
	places := bounds.Door{Requests: bounds.NewGate(1, nil), Bodies: bounds.NewGate(1000, nil)}
	eachEnvoy(t, laneOptions{bounds: places}, func(t *testing.T, l *lane) {
		places.Requests.Enter()
		full := l.ask(t, "forward", "json", 0)
		places.Requests.Leave()
		await(t, func() bool { return places.Requests.Inside() == 0 })
		places.Bodies.Take(999)
		heavy := l.ask(t, "forward", "json", 0)
		places.Bodies.Give(999)
		for what, r := range map[string]reply{"requests": full, "bodies": heavy} {
			if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" || r.Header.Get("Content-Type") != "application/json" ||
				!strings.HasPrefix(r.text, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"too much is being done`) {
				t.Errorf("%s: the client got %d %v %s", what, r.StatusCode, r.Header, r.text)
			}
		}
		await(t, func() bool { return places.Requests.Inside() == 0 })
		if r := l.ask(t, "forward", "json", 0); r.StatusCode != http.StatusOK || r.text != edited {
			t.Errorf("with room the client got %d %s", r.StatusCode, r.text)
		}
	})
}

// TestStreamsBeyondThoseThatAreTurnedAwayThroughEnvoy: a stream that is ended with RESOURCE_EXHAUSTED gives the client a
// 503 in JSON-RPC, and nothing reaches the upstream unjudged. Health checks are answered all the while.
func TestStreamsBeyondThoseThatAreTurnedAwayThroughEnvoy(t *testing.T) {
	places := bounds.Door{Requests: bounds.NewGate(1, nil)}
	eachEnvoy(t, laneOptions{bounds: places}, func(t *testing.T, l *lane) {
		if r := l.ask(t, "forward", "json", 0); r.StatusCode != http.StatusOK {
			t.Fatalf("with room the client got %d %s", r.StatusCode, r.text)
		}
		await(t, func() bool { return places.Requests.Inside() == 0 })
		before, _ := l.upstream.request()
		places.Requests.Enter()
		defer places.Requests.Leave()
		conn, err := grpc.NewClient("passthrough:///"+l.door.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for range 1024 { // all that may wait to be turned away; they say nothing
			if _, err := extprocv3.NewExternalProcessorClient(conn).Process(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		await(t, func() bool {
			r := l.ask(t, "forward", "json", 0)
			if r.StatusCode != http.StatusServiceUnavailable || !strings.HasPrefix(r.text, `{"jsonrpc":"2.0","id":null,"error":{`) {
				t.Fatalf("the client got %d %v %s", r.StatusCode, r.Header, r.text)
			}
			return r.Header.Get("Retry-After") != "1" || !strings.Contains(r.text, "too much is being done") // Envoy's own: ours were used up
		})
		other, err := grpc.NewClient("passthrough:///"+l.door.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		said, err := healthv1.NewHealthClient(other).Check(t.Context(), &healthv1.HealthCheckRequest{})
		if err != nil || said.Status != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("health: %v, %v", said, err)
		}
		if last, _ := l.upstream.request(); last != before {
			t.Error("a request reached the upstream unjudged")
		}
	})
}
