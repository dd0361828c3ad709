package aggregate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// manifest is what is kept on disk between two runs: the tools as the servers
// listed them, so that another order or prefix still holds.
type manifest struct {
	Fingerprint string            `json:"fingerprint"`
	Count       int               `json:"count"`
	Characters  int               `json:"characters"`
	Time        time.Time         `json:"time"`
	Servers     []manifestServer  `json:"servers"`
	Routing     []manifestRoute   `json:"routing"`
	Tools       []json.RawMessage `json:"tools"` // of the route in the same place
}

type manifestServer struct {
	Name  string `json:"name"`
	Place string `json:"place"` // of the entry: another address under the name is another server
	Tools int    `json:"tools"`
}

// manifestRoute is where a published name leads.
type manifestRoute struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// maxManifest bounds a manifest that is read.
const maxManifest = 2 * maxBytes

// keeper keeps the manifest.
type keeper struct {
	path string
	log  *slog.Logger

	mu sync.Mutex // one writes at a time
}

// load reads the manifest; one that can't be read is set aside, and said.
func (k *keeper) load() *manifest {
	m, err := readManifest(k.path)
	switch {
	case err == nil:
		return m
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	aside := k.path + ".corrupt"
	if moved := os.Rename(k.path, aside); moved != nil {
		k.log.Warn("the manifest can't be used and can't be set aside; the servers are listed anew", "manifest", k.path, "why", err.Error(), "rename", moved.Error())
		return nil
	}
	k.log.Warn("the manifest can't be used; it was set aside, and the servers are listed anew", "manifest", k.path, "now", aside, "why", err.Error())
	return nil
}

func readManifest(path string) (*manifest, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, fmt.Errorf("it is larger than %d bytes", maxManifest)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseManifest(raw)
}

// parseManifest reads a manifest and holds it against its own fingerprint.
func parseManifest(raw []byte) (*manifest, error) {
	var m manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, errors.New("it is not the JSON of a manifest")
	}
	if len(m.Routing) != len(m.Tools) || m.Count != len(m.Tools) {
		return nil, errors.New("its numbers of tools and routes differ")
	}
	names := make([]string, len(m.Routing))
	for i, r := range m.Routing {
		names[i] = r.Name
		if it, ok := readItem(tools, m.Tools[i]); !ok || it.name != r.Tool {
			return nil, errors.New("a tool in it is not the one that its route names")
		}
	}
	if fingerprint(names) != m.Fingerprint {
		return nil, errors.New("its fingerprint is not that of its tools")
	}
	return &m, nil
}

// items are the tools of each server, by its place, in their order.
func (m *manifest) items() map[string][][]byte {
	places, all := map[string]string{}, map[string][][]byte{}
	for _, s := range m.Servers {
		places[s.Name] = s.Place
	}
	for i, r := range m.Routing {
		if place := places[r.Server]; place != "" {
			all[place] = append(all[place], m.Tools[i])
		}
	}
	return all
}

// recall serves what was known in the last run until the servers answer.
func (a *Aggregate) recall() {
	m := a.keeper.load()
	if m == nil {
		return
	}
	s := a.shelf(a.visitor(nil), tools)
	s.mu.Lock()
	r := a.roster.Load()
	items := m.items()
	for name, e := range r.byName {
		if last := items[e.place()]; len(last) > 0 {
			s.known[name] = &known{items: last, listed: time.Now(), failure: "starting"} // good as long as any list is
		}
	}
	s.mu.Unlock()
	a.o.Logger.Info("the tools of the last run are served until the servers answer", "manifest", a.keeper.path, "tools", m.Count, "time", m.Time)
}

// landed is called after each listing: when the shared list has changed, it is
// kept, logged and told. While others are still under way that is put off, but
// not for long: one of them may hang.
func (a *Aggregate) landed(s *shelf) {
	if !a.o.OperatorMode || s.kind != tools {
		return
	}
	if s.idle() {
		a.announce(s)
		return
	}
	a.mu.Lock()
	waits := a.announces
	a.announces = true
	a.mu.Unlock()
	if waits {
		return
	}
	a.spawn(func(ctx context.Context) {
		sleep(ctx, patience)
		a.mu.Lock()
		a.announces = false
		a.mu.Unlock()
		if ctx.Err() == nil {
			a.announce(s)
		}
	})
}

func (a *Aggregate) announce(s *shelf) {
	v := s.view()
	a.mu.Lock()
	changed := !bytes.Equal(a.shared, v.body)
	a.shared = v.body
	a.mu.Unlock()
	if !changed {
		return
	}
	a.o.Logger.Info("catalog refresh: " + v.report().String())
	if a.keeper != nil {
		a.keeper.save(s, v)
	}
	if a.o.Changed != nil {
		a.o.Changed()
	}
}

// save writes the manifest beside its place and renames it, so that there is
// always a whole one.
func (k *keeper) save(s *shelf, v *view) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v.count == 0 {
		return // a moment in which all servers are empty is no reason to forget
	}
	if err := writeFile(k.path, encodeManifest(s, v)); err != nil {
		k.log.Warn("the manifest can't be written; after a restart the servers must be listed before they can be searched", "manifest", k.path, "why", err.Error())
	}
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// encodeManifest writes a manifest, one tool a line. It is written by hand
// because encoding/json would write the servers' texts anew.
func encodeManifest(s *shelf, v *view) []byte {
	report := v.report()
	var b bytes.Buffer
	b.WriteString(`{"fingerprint":` + string(wire.Quote(report.Fingerprint)) + `,"count":` + strconv.Itoa(report.Tools))
	b.WriteString(`,"characters":` + strconv.Itoa(report.Characters) + `,"time":` + string(wire.Quote(time.Now().UTC().Format(time.RFC3339))))
	b.WriteString(`,"servers":[`)
	for i, source := range v.sources {
		separate(&b, i, "")
		b.WriteString(`{"name":` + string(wire.Quote(source.Name)) + `,"place":` + string(wire.Quote(v.placeOf(source.Name))) + `,"tools":` + strconv.Itoa(source.Tools) + `}`)
	}
	b.WriteString("],\n\"routing\":[")
	for i, name := range v.order {
		t := v.targets[name]
		separate(&b, i, "\n")
		b.WriteString(`{"name":` + string(wire.Quote(name)) + `,"server":` + string(wire.Quote(t.server)) + `,"tool":` + string(wire.Quote(t.name)) + `}`)
	}
	b.WriteString("],\n\"tools\":[")
	listed := s.listedItems()
	for i, name := range v.order {
		separate(&b, i, "\n")
		b.Write(listed[origin{v.targets[name].server, v.targets[name].name}])
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// placeOf is where a server of the view is; "" for none of it.
func (v *view) placeOf(name string) string {
	if e := v.roster.byName[name]; e != nil {
		return e.place()
	}
	return ""
}

func separate(b *bytes.Buffer, i int, line string) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString(line)
}

// origin is whose item something is, and what its server calls it.
type origin struct{ server, name string }

// listedItems are the items as the servers listed them.
func (s *shelf) listedItems() map[origin][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[origin][]byte{}
	for name, k := range s.known {
		for _, raw := range k.items {
			it, ok := readItem(s.kind, raw)
			if _, seen := all[origin{name, it.name}]; ok && !seen {
				all[origin{name, it.name}] = raw
			}
		}
	}
	return all
}
