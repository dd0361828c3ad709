package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// visitor is somebody's browser at a login: it follows redirects up to the client's own address.
type visitor struct{ logins atomic.Int64 }

// opened demands a number of logins so far.
func (v *visitor) opened(n int64) error {
	if got := v.logins.Load(); got != n {
		return fmt.Errorf("%d logins, want %d", got, n)
	}
	return nil
}

// fetch implements the go-sdk's AuthorizationCodeFetcher.
func (v *visitor) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	v.logins.Add(1)
	web := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	at := args.URL
	for !strings.HasPrefix(at, oauthRedirect) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return nil, err
		}
		resp, err := web.Do(req)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		next, err := resp.Location()
		if err != nil {
			return nil, fmt.Errorf("the login stops with %s", resp.Status)
		}
		at = next.String()
	}
	back, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

// token logs in without an SDK. The verifier is the example of RFC 7636, appendix B.
func (v *visitor) token(t *testing.T, issuer, scope string) string {
	t.Helper()
	got, err := v.fetch(t.Context(), &auth.AuthorizationArgs{URL: issuer + "/authorize?" + url.Values{"response_type": {"code"},
		"client_id": {oauthClient}, "redirect_uri": {oauthRedirect}, "scope": {scope}, "state": {"s"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"}}.Encode()})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.PostForm(issuer+"/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {got.Code}, "client_id": {oauthClient},
		"redirect_uri": {oauthRedirect}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("no token: %s, %v", resp.Status, err)
	}
	return answer.Token
}
