package servers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads an mcpServers file, JSON or YAML. Name is the file's in
// mistakes; getenv finds the variables of ${VAR}. All mistakes are told
// together, each with its line; none repeats a value.
func Parse(file []byte, name string, getenv func(string) (string, bool)) ([]Server, error) {
	if len(file) > maxBytes {
		return nil, fmt.Errorf("%s: the file has %d bytes: at most %d are read", name, len(file), maxBytes)
	}
	root, err := tree(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &reader{name: name, getenv: getenv}
	list := r.file(root)
	if len(r.mistakes) > 0 {
		return nil, errors.Join(r.mistakes...)
	}
	return list, nil
}

// reader collects the mistakes of a file.
type reader struct {
	name     string
	getenv   func(string) (string, bool)
	mistakes []error
}

// wrong notes a mistake at a node.
func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Errorf("%s: line %d: %s", r.name, n.Line, fmt.Sprintf(format, args...)))
}

// member is a key of a mapping with its value.
type member struct{ key, value *yaml.Node }

// members are those of a mapping, each key once.
func (r *reader) members(n *yaml.Node, what string) []member {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "%s must be an object with keys and values", what)
		return nil
	}
	var list []member
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.wrong(key, "%s has a key that is no text", what)
		case seen[key.Value]:
			r.wrong(key, "%s is there twice in %s: keep one", quoted(key.Value), what)
		default:
			seen[key.Value] = true
			list = append(list, member{key, n.Content[i+1]})
		}
	}
	return list
}

// quoted is a key as it is shown: the file's author chose it.
func quoted(key string) string {
	if len(key) > maxName {
		key = key[:maxName] + "..."
	}
	return strconv.Quote(key)
}

func topKeys() []string { return []string{"mcpServers", "servers"} }

// file reads the top of the file. The servers are under mcpServers, or servers
// as one editor has it, whose inputs are then no concern of ours.
func (r *reader) file(root *yaml.Node) []Server {
	var list []Server
	var found *yaml.Node
	all := 0
	for _, m := range r.members(root, "the file") {
		switch m.key.Value {
		case "mcpServers", "servers":
			if found != nil {
				r.wrong(m.key, "the servers are under mcpServers and under servers: put all under mcpServers")
				continue
			}
			found = m.key
			list, all = r.servers(m.value)
		case "$schema", "inputs":
		default:
			r.unknown(m.key, "the file", topKeys(), "keep what isn't about servers in another file")
		}
	}
	switch {
	case len(r.mistakes) > 0:
	case found == nil:
		r.wrong(root, "there is no mcpServers in the file: write {\"mcpServers\": {\"NAME\": {\"url\": \"http://host:8080/mcp\"}}}")
	case all == 0:
		r.wrong(found, "there is no server under %s: write one like \"NAME\": {\"url\": \"http://host:8080/mcp\"}", found.Value)
	case len(list) == 0:
		r.wrong(found, "every server is disabled: leave one")
	}
	return list
}

// unknown notes a key that isn't known, with the near one.
func (r *reader) unknown(key *yaml.Node, where string, known []string, otherwise string) {
	if other := near(key.Value, known); other != "" {
		r.wrong(key, "%s is unknown in %s: did you mean %s?", quoted(key.Value), where, other)
		return
	}
	r.wrong(key, "%s is unknown in %s: %s", quoted(key.Value), where, otherwise)
}

// servers are those that aren't disabled, and the number of all.
func (r *reader) servers(n *yaml.Node) (list []Server, all int) {
	taken := map[string]string{}
	members := r.members(n, "mcpServers")
	if len(members) > maxServers {
		r.wrong(n, "there are %d servers: at most %d", len(members), maxServers)
		return nil, len(members)
	}
	for _, m := range members {
		name := Clean(m.key.Value)
		other, double := taken[strings.ToLower(name)]
		switch {
		case name == "":
			r.wrong(m.key, "%s is no name for a server: write letters and digits", quoted(m.key.Value))
			continue
		case double:
			r.wrong(m.key, "%s and %s are the same name: rename one", quoted(other), quoted(m.key.Value))
		}
		taken[strings.ToLower(name)] = m.key.Value
		if s, enabled := r.server(name, m.value); enabled {
			list = append(list, s)
		}
	}
	return list, len(members)
}

// settings are a server's keys while they are read.
type settings struct {
	*reader
	Server
	at       *yaml.Node
	kind     string // what type says
	kindAt   *yaml.Node
	auth     *yaml.Node
	disabled bool
	tls      map[string]*yaml.Node // the values of the keys about TLS
	given    map[string]bool       // the keys that are there, whether their values can be used or not
}

// server reads one server.
func (r *reader) server(name string, n *yaml.Node) (s Server, enabled bool) {
	set := &settings{reader: r, at: n, given: map[string]bool{}, tls: map[string]*yaml.Node{}, Server: Server{Name: name, Header: http.Header{}}}
	where := "server " + name
	keys := keysOfServer()
	for _, m := range r.members(n, where) {
		key := m.key.Value
		if other := sameKey(key); other != "" {
			key = other
		}
		if why := notHere(key); why != "" {
			r.wrong(m.key, "%s of %s is not taken: %s", quoted(m.key.Value), where, why)
			continue
		}
		read, ok := keys[key]
		switch {
		case ok:
			set.given[key] = true
			read(set, m)
		case !harmless(key):
			r.unknown(m.key, where, known(keys), "these are known: "+strings.Join(known(keys), ", "))
		}
	}
	if n.Kind == yaml.MappingNode {
		set.finish()
	}
	return set.Server, !set.disabled
}

func known(keys map[string]func(*settings, member)) []string {
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sameKey is our word for what other programs call differently.
func sameKey(key string) string {
	switch key {
	case "serverUrl", "httpUrl":
		return "url"
	case "transport", "transportType":
		return "type"
	}
	return ""
}

// harmless are keys that other programs read in such a file and that change
// nothing about which tools there are.
func harmless(key string) bool {
	return slices.Contains([]string{"description", "name", "autoApprove", "alwaysAllow", "trust", "dev", "gallery", "version", "icon", "chatMenu", "startup"}, key)
}

// notHere says why a key that other programs know is refused: leaving it out of
// account would show or send more than was meant.
func notHere(key string) string {
	switch key {
	case "includeTools", "excludeTools", "disabledTools", "enabledTools", "tools":
		return "hide tools with --overlay, or at the server"
	case "envFile":
		return "set the variables for this program, and write ${NAME} under env"
	case "oauth", "headersHelper", "authProviderType":
		return "write the header under headers, with its secret as ${NAME}, or auth: caller"
	}
	return ""
}
