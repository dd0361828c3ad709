package sidecar

import (
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

const paramPrefix = "Mcp-Param-"

// contradiction refuses a modern meta-call whose own Mcp-Param-* headers say something else than the checked arguments
// (spec 2026-07-28 basic/transports/streamable-http: a server must compare them). Such headers are not expected, since
// the five tools declare none, and a missing one is added; but one that differs means that whoever routed by it and we
// don't look at the same call. Headers that the tool doesn't declare are dropped, as everywhere.
func contradiction(t *turn, c checked) *wire.Fault {
	if t.era != wire.Modern {
		return nil
	}
	for _, p := range c.tool.ParamHeaders {
		sent := valuesOf(t.req.Header, paramPrefix+p.Name)
		if len(sent) == 0 {
			continue
		}
		want, _ := wire.DecodeValue(c.headers.Get(paramPrefix + p.Name))
		got, ok := wire.DecodeValue(strings.Trim(sent[0], " \t"))
		if len(sent) > 1 || !ok || got != want || c.headers.Get(paramPrefix+p.Name) == "" {
			return &wire.Fault{Code: wire.CodeHeaderMismatch, Status: http.StatusBadRequest, Reason: "param_header_mismatch",
				Message: "an Mcp-Param header does not match the call's arguments: send the argument's value once, or leave the header out"}
		}
	}
	return nil
}

// valuesOf collects a header's values under every case of its name.
func valuesOf(h http.Header, name string) []string {
	var values []string
	for key, v := range h {
		if strings.EqualFold(key, name) {
			values = append(values, v...)
		}
	}
	return values
}
