package extproc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar"
)

// patient keeps the door from asking for more time.
const patient = time.Hour

const (
	rowHeaders = "request_headers modes=BUFFERED/NONE :method=POST :path=/mcp/search authorization=secret-token"
	rowBody    = "request_body end `{\"q\":\"secret-query\"}`"
	rowSSE     = "response_headers :status=200 content-type=text/event-stream"
)

// say sends a line of a dialogue that the stream must survive.
func (p *peer) say(row string) []string {
	p.t.Helper()
	answers, ended := p.send(parseLine(row).message(p.t))
	var said []string
	for _, a := range answers {
		said = append(said, describe(a)...)
	}
	if ended {
		p.t.Fatalf("%s: the stream ended: %v", row, describeEnd(p.end()))
	}
	return said
}

// push sends a line without waiting for what it does.
func (p *peer) push(row string) {
	p.t.Helper()
	if err := p.stream.Send(parseLine(row).message(p.t)); err != nil {
		p.t.Fatal(err)
	}
}

func TestEveryUnusualEndIsAnError(t *testing.T) {
	panics := func(context.Context, sidecar.Request) sidecar.Decision { panic("secret") }
	tests := []struct {
		name   string
		rows   []string
		decide func(context.Context, sidecar.Request) sidecar.Decision
		want   codes.Code
	}{
		{"the stream closes at once", nil, nil, codes.Aborted},
		{"it closes after the headers", []string{rowHeaders}, nil, codes.Aborted},
		{"it closes in a full-duplex body", []string{"request_headers modes=DUPLEX/DUPLEX", "request_body `{`"}, nil, codes.Aborted},
		{"the engine panics", []string{rowHeaders, rowBody}, panics, codes.Internal},
		{"the body comes twice", []string{rowHeaders, rowBody, rowBody}, nil, codes.FailedPrecondition},
		{"trailers come without a body", []string{rowHeaders, "request_trailers"}, nil, codes.Aborted},
		{"the modes can't work", []string{"request_headers modes=STREAMED/NONE"}, nil, codes.FailedPrecondition},
		{"the message isn't known", []string{"unknown"}, nil, codes.Unimplemented},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := always(sidecar.Decision{})
			if tt.decide != nil {
				e.decide = tt.decide
			}
			d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
			p := d.open()
			ended := false
			for _, row := range tt.rows {
				_, ended = p.send(parseLine(row).message(t))
			}
			if !ended {
				if err := p.stream.CloseSend(); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.end(); got.Code() != tt.want {
				t.Errorf("the stream ends with %v, want %v", got, tt.want)
			}
			if got := d.counts.ended(); got != "[error]" {
				t.Errorf("outcomes %s, want [error]", got)
			}
		})
	}
}

func TestAForwardedCallSetsContentLength(t *testing.T) {
	for _, size := range []int{1, 2, 100, 32000, 1 << 20} {
		d := newDoor(t, extproc.Options{Engine: always(sidecar.Decision{Kind: sidecar.Forward, NewBody: make([]byte, size)}), Patience: patient})
		p := d.open()
		p.say(rowHeaders)
		said := strings.Join(p.say(rowBody), "\n")
		if want := fmt.Sprintf("set content-length=%d\n", size); !strings.Contains(said, want) {
			t.Errorf("a body of %d bytes: the door says\n%s", size, said)
		}
		p.cancel()
	}
}

func TestOnlyTheFirstEventIsCopied(t *testing.T) {
	first := "event: message\ndata: {\"method\":\"notifications/progress\"}\n\n"
	e := always(sidecar.Decision{Kind: sidecar.Forward, NewBody: []byte(`{}`)})
	e.edits = map[string]string{}
	d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
	p := d.open()
	p.say(rowHeaders)
	p.say(rowBody)
	p.say(rowSSE)
	p.say(fmt.Sprintf("response_body %q", first[:10]))
	if _, ended := p.send(parseLine(fmt.Sprintf("response_body %q", first[10:])).message(t)); !ended {
		t.Fatal("the stream goes on after the first event")
	}
	if got := p.end(); got.Code() != codes.OK {
		t.Errorf("the stream ends with %v", got)
	}
	if got := d.counts.bytes(); got != len(first) {
		t.Errorf("%d bytes were copied, want the %d of the first event", got, len(first))
	}
}

func TestAHeldAnswerStaysWithinTheLimit(t *testing.T) {
	const limit = 1000
	e := always(sidecar.Decision{Kind: sidecar.Merge})
	e.edits = map[string]string{}
	d := newDoor(t, extproc.Options{Engine: e, EditBytes: limit, Patience: patient})
	for _, contentType := range []string{"application/json", "text/event-stream"} {
		p := d.open()
		p.say(rowHeaders)
		p.say(rowBody)
		p.say("response_headers :status=200 content-type=" + contentType)
		sent, got := 0, 0
		for ended := false; !ended; {
			var answers []*extprocv3.ProcessingResponse
			answers, ended = p.send(parseLine("response_body `" + strings.Repeat("x", 300) + "`").message(t))
			sent += 300
			got += len(answers[0].GetResponseBody().GetResponse().GetBodyMutation().GetBody())
		}
		if sent > limit+300 || got != sent {
			t.Errorf("%s: left after %d bytes with %d released, want all of them at the limit of %d", contentType, sent, got, limit)
		}
	}
}

func TestAnAnswerTooLargeToEditIsReported(t *testing.T) {
	for name, tt := range map[string]struct {
		headers string
		pieces  []int
		reports int32
	}{
		"a length over the limit":         {"content-type=application/json content-length=1001", nil, 1},
		"a length at the limit":           {"content-type=application/json content-length=1000", nil, 0},
		"JSON that grows over the limit":  {"content-type=application/json", []int{900, 200}, 1},
		"an event that grows over it":     {"content-type=text/event-stream", []int{900, 200}, 1},
		"an answer that needs no look":    {"content-type=text/plain content-length=5000", nil, 0},
		"a length that can't be believed": {"content-type=application/json content-length=x", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := always(sidecar.Decision{Kind: sidecar.Merge})
			e.edits = map[string]string{}
			p := newDoor(t, extproc.Options{Engine: e, EditBytes: 1000, Patience: patient}).open()
			p.say(rowHeaders)
			p.say(rowBody)
			p.send(parseLine("response_headers :status=200 " + tt.headers).message(t))
			for _, n := range tt.pieces {
				p.send(parseLine("response_body `" + strings.Repeat("x", n) + "`").message(t))
			}
			p.cancel()
			if got := e.tooLarge.Load(); got != tt.reports {
				t.Errorf("%d reports, want %d", got, tt.reports)
			}
		})
	}
}

func TestNoValueIsLogged(t *testing.T) {
	for name, cause := range map[string]any{"a value": "secret-query", "an error": fmt.Errorf("secret-token")} {
		t.Run(name, func(t *testing.T) {
			e := always(sidecar.Decision{})
			e.decide = func(context.Context, sidecar.Request) sidecar.Decision { panic(cause) }
			d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
			p := d.open()
			p.say(rowHeaders)
			p.send(parseLine(rowBody).message(t))
			end := p.end()
			if logged := d.log.String(); strings.Contains(logged, "secret") || !strings.Contains(logged, "TestNoValueIsLogged") {
				t.Errorf("the log should name the function and no value:\n%s", logged)
			}
			if end.Code() != codes.Internal || strings.Contains(end.Message(), "secret") {
				t.Errorf("the stream ends with %v", end)
			}
		})
	}
}

func TestAFaultOfTheRuntimeIsNamed(t *testing.T) {
	e := always(sidecar.Decision{})
	e.decide = func(_ context.Context, req sidecar.Request) sidecar.Decision {
		return sidecar.Decision{Body: req.Body[100:]}
	}
	d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
	p := d.open()
	p.say(rowHeaders)
	p.send(parseLine(rowBody).message(t))
	if end := p.end(); end.Code() != codes.Internal {
		t.Errorf("the stream ends with %v", end)
	}
	if logged := d.log.String(); !strings.Contains(logged, "slice bounds out of range") {
		t.Errorf("the log doesn't say what happened:\n%s", logged)
	}
}

func TestSlowWorkAsksForMoreTimeOnce(t *testing.T) {
	release := make(chan struct{})
	slow := func(ctx context.Context) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	}
	e := always(sidecar.Decision{Kind: sidecar.Merge})
	e.decide = func(ctx context.Context, _ sidecar.Request) sidecar.Decision {
		slow(ctx)
		return sidecar.Decision{Kind: sidecar.Merge}
	}
	e.edits = map[string]string{`{"id":1}`: `{"id":2}`}
	e.onEdit = slow
	d := newDoor(t, extproc.Options{Engine: e, Patience: time.Millisecond, Extension: 7 * time.Second})
	p := d.open()
	p.push(rowHeaders)
	readPast(t, p, "request_headers")
	steps := []struct{ row, want string }{
		{rowBody, "request_body"},
		{"response_headers :status=200 content-type=application/json content-length=8", ""},
		{"response_body end `{\"id\":1}`", "response_body"},
	}
	for _, step := range steps {
		p.push(step.row)
		if step.want == "" {
			readPast(t, p, "response_headers")
			continue
		}
		if got := strings.Join(describe(p.receive()), " "); got != "more time: 7s" {
			t.Fatalf("%s: the door says %q, want more time", step.row, got)
		}
		release <- struct{}{}
		if got := describe(p.receive()); got[0] != step.want {
			t.Fatalf("%s: the door says %q, want its answer", step.row, got)
		}
	}
}

// readPast reads until this kind of answer; requests for more time may come before it on a slow machine.
func readPast(t *testing.T, p *peer, kind string) {
	t.Helper()
	for describe(p.receive())[0] != kind {
	}
}

func TestInFullDuplexNoMoreTimeIsAskedFor(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{})
	e := always(sidecar.Decision{})
	e.decide = func(context.Context, sidecar.Request) sidecar.Decision {
		close(started)
		<-release
		return sidecar.Decision{Kind: sidecar.Answer, Status: 200}
	}
	d := newDoor(t, extproc.Options{Engine: e, Patience: time.Nanosecond})
	p := d.open()
	p.say("request_headers modes=DUPLEX/DUPLEX")
	p.push("request_body end `{}`")
	<-started
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	if got := describe(p.receive()); got[0] != "immediate 200" {
		t.Errorf("the door says %q", got)
	}
}

func TestAClientThatLeavesEndsTheDecision(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	e := always(sidecar.Decision{})
	e.decide = func(ctx context.Context, _ sidecar.Request) sidecar.Decision {
		close(started)
		<-ctx.Done()
		close(ended)
		return sidecar.Decision{Kind: sidecar.Pass}
	}
	for _, patience := range []time.Duration{patient, time.Nanosecond} {
		t.Run(patience.String(), func(t *testing.T) {
			started, ended = make(chan struct{}), make(chan struct{})
			d := newDoor(t, extproc.Options{Engine: e, Patience: patience})
			p := d.open()
			p.push(rowHeaders)
			p.push(rowBody)
			<-started
			p.cancel()
			<-ended
			<-p.handler.ended
			if got := d.counts.ended(); got != "[canceled]" {
				t.Errorf("outcomes %s, want [canceled]", got)
			}
		})
	}
}

func TestUnsupportedModesAreLoggedOnce(t *testing.T) {
	d := newDoor(t, extproc.Options{Engine: always(sidecar.Decision{}), Patience: patient})
	for range 3 {
		p := d.open()
		p.send(parseLine("request_headers modes=STREAMED/STREAMED authorization=secret").message(t))
		if end := p.end(); end.Code() != codes.FailedPrecondition {
			t.Errorf("the stream ends with %v", end)
		}
	}
	logged := d.log.String()
	if strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "request_body_mode: BUFFERED") || strings.Contains(logged, "secret") {
		t.Errorf("want one line that says what to set:\n%s", logged)
	}
}

func TestBodiesThatNeverComeAreLoggedOnce(t *testing.T) {
	e := always(sidecar.Decision{Kind: sidecar.Merge})
	e.edits = map[string]string{}
	mute := func(d *door) {
		p := d.open()
		p.say(rowHeaders)
		p.say(rowBody)
		p.say(rowSSE)
		p.cancel()
		<-p.handler.ended
	}
	d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
	for range 2 {
		mute(d)
	}
	if logged := d.log.String(); logged != "" {
		t.Errorf("two clients that went away are no reason to warn:\n%s", logged)
	}
	for range 3 {
		mute(d)
	}
	if logged := d.log.String(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "allow_mode_override: true") {
		t.Errorf("want one line that says what to set:\n%s", logged)
	}
}

func TestAnAnswersBodyProvesThatTheyCome(t *testing.T) {
	e := always(sidecar.Decision{Kind: sidecar.Merge})
	e.edits = map[string]string{}
	d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
	for i := range 6 {
		p := d.open()
		p.say(rowHeaders)
		p.say(rowBody)
		p.say(rowSSE)
		if i == 0 {
			p.say(`response_body ": comment\n\n"`)
		}
		p.cancel()
		<-p.handler.ended
	}
	if logged := d.log.String(); logged != "" {
		t.Errorf("bodies come, and yet:\n%s", logged)
	}
}

func TestTheRequestIsReadWhole(t *testing.T) {
	e := always(sidecar.Decision{Kind: sidecar.Answer, Status: 200})
	d := newDoor(t, extproc.Options{Engine: e, Patience: patient})
	p := d.open()
	p.say(`request_headers modes=DUPLEX/NONE :method=POST :path=/mcp/search?x=1 :authority=gw:8080 :scheme=http host=other x-forwarded-proto=https x-twice=a x-twice=b x-empty=""`)
	p.say("request_body `{\"a\":`")
	p.send(parseLine("request_body end `1}`").message(t))
	r := e.requests[0]
	got := fmt.Sprint(r.Method, r.Path, r.Authority, r.Scheme, string(r.Body), r.Header)
	want := `POST/mcp/search?x=1gw:8080https{"a":1}map[X-Empty:[] X-Forwarded-Proto:[https] X-Twice:[a b]]`
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("the engine got %s, want %s", got, want)
	}
}
