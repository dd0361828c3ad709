package wire

import (
	"net/http"
	"strings"
)

// Era is the protocol family of one request; it is decided per request, by
// its MCP-Protocol-Version header (spec 2026-07-28, basic/versioning).
type Era int

const (
	// Legacy covers the initialize-based versions 2025-11-25, 2025-06-18 and
	// 2025-03-26.
	Legacy Era = iota
	// Modern covers 2026-07-28 and later: stateless, self-describing requests.
	Modern
)

// ModernVersion is the first protocol version of the modern era. Versions are
// dates, so later ones compare greater as text.
const ModernVersion = "2026-07-28"

const (
	versionHeader = "MCP-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
	paramPrefix   = "Mcp-Param-"
)

// String returns "legacy" or "modern", for logs and metrics.
func (e Era) String() string {
	if e == Modern {
		return "modern"
	}
	return "legacy"
}

// EraOf reads MCP-Protocol-Version. An absent header is Legacy with version ""
// (it means 2025-03-26: spec 2026-07-28 streamable-http, "Protocol Version
// Header"). A header that is repeated, holds a list, or is spelled with
// underscores is refused (400, -32020), because two readers behind us could
// take two different eras from it.
func EraOf(h http.Header) (era Era, version string, fault *Fault) {
	version, _, fault = single(h, versionHeader)
	if fault != nil {
		return Legacy, "", fault
	}
	if strings.ContainsRune(version, ',') {
		return Legacy, "", repeated(versionHeader)
	}
	if isModern(version) {
		return Modern, version, nil
	}
	return Legacy, version, nil
}

func isModern(version string) bool { return version >= ModernVersion }

// CheckEra refuses (400, -32020) a message whose _meta names a modern version
// under a legacy or absent MCP-Protocol-Version: some servers read it as modern
// and others as legacy, so whatever was checked here might not be what runs.
// Modern messages are CheckHeaders' to check.
func CheckEra(era Era, m *Message) *Fault {
	if era == Modern {
		return nil
	}
	if m.Meta.Modern() {
		fault := differs(versionHeader, "_meta's "+versionKey)
		fault.ID = m.ID
		return fault
	}
	for i := range m.Elements {
		if fault := CheckEra(era, &m.Elements[i]); fault != nil {
			fault.ID = nil
			return fault
		}
	}
	return nil
}
