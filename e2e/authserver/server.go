package main

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Who is known here. The client is public (PKCE, no secret), as programs on people's machines are.
const (
	clientID       = "toolsearch-client"
	redirectURI    = "http://127.0.0.1/callback"
	resourceID     = "toolsearch-resource"
	resourceSecret = "resource-secret"
	user, password = "test-user2", "verysecure" // of the library's store
)

// scopes are those of the protected server.
func scopes() []string { return []string{"mcp:read", "mcp:write"} }

// newServer makes the provider with its login page.
func newServer(issuer string) (http.Handler, error) {
	users := storage.NewUserStore(issuer)
	kept := &store{Storage: storage.NewStorageWithClients(users, map[string]*storage.Client{
		resourceID: storage.WebClient(resourceID, resourceSecret, issuer+"/unused"),
		clientID:   storage.NativeClient(clientID, redirectURI),
	})}
	c := &op.Config{CodeMethodS256: true, GrantTypeRefreshToken: true, SupportedScopes: append([]string{oidc.ScopeOpenID}, scopes()...)}
	if _, err := rand.Read(c.CryptoKey[:]); err != nil {
		return nil, err
	}
	c.CryptoKeyId = "key"
	provider, err := op.NewProvider(c, kept, op.StaticIssuer(issuer), op.WithAllowInsecure()) // plain HTTP on loopback
	if err != nil {
		return nil, err
	}
	interceptor := op.NewIssuerInterceptor(provider.IssuerFromRequest)
	callback := op.AuthCallbackURL(provider)
	mux := http.NewServeMux()
	mux.Handle("/", provider)
	mux.Handle("GET /login/username", interceptor.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("authRequestID") // the library's clients name it so
		if err := kept.CheckUsernamePassword(user, password, id); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, callback(r.Context(), id), http.StatusFound)
	}))
	return mux, nil
}

// store is the library's store with our scopes.
type store struct{ *storage.Storage }

// GetClientByClientID implements [op.Storage].
func (s *store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{c}, nil
}

// SetIntrospectionFromToken implements [op.Storage]: the tokens are the client's, and the resource server asks.
func (s *store) SetIntrospectionFromToken(ctx context.Context, answer *oidc.IntrospectionResponse, token, subject, asks string) error {
	if asks != resourceID {
		return oidc.ErrAccessDenied()
	}
	return s.Storage.SetIntrospectionFromToken(ctx, answer, token, subject, clientID)
}

// client lets the scopes of the protected server be asked for.
type client struct{ op.Client }

// IsScopeAllowed implements [op.Client].
func (client) IsScopeAllowed(scope string) bool {
	for _, known := range scopes() {
		if scope == known {
			return true
		}
	}
	return false
}
