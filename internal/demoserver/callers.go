package demoserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// requireToken lets in callers with one of the configured bearer tokens.
func (d *demo) requireToken(next http.Handler) http.Handler {
	if len(d.options.Tokens) == 0 {
		return next
	}
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		n := slices.Index(d.options.Tokens, token)
		if n < 0 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: fmt.Sprintf("caller-%d", n), Expiration: time.Now().Add(time.Hour)}, nil
	}
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: d.options.ResourceMetadataURL})(next)
}

// hide keeps tools that are not visible to the caller out of its lists, and
// answers their calls as if they weren't there.
func (d *demo) hide(next mcp.MethodHandler) mcp.MethodHandler {
	if d.options.Visible == nil {
		return next
	}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		token := tokenOf(req)
		if call, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && !d.options.Visible(token, call.Name) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", call.Name)}
		}
		result, err := next(ctx, method, req)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = slices.DeleteFunc(list.Tools, func(tool *mcp.Tool) bool { return !d.options.Visible(token, tool.Name) })
		}
		return result, err
	}
}

func tokenOf(req mcp.Request) string {
	extra := req.GetExtra()
	if extra == nil {
		return ""
	}
	scheme, token, _ := strings.Cut(extra.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}
