package sidecar

import (
	"net/http"
	"testing"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

func TestParamHeadersOfAMetaCall(t *testing.T) {
	tool := &catalog.Tool{Name: "deploy", ParamHeaders: []wire.ParamHeader{{Name: "Region", Path: []string{"region"}, Type: "string"}}}
	with := checked{tool: tool, headers: http.Header{"Mcp-Param-Region": {"eu-1"}}}
	encoded := checked{tool: tool, headers: http.Header{"Mcp-Param-Region": {wire.EncodeValue("ąžuolas")}}}
	without := checked{tool: tool, headers: http.Header{}}
	tests := map[string]struct {
		call   checked
		era    wire.Era
		header http.Header
		refuse bool
	}{
		"a missing header is added, not refused":                 {with, wire.Modern, nil, false},
		"an equal header passes":                                 {with, wire.Modern, http.Header{"Mcp-Param-Region": {" eu-1 "}}, false},
		"an equal header in Base64 passes":                       {with, wire.Modern, http.Header{"Mcp-Param-Region": {"=?base64?ZXUtMQ==?="}}, false},
		"an equal header beyond ASCII passes":                    {encoded, wire.Modern, http.Header{"Mcp-Param-Region": {wire.EncodeValue("ąžuolas")}}, false},
		"a header that differs is refused":                       {with, wire.Modern, http.Header{"Mcp-Param-Region": {"us-1"}}, true},
		"a header that differs in case is refused":               {with, wire.Modern, http.Header{"Mcp-Param-Region": {"EU-1"}}, true},
		"a header that is malformed Base64 is refused":           {with, wire.Modern, http.Header{"Mcp-Param-Region": {"=?base64?*?="}}, true},
		"a header that is there twice is refused":                {with, wire.Modern, http.Header{"Mcp-Param-Region": {"eu-1", "eu-1"}}, true},
		"a header in two spellings is refused":                   {with, wire.Modern, http.Header{"Mcp-Param-Region": {"eu-1"}, "mcp-param-region": {"us-1"}}, true},
		"a header for an argument that isn't there is refused":   {without, wire.Modern, http.Header{"Mcp-Param-Region": {"eu-1"}}, true},
		"an empty header for an absent argument is refused":      {without, wire.Modern, http.Header{"Mcp-Param-Region": {""}}, true},
		"a header that the tool doesn't declare decides nothing": {with, wire.Modern, http.Header{"Mcp-Param-Zone": {"x"}}, false},
		"in the legacy eras the header decides nothing":          {with, wire.Legacy, http.Header{"Mcp-Param-Region": {"us-1"}}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fault := contradiction(&turn{era: tt.era, req: Request{Header: tt.header}}, tt.call)
			if (fault != nil) != tt.refuse {
				t.Errorf("fault %v, refuse %t", fault, tt.refuse)
			}
			if fault != nil && (fault.Code != wire.CodeHeaderMismatch || fault.Status != http.StatusBadRequest) {
				t.Errorf("fault %d, status %d", fault.Code, fault.Status)
			}
		})
	}
}
