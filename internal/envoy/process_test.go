package envoy_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
)

// eachEnvoy runs a test once with every Envoy that is tested here.
func eachEnvoy(t *testing.T, test func(t *testing.T, binary string)) {
	for _, version := range fixtures.Envoys(t) {
		t.Run(version, func(t *testing.T) { test(t, fixtures.Envoy(t, version)) })
	}
}

func TestEnvoyStartsServesAndEnds(t *testing.T) {
	eachEnvoy(t, func(t *testing.T, binary string) {
		e := start(t, binary, "127.0.0.1:1", echo(t))
		if got := get(t, e.URL("/nowhere")); got.StatusCode != http.StatusNotFound {
			t.Errorf("an unknown path is answered %d, want 404", got.StatusCode)
		}
		if n, err := e.Stat(t.Context(), "http.mcp.downstream_rq_total"); err != nil || n < 1 {
			t.Errorf("requests counted: %d, %v", n, err)
		}
		if _, err := e.Stat(t.Context(), "no.such.stat"); err == nil {
			t.Error("a statistic that isn't there was read")
		}
		e.Close()
		e.Close()
		if conn, err := net.DialTimeout("tcp", e.Addr(), time.Second); err == nil {
			conn.Close()
			t.Error("Envoy still listens after Close")
		}
	})
}

func TestAnEnvoyThatCannotStartSaysWhy(t *testing.T) {
	_, err := envoy.Start(t.Context(), fixtures.Envoy(t, fixtures.Envoys(t)[0]), []byte("nonsense: true"))
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v, want Envoy's own words", err)
	}
}

func TestAProgramThatIsNoEnvoyIsToldApart(t *testing.T) {
	nothing, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program true here")
	}
	_, err = envoy.Start(t.Context(), nothing, []byte("{}"))
	if err == nil || !strings.Contains(err.Error(), "is it really an Envoy?") {
		t.Errorf("error %v, want a question whether it is an Envoy", err)
	}
}

func TestWithoutASidecarTheSearchRouteFailsClosed(t *testing.T) {
	eachEnvoy(t, func(t *testing.T, binary string) {
		reached := 0
		upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reached++
			io.WriteString(w, r.URL.Path)
		}))
		t.Cleanup(upstream.Close)
		e := start(t, binary, "127.0.0.1:1", upstream)

		resp := post(t, e.URL("/mcp/search"), `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
		wantJSONRPCError(t, resp, http.StatusServiceUnavailable)
		wantJSONRPCError(t, get(t, e.URL("/.well-known/oauth-protected-resource/mcp/search")), http.StatusServiceUnavailable)
		if reached != 0 {
			t.Errorf("the upstream was reached %d times", reached)
		}
		for path, want := range map[string]string{
			"/mcp/all": "/mcp", "/.well-known/oauth-protected-resource/mcp/all": "/.well-known/oauth-protected-resource/mcp",
		} {
			if got := post(t, e.URL(path), "{}").body; got != want {
				t.Errorf("%s reached the upstream as %q, want %q", path, got, want)
			}
		}
	})
}

func TestOnlyAnswersOfEnvoysOwnAreMadeJSONRPC(t *testing.T) {
	const ours = `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"ours"}}`
	eachEnvoy(t, func(t *testing.T, binary string) {
		upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, "the upstream's own words")
		}))
		t.Cleanup(upstream.Close)
		for _, status := range []int{200, 400, 413, 500, 503, 504} {
			e := start(t, binary, immediate(t, status, ours), upstream)
			if got := post(t, e.URL("/mcp/search"), "{}"); got.StatusCode != status || got.body != ours {
				t.Errorf("the sidecar's %d arrives as %d %s", status, got.StatusCode, got.body)
			}
			if got := post(t, e.URL("/mcp/all"), "{}"); got.body != "the upstream's own words" {
				t.Errorf("the upstream's 503 arrives as %s", got.body)
			}
			tooLarge := post(t, e.URL("/mcp/search"), strings.Repeat("x", 9<<20))
			wantJSONRPCError(t, tooLarge, http.StatusRequestEntityTooLarge)
			e.Close()
		}
	})
}

func TestADeadUpstreamIsAJSONRPCError(t *testing.T) {
	eachEnvoy(t, func(t *testing.T, binary string) {
		upstream := echo(t)
		upstream.Close()
		e := start(t, binary, "127.0.0.1:1", upstream)
		wantJSONRPCError(t, post(t, e.URL("/mcp/all"), "{}"), http.StatusServiceUnavailable)
	})
}

// start runs Envoy with one pair of routes.
func start(t *testing.T, binary string, sidecar envoy.Address, upstream *httptest.Server) *envoy.Envoy {
	t.Helper()
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar = "127.0.0.1:0", 0, sidecar
	c.Pairs[0].Upstream = envoy.Address(upstream.Listener.Addr().String())
	e, err := envoy.Start(t.Context(), binary, render(t, c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if t.Failed() {
			t.Log(e.Log())
		}
	})
	return e
}

func echo(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }))
	t.Cleanup(s.Close)
	return s
}

type response struct {
	*http.Response
	body string
}

func get(t *testing.T, url string) response     { return do(t, http.MethodGet, url, "") }
func post(t *testing.T, url, b string) response { return do(t, http.MethodPost, url, b) }

func do(t *testing.T, method, url, body string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{resp, string(got)}
}

func wantJSONRPCError(t *testing.T, r response, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Errorf("status %d, want %d", r.StatusCode, status)
	}
	if ct := r.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q, want application/json", ct)
	}
	var message struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(r.body), &message); err != nil {
		t.Fatalf("body %q: %v", r.body, err)
	}
	if message.JSONRPC != "2.0" || string(message.ID) != "null" || message.Error.Code == 0 || message.Error.Message == "" {
		t.Errorf("body %s is no JSON-RPC error with id null", r.body)
	}
}

// immediate serves ext_proc: every request body gets the same immediate answer.
func immediate(t *testing.T, status int, body string) envoy.Address {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	extprocv3.RegisterExternalProcessorServer(s, &immediateServer{status: status, body: body})
	h := health.NewServer()
	healthpb.RegisterHealthServer(s, h)
	served := make(chan error, 1)
	go func() { served <- s.Serve(lis) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return envoy.Address(lis.Addr().String())
}

type immediateServer struct {
	extprocv3.UnimplementedExternalProcessorServer
	status int
	body   string
}

func (s *immediateServer) Process(stream grpc.BidiStreamingServer[extprocv3.ProcessingRequest, extprocv3.ProcessingResponse]) error {
	for {
		req, err := stream.Recv()
		if err != nil {
			return err
		}
		answer := &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestHeaders{RequestHeaders: &extprocv3.HeadersResponse{}}}
		switch req.Request.(type) {
		case *extprocv3.ProcessingRequest_RequestBody:
			answer.Response = &extprocv3.ProcessingResponse_ImmediateResponse{ImmediateResponse: s.answer()}
		case *extprocv3.ProcessingRequest_ResponseHeaders:
			answer.Response = &extprocv3.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extprocv3.HeadersResponse{}}
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

func (s *immediateServer) answer() *extprocv3.ImmediateResponse {
	contentType := &corev3.HeaderValueOption{
		Header:       &corev3.HeaderValue{Key: "content-type", RawValue: []byte("application/json")},
		AppendAction: corev3.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD,
	}
	return &extprocv3.ImmediateResponse{
		Status:  &typev3.HttpStatus{Code: typev3.StatusCode(s.status)},
		Headers: &extprocv3.HeaderMutation{SetHeaders: []*corev3.HeaderValueOption{contentType}},
		Body:    []byte(s.body),
	}
}
