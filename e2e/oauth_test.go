package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// What e2e/authserver knows.
const (
	oauthClient   = "toolsearch-client"
	oauthRedirect = "http://127.0.0.1/callback"
	readScope     = "mcp:read"
	writeScope    = "mcp:write"
)

// loginSteps are what each client must play: a login when it connects, a call with what that gave, and a call that
// needs more rights and so another login (spec 2026-07-28 basic/authorization, step-up).
func loginSteps() []string { return []string{"login", "read", "write after another login"} }

// TestClientsLogIn lets the SDKs' clients log in at a real authorization server through the search route, by the HTTP
// door and through Envoy. A token without rights gets the server's 403 challenge, and with it the client gets more.
func TestClientsLogIn(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	issuer := authorizationServer(t)
	for door, open := range map[string]func(*testing.T, envoy.Address) string{
		"HTTP": func(t *testing.T, up envoy.Address) string { return e2e.Alone(t, program, up, "/mcp") + "/mcp/search" },
		"HTTP, one server": func(t *testing.T, up envoy.Address) string {
			return e2e.Merge(t, program, map[string]e2e.Server{"one": {URL: "http://" + string(up) + "/mcp", Auth: "caller"}}).Origin + "/mcp"
		},
		"HTTP, two servers": func(t *testing.T, up envoy.Address) string {
			other := upstreamtest.New(t, toolOf("zebra_count", "Count the zebras.", true))
			return e2e.Merge(t, program, map[string]e2e.Server{"one": {URL: "http://" + string(up) + "/mcp", Auth: "caller"}, "zoo": {URL: other.URL()}}).Origin + "/mcp"
		},
		"Envoy": func(t *testing.T, up envoy.Address) string {
			return e2e.Start(t, e2e.Options{Program: program, Envoy: fixtures.Envoys(t)[0], Pairs: []envoy.Pair{
				{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: up, Rewrite: "/mcp"}}}).URL("/mcp/search")
		},
	} {
		for name, play := range loginClients() {
			t.Run(door+"/"+name, func(t *testing.T) {
				server := featureserver.New(false)
				up := protect(t, issuer, server.Handler)
				var played []string
				for _, s := range play(t, open(t, up.address)) {
					played = append(played, s.Step)
					if !s.OK {
						t.Errorf("%s: %s", s.Step, s.Detail)
					}
				}
				if diff := cmp.Diff(loginSteps(), played); diff != "" {
					t.Errorf("the client did not play every step (-want +played)\n%s", diff)
				}
				if n := up.forbidden.Load(); n == 0 {
					t.Error("the server never refused for want of rights")
				}
				if len(server.Notes()) != 2 {
					t.Errorf("notes %q", server.Notes())
				}
			})
		}
		t.Run(door+"/the challenges as they are", func(t *testing.T) {
			challenged(t, issuer, open(t, protect(t, issuer, featureserver.New(false).Handler).address))
		})
	}
}

// challenged looks at the answers themselves: without a token, and with one that has too few rights.
func challenged(t *testing.T, issuer, search string) {
	t.Helper()
	origin, path, _ := strings.Cut(strings.TrimPrefix(search, "http://"), "/")
	metadata := `resource_metadata="http://` + origin + `/.well-known/oauth-protected-resource/` + path + `"`
	r := ask(t, question{url: search, era: wire.Modern, body: callBody(sidecar.SearchTools, object{"query": "notes"})})
	if got := r.header.Get("Www-Authenticate"); r.status != http.StatusUnauthorized || !strings.Contains(got, metadata) {
		t.Errorf("without a token: %d %q, want 401 with %s", r.status, got, metadata)
	}
	browser := &visitor{}
	token := browser.token(t, issuer, "openid "+readScope)
	r = ask(t, question{url: search, era: wire.Modern, token: token, body: callBody(sidecar.CallReadTool, object{"name": "notes_list"})})
	if r.status != http.StatusOK || !strings.Contains(r.text, "buy milk") {
		t.Errorf("with the right to read: %d %.300s", r.status, r.body)
	}
	r = ask(t, question{url: search, era: wire.Modern, token: token, body: callBody(sidecar.CallWriteTool, object{"name": "notes_add", "arguments": object{"text": "x"}})})
	got := r.header.Get("Www-Authenticate")
	for _, want := range []string{metadata, `error="insufficient_scope"`, writeScope} {
		if !strings.Contains(got, want) {
			t.Errorf("without the right to write the challenge is %q, want %s in it", got, want)
		}
	}
	if r.status != http.StatusForbidden {
		t.Errorf("without the right to write: %d %.300s, want 403", r.status, r.body)
	}
}

// authorizationServer starts e2e/authserver and returns its issuer.
func authorizationServer(t *testing.T) string {
	t.Helper()
	address := e2e.FreeAddress(t)
	e2e.Run(t, programs.Build(t, e2e.AuthServer), "-listen", address)
	e2e.Until(t, "the authorization server answers", func() bool {
		resp, err := http.Get("http://" + address + "/.well-known/openid-configuration")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	return "http://" + address
}

// protected is a resource server (RFC 6750, RFC 9728): it asks the authorization server about each token.
type protected struct {
	address   envoy.Address
	issuer    string
	forbidden atomic.Int64
}

// protect puts tokens in front of a server: mcp:read for everything, mcp:write too for a call of notes_add.
func protect(t *testing.T, issuer string, next http.Handler) *protected {
	p := &protected{issuer: issuer}
	var metadata string
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/", func(w http.ResponseWriter, r *http.Request) {
		auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{Resource: "http://" + r.Host + "/mcp",
			AuthorizationServers: []string{issuer}, ScopesSupported: []string{"openid", readScope}}).ServeHTTP(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		auth.RequireBearerToken(p.introspect, &auth.RequireBearerTokenOptions{ResourceMetadataURL: metadata, Scopes: []string{readScope}})(p.writes(metadata, next)).ServeHTTP(w, r)
	})
	p.address = e2e.Serve(t, mux)
	metadata = "http://" + string(p.address) + "/.well-known/oauth-protected-resource/mcp"
	return p
}

// writes refuses a write with a token that has no right to it.
func (p *protected) writes(metadata string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		granted := auth.TokenInfoFromContext(r.Context()).Scopes
		if strings.Contains(string(body), `"notes_add"`) && !slices.Contains(granted, writeScope) {
			p.forbidden.Add(1)
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="openid %s %s", resource_metadata=%q`, readScope, writeScope, metadata))
			http.Error(w, "insufficient scope", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// introspect asks about a token (RFC 7662).
func (p *protected) introspect(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.issuer+"/oauth/introspect", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth("toolsearch-resource", "resource-secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var told struct {
		Active bool
		Scope  string
		Exp    int64
		Sub    string
	}
	if err := json.NewDecoder(resp.Body).Decode(&told); err != nil {
		return nil, err
	}
	if !told.Active {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{Scopes: strings.Fields(told.Scope), Expiration: time.Unix(told.Exp, 0), UserID: told.Sub}, nil
}

func loginClients() map[string]func(*testing.T, string) []step {
	return map[string]func(*testing.T, string) []step{
		"go": goLogin,
		"python": func(t *testing.T, search string) []step {
			script := filepath.Join(clientFolder(t, "python"), "login.py")
			return runClient(t, child.Spec{Path: fixtures.Python(t), Args: []string{script, search, oauthClient, oauthRedirect},
				Env: []string{"PYTHONPATH=" + fixtures.PythonPath(t), "PYTHONDONTWRITEBYTECODE=1"}})
		},
		"typescript": func(t *testing.T, search string) []step {
			return runClient(t, child.Spec{Path: fixtures.Node(t), Args: []string{filepath.Join(nodeScripts(t), "login.mjs"), search, oauthClient, oauthRedirect}})
		},
	}
}

// goLogin plays the steps with the go-sdk.
func goLogin(t *testing.T, search string) []step {
	browser := &visitor{}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{RedirectURL: oauthRedirect,
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: oauthClient}, AuthorizationCodeFetcher: browser.fetch})
	if err != nil {
		t.Fatal(err)
	}
	p := &player{ctx: t.Context()}
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-login", Version: "1"}, nil)
	p.step("login", func() (err error) {
		p.session, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: search, OAuthHandler: handler},
			&mcp.ClientSessionOptions{ProtocolVersion: featureserver.Modern})
		return errors.Join(err, browser.opened(1))
	})
	if p.session == nil {
		return p.steps
	}
	defer p.session.Close()
	p.step("read", func() error {
		err := wants{has: []string{"buy milk"}}.check(p.call(p.ctx, sidecar.CallReadTool, e2e.Item{Name: "notes_list"}, nil))
		return errors.Join(err, browser.opened(1))
	})
	p.step("write after another login", func() error {
		item := e2e.Item{Name: "notes_add", Arguments: object{"text": "by go"}}
		err := wants{has: []string{"noted: by go"}}.check(p.call(p.ctx, sidecar.CallWriteTool, item, nil))
		return errors.Join(err, browser.opened(2))
	})
	return p.steps
}
