package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// verifier and challenge are the example of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func start(t *testing.T) string {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	h, err := newServer("http://" + web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = h
	web.Start()
	t.Cleanup(web.Close)
	return web.URL
}

// login gets a token for the scopes, as a client with a browser does.
func login(t *testing.T, origin, scope string) string {
	t.Helper()
	at := origin + "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirectURI}, "scope": {scope},
		"state": {"s"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}.Encode()
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for !strings.HasPrefix(at, redirectURI) {
		resp, err := browser.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		next, err := resp.Location()
		if err != nil {
			t.Fatalf("%s: %s", at, resp.Status)
		}
		at = next.String()
	}
	back, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	post(t, origin+"/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "client_id": {clientID},
		"redirect_uri": {redirectURI}, "code_verifier": {verifier}}, "", &token)
	return token.AccessToken
}

func post(t *testing.T, at string, form url.Values, secret string, answer any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" {
		req.SetBasicAuth(resourceID, secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
			t.Fatal(err)
		}
	}
	return resp.StatusCode
}

func TestATokenHasTheScopesItWasAskedFor(t *testing.T) {
	origin := start(t)
	for asked, want := range map[string]string{"openid mcp:read": "openid mcp:read", "openid mcp:read mcp:write": "openid mcp:read mcp:write", "openid root": "openid"} {
		var got struct {
			Active bool
			Scope  string
		}
		status := post(t, origin+"/oauth/introspect", url.Values{"token": {login(t, origin, asked)}}, resourceSecret, &got)
		if status != http.StatusOK || !got.Active || got.Scope != want {
			t.Errorf("%q: %d, %+v; want %q", asked, status, got, want)
		}
	}
}

func TestIntrospectionNeedsTheResourceServersSecret(t *testing.T) {
	origin := start(t)
	token := login(t, origin, "openid mcp:read")
	if status := post(t, origin+"/oauth/introspect", url.Values{"token": {token}}, "wrong", nil); status != http.StatusUnauthorized {
		t.Errorf("status %d with a wrong secret", status)
	}
}
