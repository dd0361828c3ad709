package argcheck

import (
	"cmp"
	"hash/maphash"
	"reflect"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// single returns the fault at the i-th of its keys, or the one it is.
func (f fault) single(i int) fault {
	if f.keys != nil {
		f.keys = f.keys[i : i+1 : i+1]
	}
	return f
}

// number is how many faults it stands for.
func (f fault) number() int {
	if f.keys != nil {
		return len(f.keys)
	}
	return 1
}

func numberOf(faults []fault) int {
	n := 0
	for _, f := range faults {
		n += f.number()
	}
	return n
}

// place is where a single fault is, its key included.
func (f fault) place() []string {
	return slices.Concat(f.at, f.keys)
}

// token is the i-th step of the place of a single fault; ok is false behind
// the last one.
func (f fault) token(i int) (tok string, ok bool) {
	switch {
	case i < len(f.at):
		return f.at[i], true
	case i < len(f.at)+len(f.keys):
		return f.keys[i-len(f.at)], true
	}
	return "", false
}

// identity tells faults apart. A subschema that is applied several times to
// one value finds the same each time.
type identity struct {
	at     uint64 // a hash, since there is no comparing slices
	schema *jsonschema.Schema
	what   reflect.Type
	detail string
}

// distinctFaults drops what one subschema found twice at one place. It looks
// at each fault once.
func distinctFaults(faults []fault) []fault {
	if len(faults) < 2 {
		return faults
	}
	seed := maphash.MakeSeed()
	seen := make(map[identity]struct{}, len(faults))
	kept := faults[:0]
	var last fault
	var at uint64
	for i, f := range faults {
		if i == 0 || !sameSlice(f.at, last.at) {
			at = hashOf(seed, f.at)
		}
		last = f
		id := identity{at, f.schema, reflect.TypeOf(f.what), f.detail}
		if _, again := seen[id]; again && f.schema != nil {
			continue
		}
		seen[id] = struct{}{}
		kept = append(kept, f)
	}
	return kept
}

func hashOf(seed maphash.Seed, at []string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, tok := range at {
		_, _ = h.WriteString(tok) // it never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// sameSlice reports one and the same memory: the faults of one object share
// its place.
func sameSlice(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// firstOf returns the faults at the first n places, in order and single. The
// work is linear in the number of faults.
func firstOf(faults []fault, n int) []fault {
	var first []fault
	last, all := lastOf(faults, n)
	for _, f := range faults {
		for i := range f.number() {
			if one := f.single(i); all || compareFaults(one, last) <= 0 {
				first = append(first, one)
			}
		}
	}
	slices.SortStableFunc(first, compareFaults)
	return first
}

// lastOf returns a fault at the n-th of all places in order; all is true when
// there are no more than that.
func lastOf(faults []fault, n int) (last fault, all bool) {
	least := make([]fault, 0, n+1)
	for _, f := range faults {
		for i := range f.number() {
			one := f.single(i)
			if len(least) == n && compareFaults(one, least[n-1]) >= 0 {
				continue
			}
			if i, found := slices.BinarySearchFunc(least, one, compareFaults); !found {
				least = slices.Insert(least, i, one)
				least = least[:min(len(least), n)]
			}
		}
	}
	if len(least) < n {
		return fault{}, true
	}
	return least[n-1], false
}

// compareFaults orders faults by place. One object can have any number of
// keys that its propertyNames refuses: they go by name, before the rest.
func compareFaults(a, b fault) int {
	if c := comparePlaces(a, b); c != 0 {
		return c
	}
	x, okX := a.what.(*kind.PropertyNames)
	y, okY := b.what.(*kind.PropertyNames)
	switch {
	case okX && okY:
		return strings.Compare(x.Property, y.Property)
	case okX:
		return -1
	case okY:
		return 1
	}
	return 0
}

// comparePlaces orders places: what holds a value before what is in it, items
// by their number, keys by name. Names made of digits come before others.
func comparePlaces(a, b fault) int {
	i := 0
	if sameSlice(a.at, b.at) {
		i = len(a.at)
	}
	for ; ; i++ {
		x, okX := a.token(i)
		y, okY := b.token(i)
		switch {
		case !okX && !okY:
			return 0
		case !okX:
			return -1
		case !okY:
			return 1
		}
		if c := compareTokens(x, y); c != 0 {
			return c
		}
	}
}

func compareTokens(x, y string) int {
	i, numberX := index(x)
	j, numberY := index(y)
	switch {
	case numberX && numberY && i != j:
		return cmp.Compare(i, j)
	case numberX != numberY && x != "" && y != "":
		if numberX {
			return -1
		}
		return 1
	}
	return strings.Compare(x, y)
}

// index is the number that a token is, if it is one: this is asked often, and
// mostly of keys.
func index(tok string) (int, bool) {
	if tok == "" || len(tok) > 18 {
		return 0, false
	}
	n := 0
	for i := range len(tok) {
		if tok[i] < '0' || tok[i] > '9' {
			return 0, false
		}
		n = 10*n + int(tok[i]-'0')
	}
	return n, true
}
