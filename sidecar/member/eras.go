package member

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// legacyVersion is what initialize asks for in the name of a client that has no
// version of a legacy era.
const legacyVersion = "2025-11-25"

// describedFor is how long a server's description is used before it is asked
// again.
const describedFor = 10 * time.Minute

// otherEraError says that the server doesn't speak the era it was asked in.
type otherEraError struct{ cause error }

func (e *otherEraError) Error() string { return "the server speaks another era" }

// verdict is what is known about one era of a server.
type verdict int

const (
	unknown verdict = iota
	speaks
	refuses
)

// eras remembers which eras the server speaks and what it says of itself. A
// failure makes it unknown again: what comes back may be another server.
type eras struct {
	mu        sync.Mutex
	known     [2]verdict // by wire.Era
	described [2]*Description
	at        [2]time.Time
	stateless bool   // in the legacy eras: initialize gave no session id
	version   string // of that initialize
	params    map[string][]wire.ParamHeader
}

func (e *eras) verdict(era wire.Era) verdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[era]
}

func (e *eras) set(era wire.Era, v verdict) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[era] = v
}

func (e *eras) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known, e.described, e.stateless, e.version = [2]verdict{}, [2]*Description{}, false, ""
}

// describe keeps a description; nil when it is too old.
func (e *eras) describe(d *Description) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[d.Era], e.described[d.Era], e.at[d.Era] = speaks, d, time.Now()
}

func (e *eras) description(era wire.Era) *Description {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.at[era]) > describedFor {
		return nil
	}
	return e.described[era]
}

// withoutSessions notes that the server is stateless in the legacy eras.
func (e *eras) withoutSessions(version string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stateless, e.version = true, version
}

func (e *eras) isStateless() (version string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.version, e.stateless
}

// setParams keeps the headers that tools mirror from their arguments.
func (e *eras) setParams(params map[string][]wire.ParamHeader) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.params = params
}

func (e *eras) paramsOf(tool string) []wire.ParamHeader {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.params[tool]
}

// settle finds the era in which c is served: its own where the server has it.
func (m *Member) settle(ctx context.Context, c Client, who identity, s *sticky) (wire.Era, error) {
	first, then := c.Era, wire.Legacy
	if first == wire.Legacy {
		then = wire.Modern
	}
	if m.eras.verdict(first) == refuses && m.eras.verdict(then) != refuses {
		first, then = then, first
	}
	err := m.try(ctx, first, c, who, s)
	var other *otherEraError
	if !errors.As(err, &other) {
		return first, err
	}
	m.eras.set(first, refuses)
	err = m.try(ctx, then, c, who, s)
	if errors.As(err, &other) {
		m.eras.forget()
		err = other.cause
	}
	return then, err
}

// try makes sure that the server speaks an era, and that there is a session
// where the era has them.
func (m *Member) try(ctx context.Context, era wire.Era, c Client, who identity, s *sticky) error {
	if era == wire.Legacy {
		_, err := s.ensure(ctx, c, who)
		return err
	}
	if m.eras.verdict(wire.Modern) == speaks {
		return nil
	}
	_, err := m.discover(ctx, c, who)
	return err
}

// notice notes how opening or listing went: a server that doesn't even greet
// is down, and what answers next may be another one. A client that left or
// has its own deadline says nothing of the server.
func (m *Member) notice(ctx context.Context, err error) error {
	var e *Error
	if ctx.Err() != nil || !errors.As(err, &e) || e.Waiting || e.noted {
		return err
	}
	m.eras.forget()
	if e.Kind == upstream.Unreachable || e.Kind == upstream.TimedOut || e.Kind == upstream.BadStatus && e.Status >= 500 {
		m.health.failed(e.Kind)
	}
	return err
}

// discover asks a server for its description in the modern era.
func (m *Member) discover(ctx context.Context, c Client, who identity) (*Description, error) {
	d, err := m.discoverWithin(ctx, c, who)
	return d, m.notice(ctx, err)
}

func (m *Member) discoverWithin(ctx context.Context, c Client, who identity) (*Description, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Server.OpenTimeout)
	defer cancel()
	p := hop{era: wire.Modern, version: wire.ModernVersion, method: "server/discover"}
	params := append(append([]byte(`{"_meta":`), m.meta(c, "")...), '}')
	rep, err := m.ask(ctx, who, p, params, nil)
	if err == nil && refusedOurVersionByMistake(rep) {
		rep, err = m.ask(ctx, who, p, params, nil)
	}
	if err != nil {
		return nil, err
	}
	if rep.Status >= 400 || !rep.Answer.Error.Absent() {
		err := m.failure(rep.Refusal(p.method))
		if rep.SaysLegacy() {
			return nil, &otherEraError{cause: err}
		}
		return nil, err
	}
	d, versions := readDiscover(rep.Answer.Result.In(rep.Answer.Body))
	if d == nil {
		return nil, &Error{Server: m.Name(), Kind: upstream.Garbage, Detail: "server/discover: the result is not a JSON object"}
	}
	for _, v := range versions {
		if v >= wire.ModernVersion {
			m.eras.describe(d)
			return d, nil
		}
	}
	// A legacy Go server answers this one request of the modern era.
	return nil, &otherEraError{cause: &Error{Server: m.Name(), Kind: upstream.Refused, Detail: "server/discover names no protocol version of ours"}}
}

// refusedOurVersionByMistake tells a refusal that names the very version that was asked
// for among the supported ones: the client is to try again with it.
func refusedOurVersionByMistake(rep *upstream.Reply) bool {
	if rep.Answer == nil || rep.Answer.ErrorCode != wire.CodeUnsupportedVersion {
		return false
	}
	found := false
	_ = wire.EachElement(member(member(rep.Answer.Error.In(rep.Answer.Body), "data"), "supported"), func(v []byte) bool {
		version, _ := wire.String(v)
		found = version == wire.ModernVersion
		return !found
	})
	return found
}

// readDiscover reads a result of server/discover; nil when it is no object.
func readDiscover(result []byte) (d *Description, versions []string) {
	fields, err := wire.TopFields(result)
	if err != nil {
		return nil, nil
	}
	d = &Description{Era: wire.Modern, Version: wire.ModernVersion}
	for _, f := range fields {
		switch f.Key {
		case "supportedVersions":
			_ = wire.EachElement(f.Value, func(v []byte) bool {
				if version, ok := wire.String(v); ok {
					versions = append(versions, version)
				}
				return true
			})
		case "_meta":
			d.ServerInfo = member(f.Value, "io.modelcontextprotocol/serverInfo")
		}
		d.read(f)
	}
	return d, versions
}

// read takes what initialize and server/discover say in the same way.
func (d *Description) read(f wire.Field) {
	switch f.Key {
	case "capabilities":
		if wire.IsObject(f.Value) {
			d.Capabilities = f.Value
		}
	case "serverInfo":
		if wire.IsObject(f.Value) {
			d.ServerInfo = f.Value
		}
	case "instructions":
		d.Instructions, _ = wire.String(f.Value)
	}
}

// member is the value of one member of an object, nil when it is not there.
func member(object []byte, key string) []byte {
	fields, err := wire.TopFields(object)
	if err != nil {
		return nil
	}
	for _, f := range fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// meta is the _meta of a modern request in the name of c (spec 2026-07-28
// basic/index); logLevel "" asks for no log messages.
func (m *Member) meta(c Client, logLevel string) []byte {
	version := wire.ModernVersion
	if c.Era == wire.Modern && c.Version != "" {
		version = c.Version
	}
	b := append([]byte(`{"`+metaVersion+`":`), wire.Quote(version)...)
	b = append(append(b, `,"`+metaCapabilities+`":`...), orEmpty(c.Capabilities)...)
	b = append(append(b, `,"`+metaInfo+`":`...), m.info(c)...)
	if logLevel != "" {
		b = append(append(b, `,"`+metaLogLevel+`":`...), wire.Quote(logLevel)...)
	}
	return append(b, '}')
}

// The members of _meta that every modern request carries, and logLevel.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaInfo         = "io.modelcontextprotocol/clientInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

func (m *Member) info(c Client) []byte {
	if len(c.Info) > 0 {
		return c.Info
	}
	return append(append([]byte(`{"name":"mcp-toolsearch","version":`), wire.Quote(m.o.Version)...), '}')
}

func orEmpty(object []byte) []byte {
	if len(object) == 0 {
		return []byte("{}")
	}
	return object
}
