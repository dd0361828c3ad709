package servers

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// address reads the URL of a server. User and password in it become the value
// of an Authorization header: a URL gets printed. The error repeats nothing
// but a scheme.
func address(text string) (u *url.URL, user *url.Userinfo, err error) {
	u, err = url.Parse(text)
	switch {
	case err != nil:
		return nil, nil, errors.New("is not a URL: write it like http://host:8080/mcp")
	case !strings.Contains(text, "://") && (u.Scheme == "http" || u.Scheme == "https"):
		return nil, nil, fmt.Errorf("has no host: two slashes follow %s:, like %s://host:8080/mcp", u.Scheme, u.Scheme)
	case !strings.Contains(text, "://"):
		return nil, nil, errors.New("is not a URL: write it like http://host:8080/mcp")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, nil, fmt.Errorf("has the scheme %s: it must be http or https, like http://host:8080/mcp", strconv.Quote(u.Scheme))
	case u.Hostname() == "":
		return nil, nil, errors.New("has no host: write it like http://host:8080/mcp")
	case strings.HasSuffix(u.Host, ":"), u.Port() != "" && !isPort(u.Port()):
		return nil, nil, errors.New("has a port that is no number from 1 to 65535: write it like http://host:8080/mcp")
	}
	user = u.User
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, user, nil
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

// generic are the parts of URLs that say nothing about which server it is.
func generic(part string) bool {
	return slices.Contains([]string{"", "mcp", "sse", "api", "all", "http", "https", "stream", "streamable", "servers", "server", "www", "v1", "v2", "v3"}, part)
}

// maxPlain is the longest path part that is taken for a word.
const maxPlain = 24

// word tells a path part that is a word from one that may be a key: some
// servers carry their secret in the path.
func word(part string) bool {
	letters, digits := 0, 0
	for _, r := range part {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			letters++
		case r >= '0' && r <= '9':
			digits++
		case r != '-' && r != '_' && r != '.':
			return false
		}
	}
	return letters > 1 && digits <= 2 && len(part) <= maxPlain && strings.ToLower(part[1:]) == part[1:]
}

// nameOf makes a server's name from its URL: the last part of the path that
// says something, else the first part of the host that does. Hosts that say
// only where they are (addresses, localhost) get their port.
func nameOf(u *url.URL) string {
	parts := strings.Split(u.Path, "/")
	for _, part := range slices.Backward(parts) {
		if generic(strings.ToLower(part)) {
			continue
		}
		if word(part) {
			return Clean(part)
		}
		break
	}
	host := strings.ToLower(u.Hostname())
	if net.ParseIP(host) != nil || host == "localhost" || host == "host.docker.internal" {
		return Clean(strings.TrimSuffix(host+"-"+u.Port(), "-"))
	}
	for part := range strings.SplitSeq(host, ".") {
		if !generic(part) {
			return Clean(part)
		}
	}
	return Clean(host)
}

// maxName is the longest name of a server, in bytes.
const maxName = 64

// Clean makes a name of a server out of what people call it: each run of other
// characters than A-Z a-z 0-9 _ and - becomes one -, two underscores become
// one, because they part a source from a name. It may be "".
func Clean(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
		if !plain {
			r = '-'
		}
		if r == last && (r == '_' || !plain) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	name := strings.Trim(b.String(), "-_")
	if len(name) > maxName {
		name = strings.TrimRight(name[:maxName], "-_")
	}
	return name
}

// unique gives a name that no earlier server has: with the port after it, or a
// number. The first one keeps its name, so that adding a server renames none
// before it.
func unique(name, port string, taken map[string]bool) string {
	if name == "" {
		name = "server"
	}
	free := name
	if taken[strings.ToLower(free)] && port != "" {
		free = name + "-" + port
	}
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	taken[strings.ToLower(free)] = true
	return free
}
