package servers

import (
	"time"
)

// Env are the variables that say which servers there are, as they stand in the
// environment.
type Env struct {
	// Upstreams is "url|token,url2": the token after the first bar is optional.
	Upstreams string
	// UpstreamURLs and UpstreamURL are lists of URLs; they count only without
	// Upstreams.
	UpstreamURLs, UpstreamURL string
	// UpstreamTokens are the tokens of UpstreamURLs by position; an empty one is
	// none.
	UpstreamTokens string
	// LitellmMasterKey is the token of URLs with "litellm" in them that have none.
	LitellmMasterKey string
	// A11yTimeout bounds a call of URLs with "a11y" in them; 0 is
	// DefaultTimeoutA11y.
	A11yTimeout time.Duration
}

// FromEnv reads the list of servers from variables. An entry that can't be
// used is skipped and a warning, which holds no token.
func FromEnv(e Env) (list []Server, warnings []string) {
	return nil, nil
}
