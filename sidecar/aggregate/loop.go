package aggregate

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// hopPrefix begins the names of doors in Via (RFC 9110 §7.6.3), each with a
// random part of its own.
const hopPrefix = "mcp-toolsearch-"

// maxHops is how many doors of any process a request may pass.
const maxHops = 6

// errLoop says that a server is a search route: this program's, or another's.
var errLoop = errors.New("the server lists only the five tools of a search route: give the address of the MCP server itself, or of its aggregate route")

func newHop() string {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails (crypto/rand)
	return hopPrefix + hex.EncodeToString(seed[:])
}

// withHop adds this aggregate to the doors that a request has passed.
func (a *Aggregate) withHop(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		out[name] = slices.Clone(values)
	}
	out.Add("Via", "1.1 "+a.hop)
	return out
}

// looped says that a request has been here before, or has passed too many doors.
func (a *Aggregate) looped(h http.Header) bool {
	passed := 0
	for _, value := range h.Values("Via") {
		for entry := range strings.SplitSeq(value, ",") {
			words := strings.Fields(entry)
			if len(words) < 2 || !strings.HasPrefix(words[1], hopPrefix) {
				continue
			}
			if passed++; words[1] == a.hop {
				return true
			}
		}
	}
	return passed > maxHops
}

// onlyMetaTools recognises a search route by what it lists: the five and
// nothing else.
func onlyMetaTools(items [][]byte) bool {
	five := []string{"call_read_tool", "call_read_tools", "call_write_tool", "describe_tools", "search_tools"}
	var names []string
	for _, raw := range items {
		it, ok := readItem(tools, raw)
		if !ok {
			return false
		}
		names = append(names, it.name)
	}
	slices.Sort(names)
	return slices.Equal(names, five)
}
