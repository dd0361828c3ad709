package upstream

import (
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
)

func TestMetadata(t *testing.T) {
	up := upstreamtest.New(t)
	const document = `{"resource":"https://tools.example.test/mcp/all"}`
	up.SetMetadata(document)
	c := newClient(t, nil)
	target := Target{URL: up.URL(), Authority: "tools.example.test"}
	for _, address := range []string{up.Origin() + "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"} {
		got, err := c.Metadata(t.Context(), target, address)
		if err != nil || string(got) != document {
			t.Errorf("metadata = %s, %v", got, err)
		}
	}
	for _, r := range up.Requests() {
		if r.Host != "tools.example.test" || r.Header.Get("Authorization") != "" || r.HTTPMethod != "GET" {
			t.Errorf("the request had the wrong host, method or credentials")
		}
	}
}

func TestMetadataStaysOnItsOrigin(t *testing.T) {
	up, other := upstreamtest.New(t), upstreamtest.New(t)
	other.SetMetadata(`{}`)
	c := newClient(t, nil)
	for _, address := range []string{other.Origin() + "/.well-known/x", strings.Replace(up.Origin(), "http:", "https:", 1) + "/.well-known/x",
		"//" + strings.TrimPrefix(other.Origin(), "http://") + "/.well-known/x", strings.Replace(up.Origin(), "http://", "http://u:s3cret@", 1) + "/.well-known/x"} {
		_, err := c.Metadata(t.Context(), Target{URL: up.URL()}, address)
		mustKind(t, err, Refused)
	}
	if len(other.Requests()) != 0 {
		t.Errorf("another origin was asked")
	}
	_, err := c.Metadata(t.Context(), Target{URL: up.URL()}, "http://[::1/s3cret")
	mustKind(t, err, Garbage)
}

func TestMetadataFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		document string
		fault    upstreamtest.Fault
		kind     Kind
	}{
		"no document":            {"", upstreamtest.Fault{}, BadStatus},
		"a list":                 {"[]", upstreamtest.Fault{}, Garbage},
		"broken JSON":            {`{"a":`, upstreamtest.Fault{}, Garbage},
		"a web page":             {"", upstreamtest.Fault{Kind: upstreamtest.HTML}, Garbage},
		"more than 64 KiB":       {`{"a":"` + strings.Repeat("x", 64<<10) + `"}`, upstreamtest.Fault{}, TooLarge},
		"a redirect":             {"", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 302}, BadStatus},
		"a connection that ends": {"", upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t)
			up.SetMetadata(tc.document)
			if tc.fault.Kind != 0 {
				up.Fail("", tc.fault)
			}
			_, err := newClient(t, nil).Metadata(t.Context(), Target{URL: up.URL()}, "/.well-known/x")
			mustKind(t, err, tc.kind)
		})
	}
}
