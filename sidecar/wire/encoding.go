package wire

import (
	"mime"
	"net/http"
	"strings"
)

// CheckEncoding refuses (415) a body that a server behind us would not read as
// the bytes we scan: one with a Content-Encoding, or a Content-Type with a
// charset other than UTF-8 (in UTF-7 the same bytes spell other keys). A media
// type other than JSON is the server's to refuse.
func CheckEncoding(h http.Header) *Fault {
	for key, values := range h {
		switch {
		case sameHeader(key, "Content-Encoding"):
			for _, v := range values {
				if v = strings.Trim(v, " \t"); v != "" && !strings.EqualFold(v, "identity") {
					return unsupported("content_encoding", "the body has a Content-Encoding: send it uncompressed")
				}
			}
		case sameHeader(key, "Content-Type"):
			for _, v := range values {
				if !isUTF8(v) {
					return unsupported("charset", "the body's charset is not UTF-8: send UTF-8 JSON")
				}
			}
		}
	}
	return nil
}

func isUTF8(contentType string) bool {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		// Readers differ on what they make of it; only the parameter is of danger.
		return !strings.Contains(strings.ToLower(contentType), "charset")
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

func unsupported(reason, message string) *Fault {
	return &Fault{Code: CodeInvalidRequest, Status: http.StatusUnsupportedMediaType, Reason: reason, Message: message}
}
