package extproc_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/upstream"
)

const (
	directCall  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files_read","arguments":{"path":"/a"}}}`
	wrappedCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"files_read","arguments":{"path":"/a"}}}}`
	listTools   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	filesRead   = `{"name":"files_read","description":"Reads a file.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`
)

// BenchmarkTheCostOfTheDoor measures one call through Envoy directly, through an ext_proc server that does nothing in
// the same modes, and re-issued by the sidecar; and tools/list, answered by the upstream and by the sidecar. The four
// ways are taken in turn, so that they share the machine's noise; ratios of the medians are what counts.
func BenchmarkTheCostOfTheDoor(b *testing.B) {
	binary := fixtures.Envoy(b, fixtures.Envoys(b)[0])
	up := upstreamtest.New(b, filesRead)
	up.Configure(func(how *upstreamtest.Behaviour) { how.Stateless = true })
	ours := startEnvoy(b, binary, serveSidecar(b, up), up, nil)
	idle := startEnvoy(b, binary, serveIdle(b), up, func(config string) string {
		return strings.Replace(config, "direct_response: { status: 503 }", "route: { cluster: mcp_0, timeout: 0s, prefix_rewrite: /mcp }", 1)
	})
	ways := []struct {
		name, url, body string
		took            []time.Duration
	}{
		{name: "call-direct", url: ours.URL("/mcp/all"), body: directCall},
		{name: "call-idle-ext_proc", url: idle.URL("/mcp/search"), body: directCall},
		{name: "call-sidecar", url: ours.URL("/mcp/search"), body: wrappedCall},
		{name: "list-direct", url: ours.URL("/mcp/all"), body: listTools},
		{name: "list-sidecar", url: ours.URL("/mcp/search"), body: listTools},
	}
	for range 50 { // connections, catalog
		for i := range ways {
			roundTrip(b, ways[i].url, ways[i].body)
		}
	}
	for b.Loop() {
		for i := range ways {
			ways[i].took = append(ways[i].took, roundTrip(b, ways[i].url, ways[i].body))
		}
	}
	for i := range ways {
		slices.Sort(ways[i].took)
		p50 := ways[i].took[len(ways[i].took)/2]
		base := ways[0].took[len(ways[0].took)/2]
		b.ReportMetric(float64(p50.Microseconds()), ways[i].name+"-p50-us")
		b.ReportMetric(float64(p50)/float64(base), ways[i].name+"/direct")
	}
}

func roundTrip(b *testing.B, url, body string) time.Duration {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	start := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	took := time.Since(start)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"result"`) || strings.Contains(string(text), `"isError":true`) {
		b.Fatalf("%d %s %v", resp.StatusCode, text, err)
	}
	return took
}

func startEnvoy(b *testing.B, binary string, door envoy.Address, up *upstreamtest.Server, change func(string) string) *envoy.Envoy {
	b.Helper()
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar = "127.0.0.1:0", 0, door
	c.Pairs[0].Upstream = envoy.Address(strings.TrimPrefix(up.Origin(), "http://"))
	rendered, err := envoy.Render(c)
	if err != nil {
		b.Fatal(err)
	}
	if change != nil {
		rendered = []byte(change(string(rendered)))
	}
	e, err := envoy.Start(b.Context(), binary, rendered)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	return e
}

// serveSidecar serves the whole sidecar. It lists straight from the upstream: its Envoy isn't there yet.
func serveSidecar(b *testing.B, up *upstreamtest.Server) envoy.Address {
	b.Helper()
	gateway := httptest.NewServer(up)
	b.Cleanup(gateway.Close)
	identifier, err := caller.NewIdentifier(nil)
	if err != nil {
		b.Fatal(err)
	}
	client := upstream.New(upstream.Options{Version: "bench"})
	m := metrics.New("bench", func() catalog.Stats { return catalog.Stats{} })
	store := catalog.NewStore(catalog.Options{Lister: client, Observer: m, MetaTools: sidecar.MetaToolNames()})
	b.Cleanup(store.Close)
	engine := sidecar.New(sidecar.Options{Routes: []sidecar.Route{{Search: "/mcp/search", Aggregate: "/mcp/all"}}, Upstream: gateway.URL,
		Identifier: identifier, Catalogs: store, Upstreams: client, Observer: m})
	l, err := extproc.Listen(b.Context(), extproc.New(extproc.Options{Engine: engine, Observer: m, Logger: slog.New(slog.DiscardHandler)}), extproc.Place{Address: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	l.SetServing(true)
	b.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		l.Shutdown(ended, 0)
	})
	return envoy.Address(l.Addr().String())
}

// idleServer answers every message with nothing to do.
type idleServer struct {
	extprocv3.UnimplementedExternalProcessorServer
}

func (idleServer) Process(s extprocv3.ExternalProcessor_ProcessServer) error {
	for {
		m, err := s.Recv()
		if err != nil {
			return err
		}
		r := headersOf(m)
		if err := s.Send(r); err != nil {
			return err
		}
	}
}

func headersOf(m *extprocv3.ProcessingRequest) *extprocv3.ProcessingResponse {
	switch m.Request.(type) {
	case *extprocv3.ProcessingRequest_RequestHeaders:
		return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestHeaders{RequestHeaders: &extprocv3.HeadersResponse{}}}
	case *extprocv3.ProcessingRequest_RequestBody:
		return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestBody{RequestBody: &extprocv3.BodyResponse{}}}
	}
	return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extprocv3.HeadersResponse{}}}
}

func serveIdle(b *testing.B) envoy.Address {
	b.Helper()
	door := httptest.NewUnstartedServer(nil)
	server := grpc.NewServer()
	extprocv3.RegisterExternalProcessorServer(server, idleServer{})
	healthv1.RegisterHealthServer(server, health.NewServer())
	served := make(chan error, 1)
	go func() { served <- server.Serve(door.Listener) }()
	b.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			b.Error(err)
		}
	})
	return envoy.Address(fmt.Sprint(door.Listener.Addr()))
}
