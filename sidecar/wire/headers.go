package wire

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// CheckHeaders compares the routing headers of a modern request with its body
// (spec 2026-07-28 streamable-http, "Server Validation" and basic/index). A
// header that is absent, repeated, malformed or different is 400, -32020; a
// missing or mistyped required member of _meta is 400, -32602; headers come
// first. Header values are compared case-sensitively without the white space
// around them, names after Base64 decoding.
//
// Notifications need MCP-Protocol-Version only ("header requirements for
// notification POSTs are not defined by this revision"), but what they send
// must be true. Responses are checked for repetition. The modern era has no
// batches.
func CheckHeaders(h http.Header, m *Message) *Fault {
	fault := checkHeaders(h, m)
	if fault != nil {
		fault.ID = m.ID
	}
	return fault
}

func checkHeaders(h http.Header, m *Message) *Fault {
	version, hasVersion, fault := single(h, versionHeader)
	if fault != nil {
		return fault
	}
	method, hasMethod, fault := single(h, methodHeader)
	if fault != nil {
		return fault
	}
	name, hasName, fault := single(h, nameHeader)
	if fault != nil {
		return fault
	}
	if m.Kind == Batch {
		return invalid("batch", "batches ended with protocol version 2025-03-26: send one message a request")
	}
	if !hasVersion {
		return absent(versionHeader)
	}
	if m.Meta.ProtocolVersion != "" && version != m.Meta.ProtocolVersion {
		return differs(versionHeader, "_meta's "+versionKey)
	}
	if m.Kind == Response {
		return nil
	}
	if !hasMethod && m.Kind == Request {
		return absent(methodHeader)
	}
	if hasMethod && method != m.Method {
		return differs(methodHeader, "method")
	}
	if fault := checkName(name, hasName, m); fault != nil {
		return fault
	}
	return checkMeta(m)
}

// checkName holds Mcp-Name against the member it mirrors. A method that
// mirrors none ignores the header.
func checkName(header string, has bool, m *Message) *Fault {
	want, member := Mirrored(m)
	switch {
	case member == "":
		return nil
	case !has && (m.Kind == Notification || want == ""):
		// Nothing to mirror: what the body lacks is told by whoever needs it.
		return nil
	case !has:
		return absent(nameHeader)
	}
	name, ok := DecodeValue(header)
	if !ok {
		return mismatch("header_malformed", nameHeader+" is malformed Base64: encode the name's UTF-8 as =?base64?...?=")
	}
	if name != want {
		return differs(nameHeader, member)
	}
	return nil
}

// Mirrored is the value Mcp-Name repeats (spec 2026-07-28 streamable-http,
// "Standard Request Headers"; for tasks SEP-2663, "Routing Headers").
func Mirrored(m *Message) (value, member string) {
	switch m.Method {
	case callMethod, "prompts/get":
		return m.Name, "params.name"
	case "resources/read":
		return m.URI, "params.uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return m.TaskID, "params.taskId"
	}
	return "", ""
}

func checkMeta(m *Message) *Fault {
	switch {
	case m.Kind == Notification:
		return nil
	case m.Meta.ProtocolVersion == "":
		return missingMeta(versionKey, "the protocol version")
	case !m.Meta.HasClientCapabilities:
		return missingMeta(capabilitiesKey, "an object")
	}
	return nil
}

func missingMeta(key, what string) *Fault {
	return &Fault{Code: CodeInvalidParams, Status: http.StatusBadRequest, Reason: "missing_meta",
		Message: "params._meta lacks " + key + ": send " + what + " in it"}
}

// single returns the one value of a header. Its name is looked for under every
// spelling a server might fold to it: any case, and "_" for "-" (CGI, WSGI),
// the latter always a fault.
func single(h http.Header, name string) (value string, has bool, fault *Fault) {
	count := 0
	for key, values := range h {
		if !sameHeader(key, name) {
			continue
		}
		if strings.ContainsRune(key, '_') {
			return "", false, mismatch("header_spelling", name+" is spelled with underscores: send it with hyphens")
		}
		count += len(values)
		if len(values) > 0 {
			value = strings.Trim(values[0], " \t")
		}
	}
	if count > 1 {
		return "", false, repeated(name)
	}
	return value, count == 1, nil
}

func sameHeader(key, name string) bool {
	return len(key) == len(name) && strings.EqualFold(strings.ReplaceAll(key, "_", "-"), name)
}

func repeated(header string) *Fault {
	return mismatch("header_repeated", header+" appears more than once: send it once")
}

func absent(header string) *Fault {
	return mismatch("header_missing", header+" is missing: send it with every request of this protocol version")
}

func differs(header, member string) *Fault {
	return mismatch("header_mismatch", header+" does not match the body's "+member+": make them equal")
}

const (
	sentinelOpen  = "=?base64?"
	sentinelClose = "?="
)

// EncodeValue makes s safe as a value of Mcp-Name or Mcp-Param-*: s itself when
// it is printable ASCII without white space at its ends, else =?base64?...?=
// over its UTF-8 (spec 2026-07-28 streamable-http, "Value Encoding"). Text that
// looks like that form is encoded too, and so is the empty text, because
// servers read an empty header as an absent one.
func EncodeValue(s string) string {
	if isPlain(s) {
		return s
	}
	return sentinelOpen + base64.StdEncoding.EncodeToString([]byte(s)) + sentinelClose
}

func isPlain(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	if strings.HasPrefix(s, sentinelOpen) && strings.HasSuffix(s, sentinelClose) {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// DecodeValue is the inverse of EncodeValue; a value without the sentinel is
// returned as it is. It is false for a sentinel around anything but canonical
// Base64 of valid UTF-8, so that no two header values mean the same name by
// some readers only.
func DecodeValue(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, sentinelOpen)
	if !ok {
		return v, true
	}
	if inner, ok = strings.CutSuffix(inner, sentinelClose); !ok {
		return v, true
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || !utf8.Valid(decoded) || base64.StdEncoding.EncodeToString(decoded) != inner {
		return "", false
	}
	return string(decoded), true
}
