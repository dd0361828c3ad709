// Command authserver is a real OAuth 2.0 authorization server for the tests: the OpenID provider of
// github.com/zitadel/oidc, with tokens in memory. It has a module of its own, because nothing else needs that library.
//
//	authserver -listen 127.0.0.1:9000
//
// Whoever opens its login page is logged in at once, as somebody whose browser has a session is; all else (discovery,
// PKCE, codes, tokens, introspection) is the library's.
//
// Invariants:
//
//  1. A token carries the scopes that were asked for and are known here, and no others (TestATokenHasTheScopesItWasAskedFor).
//  2. Introspection is for the resource server alone (TestIntrospectionNeedsTheResourceServersSecret).
package main
