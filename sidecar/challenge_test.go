package sidecar_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

const ownMetadata = `"http://tools.example/.well-known/oauth-protected-resource/mcp/search"`

func TestAChallengePointsToTheSearchRoute(t *testing.T) {
	d := open(t, nil, office()...)
	tests := map[string]struct{ challenge, want string }{
		"quoted":                {`Bearer realm="x", resource_metadata="http://up/.well-known/oauth-protected-resource/mcp/all", scope="a b"`, `Bearer realm="x", resource_metadata=` + ownMetadata + `, scope="a b"`},
		"a token":               {`Bearer resource_metadata=http://up/x, error="invalid_token"`, `Bearer resource_metadata=` + ownMetadata + `, error="invalid_token"`},
		"spaces and capitals":   {`Bearer Resource_Metadata = "http://up/x"`, `Bearer Resource_Metadata = ` + ownMetadata},
		"an escaped quote":      {`Bearer resource_metadata="http://up/\"x", a=b`, `Bearer resource_metadata=` + ownMetadata + `, a=b`},
		"none to point":         {`Bearer error="insufficient_scope", scope="files:read"`, `Bearer error="insufficient_scope", scope="files:read"`},
		"another scheme":        {`Basic realm="x"`, `Basic realm="x"`},
		"a longer parameter":    {`Bearer x_resource_metadata="y"`, `Bearer x_resource_metadata="y"`},
		"inside another's text": {`Bearer error_description="set resource_metadata=http://up/x please"`, `Bearer error_description="set resource_metadata=http://up/x please"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
				decision := decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{}`))
				h := d.Engine.AnswerHeader(&decision, request(t, wire.Modern, list), status, http.Header{"Www-Authenticate": {tt.challenge, "Basic"}})
				if got := h.Values("Www-Authenticate"); len(got) != 2 || got[0] != tt.want || got[1] != "Basic" {
					t.Errorf("HTTP %d: %q, want %q", status, got, tt.want)
				}
			}
		})
	}
	decision := decide(t, d, wire.Modern, inner("call_read_tool", "mail_find", `{}`))
	if h := d.Engine.AnswerHeader(&decision, request(t, wire.Modern, list), http.StatusOK, http.Header{"Www-Authenticate": {"Basic"}}); len(h) != 0 {
		t.Errorf("a good answer's headers change: %v", h)
	}
}

func TestARefusedListingReachesTheClientAsAChallenge(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		d := open(t, nil, office()...)
		d.Upstream.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: status, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://up/x"`}}})
		bothEras(t, func(t *testing.T, era wire.Era) {
			for _, body := range []string{call("search_tools", `{"query":"x"}`), call("describe_tools", `{"names":["x"]}`), inner("call_write_tool", "x", `{}`), calls(`{"name":"x"}`), call("x", `{}`)} {
				got := decide(t, d, era, body)
				a := read(t, got)
				if got.Status != status || a.Error == nil || string(a.ID) != "1" || got.Header.Get("Www-Authenticate") != "Bearer resource_metadata="+ownMetadata {
					t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
				}
			}
		})
		if l := d.Seen.Last(); l.Reason != "authorization" {
			t.Errorf("labels %+v", l)
		}
	}
}

// TestARefusedTokenEndsTheCatalog: what was found with a token must not outlive it.
func TestARefusedTokenEndsTheCatalog(t *testing.T) {
	d := open(t, nil, office()...)
	said(t, decide(t, d, wire.Modern, call("search_tools", `{"query":"mail"}`)), false)
	decision := decide(t, d, wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	d.Engine.AnswerHeader(&decision, request(t, wire.Modern, list), http.StatusUnauthorized, http.Header{})
	d.Upstream.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusUnauthorized})
	if got := decide(t, d, wire.Modern, call("search_tools", `{"query":"mail"}`)); got.Status != http.StatusUnauthorized {
		t.Errorf("the old catalog still answers: %s", got.Body)
	}
}

// TestARefusedItemOfABatchEndsTheCatalog: also one that is told beside others that were answered.
func TestARefusedItemOfABatchEndsTheCatalog(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		d := open(t, nil, office()...)
		d.Upstream.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
		d.Upstream.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusForbidden, Times: 1})
		text := said(t, decide(t, d, era, calls(`{"name":"mail_find"},{"name":"nosuch_thing"}`)), true)
		mustSay(t, text, "[1] mail_find: error", "[2] nosuch_thing: refused")
		d.Upstream.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusUnauthorized})
		for _, other := range []wire.Era{era, 1 - era} {
			if got := decide(t, d, other, call("search_tools", `{"query":"mail"}`)); got.Status != http.StatusUnauthorized {
				t.Errorf("%v: the old catalog still answers: %s", other, got.Body)
			}
		}
	})
}

// TestAFaultIsNotTakenForNoMetadata: 404 would tell the client that no login is needed.
func TestAFaultIsNotTakenForNoMetadata(t *testing.T) {
	for status, want := range map[int]int{401: 503, 404: 404, 405: 404, 410: 404, 429: 503, 500: 503, 503: 503} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		d := open(t, func(s *testdoor.Setup) { s.Engine.Upstream = web.URL })
		req := sidecar.Request{Method: http.MethodGet, Path: "/.well-known/oauth-protected-resource" + testdoor.SearchPath, Authority: testdoor.Host}
		got, _ := d.Engine.DecideHeaders(t.Context(), req, false)
		web.Close()
		if got.Status != want {
			t.Errorf("an upstream that answers %d gives %d %s, want %d", status, got.Status, got.Body, want)
		}
	}
}

func TestProtectedResourceMetadata(t *testing.T) {
	const own = "/.well-known/oauth-protected-resource" + testdoor.SearchPath
	document := `{ "resource":"http://up/mcp/all", "authorization_servers":["https://login.example"], "x":1.0 }`
	https := func(r *sidecar.Request) { r.Scheme = "https" }
	tests := map[string]struct {
		path, method, document, public string
		change                         func(*sidecar.Request)
		status                         int
		body                           string
	}{
		"the aggregate's, with our resource": {own, http.MethodGet, document, "", nil, 200, strings.Replace(document, "http://up/mcp/all", "http://tools.example/mcp/search", 1)},
		"as the client came":                 {own + "?x", http.MethodGet, document, "", https, 200, strings.Replace(document, "http://up/mcp/all", "https://tools.example/mcp/search", 1)},
		"as the operator says":               {own, http.MethodGet, document, "https://public.example/", nil, 200, strings.Replace(document, "http://up/mcp/all", "https://public.example/mcp/search", 1)},
		"a document without a resource":      {own, http.MethodGet, `{"a":1}`, "", nil, 200, `{"a":1,"resource":"http://tools.example/mcp/search"}`},
		"none at the aggregate":              {own, http.MethodGet, "", "", nil, 404, "no_metadata"},
		"a document that is none":            {own, http.MethodGet, `[1]`, "", nil, 503, "metadata_unavailable"},
		"of a path that is not ours":         {own + "x", http.MethodGet, document, "", nil, 404, "no_metadata"},
		"of no path":                         {"/.well-known/oauth-protected-resource", http.MethodGet, document, "", nil, 404, "no_metadata"},
		"by POST":                            {own, http.MethodPost, document, "", nil, 405, "metadata_method"},
		"asked for by a browser first":       {own, http.MethodOptions, document, "", nil, 204, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(s *testdoor.Setup) { s.Engine.PublicURL = tt.public })
			d.Upstream.SetMetadata(tt.document)
			req := sidecar.Request{Method: tt.method, Path: tt.path, Authority: testdoor.Host, Header: http.Header{"Authorization": {"Bearer one"}}}
			if tt.change != nil {
				tt.change(&req)
			}
			got, ok := d.Engine.DecideHeaders(t.Context(), req, tt.method == http.MethodPost)
			if !ok || got.Kind != sidecar.Answer || got.Status != tt.status || !strings.Contains(string(got.Body), tt.body) {
				t.Errorf("%t %s %d %s, want %d %s", ok, got.Kind, got.Status, got.Body, tt.status, tt.body)
			}
			if tt.status == 200 && (string(got.Body) != tt.body || got.Header.Get("Access-Control-Allow-Origin") != "*") {
				t.Errorf("%s %v, want %s", got.Body, got.Header, tt.body)
			}
			for _, r := range d.Upstream.Requests() {
				if r.Header.Get("Authorization") != "" || r.HTTPMethod != http.MethodGet {
					t.Errorf("the upstream got %s %v", r.HTTPMethod, r.Header)
				}
			}
		})
	}
}

func TestMetadataOfAnUpstreamThatIsDownIsNotCalledMissing(t *testing.T) {
	d := open(t, nil)
	d.Upstream.Close()
	got, _ := d.Engine.DecideHeaders(t.Context(), sidecar.Request{Method: http.MethodGet, Path: "/.well-known/oauth-protected-resource/mcp/search", Authority: testdoor.Host}, false)
	if got.Status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
