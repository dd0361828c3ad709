package demoserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// record is one object on a made-up server: an issue, a note, a booking.
type record = map[string]any

// collection names the records of one kind on one server.
type collection struct{ server, noun string }

// mostRecords bounds what a demo left running keeps of one kind; the oldest go.
const mostRecords = 1000

// records is what the calls so far made, changed and removed. Made-up objects
// that nobody touched are not in it.
type records struct {
	mu      sync.Mutex
	made    map[collection][]record
	number  map[collection]int
	changed map[string]record // server + "\x00" + id: fields laid over a made-up object
	removed map[string]bool   // the same keys
}

func newRecords() *records {
	return &records{made: map[collection][]record{}, number: map[collection]int{}, changed: map[string]record{}, removed: map[string]bool{}}
}

// add makes a record of the arguments and numbers it from 1001.
func (r *records) add(c collection, arguments map[string]any) record {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number[c]++
	n := 1000 + r.number[c]
	made := maps.Clone(arguments)
	if made == nil {
		made = record{}
	}
	made["id"], made["number"], made["created_at"] = identifier(c, arguments, n), n, today
	r.made[c] = append(r.made[c], made)
	if len(r.made[c]) > mostRecords {
		r.made[c] = slices.Delete(r.made[c], 0, 1)
	}
	return maps.Clone(made)
}

// identifier is the id of a new record, in the form that the tools of its server
// ask for.
func identifier(c collection, arguments map[string]any, n int) string {
	switch c {
	case collection{"tallyboard", "issue"}:
		project, _ := arguments["project"].(string)
		return fmt.Sprintf("%s-%d", strings.ToUpper(cmp.Or(project, "TB")), n)
	case collection{"roamly", "booking"}:
		return fmt.Sprintf("BK%04d", n%10000)
	}
	return fmt.Sprintf("%s-%d", c.noun, n)
}

// list gives the records made so far, newest first, that the arguments don't
// exclude: a record whose field differs from an argument of the same name.
func (r *records) list(c collection, arguments map[string]any) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []record
	for _, made := range slices.Backward(r.made[c]) {
		if matches(made, arguments) {
			out = append(out, maps.Clone(made))
		}
	}
	return out
}

func matches(made record, arguments map[string]any) bool {
	for name, want := range arguments {
		if text, ok := want.(string); ok && (name == "query" || name == "text") {
			if !mentions(made, text) {
				return false
			}
			continue
		}
		have, there := made[name]
		if there && fmt.Sprint(have) != fmt.Sprint(want) {
			return false
		}
	}
	return true
}

// mentions reports whether any word of the query occurs in the record's texts.
func mentions(made record, query string) bool {
	text := strings.ToLower(fmt.Sprint(made))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(word string) bool { return strings.Contains(text, word) })
}

// find gives the record that one of the arguments names by id or number.
func (r *records) find(c collection, arguments map[string]any) (record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.index(c, arguments)
	if i < 0 {
		return nil, false
	}
	return maps.Clone(r.made[c][i]), true
}

func (r *records) index(c collection, arguments map[string]any) int {
	return slices.IndexFunc(r.made[c], func(made record) bool {
		for name, v := range arguments {
			if fmt.Sprint(v) == made["id"] || (name == "number" && fmt.Sprint(v) == fmt.Sprint(made["number"])) {
				return true
			}
		}
		return false
	})
}

// change lays the arguments over the record they name. A made-up object keeps
// the change, too.
func (r *records) change(c collection, id string, arguments map[string]any) record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.index(c, arguments); i >= 0 {
		lay(r.made[c][i], arguments)
		return maps.Clone(r.made[c][i])
	}
	key := c.server + "\x00" + id
	if r.changed[key] == nil {
		if len(r.changed) >= mostRecords {
			clear(r.changed)
		}
		r.changed[key] = record{}
	}
	lay(r.changed[key], arguments)
	return maps.Clone(r.changed[key])
}

// lay sets the fields of a record that the arguments give anew, but not those
// that say which record is meant.
func lay(made record, arguments map[string]any) {
	for name, v := range arguments {
		if fmt.Sprint(v) != made["id"] && name != "id" {
			made[name] = v
		}
	}
	made["updated_at"] = today
}

// remove forgets the record that the arguments name, and hides a made-up one.
func (r *records) remove(c collection, id string, arguments map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.index(c, arguments); i >= 0 {
		r.made[c] = slices.Delete(r.made[c], i, i+1)
	}
	if len(r.removed) >= mostRecords {
		clear(r.removed)
	}
	r.removed[c.server+"\x00"+id] = true
}

// laid gives the object as calls so far changed it; false when it was removed.
func (r *records) laid(server string, object record) (record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := server + "\x00" + fmt.Sprint(object["id"])
	if r.removed[key] {
		return nil, false
	}
	maps.Copy(object, r.changed[key])
	return object, true
}
