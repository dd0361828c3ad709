package search

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Cache remembers readings of documents by their content, so that each distinct
// tool is cut into words and embedded once, however many indexes have it and
// however often they are built. Give all builds of a process the same one. It is
// bounded, and safe for concurrent use; nil remembers nothing.
type Cache struct {
	most int64

	mu         sync.Mutex
	young, old map[contentKey]*cached // what was asked for lately, and before that
	bytes      int64                  // of the young ones
}

// contentKey names a document's whole content under one embedder.
type contentKey [16]byte

// cached is a reading that one builder makes while others wait for it.
type cached struct {
	once    sync.Once
	reading *reading
	bytes   int64 // 0: it is being read
}

// DefaultCached is how many bytes a Cache remembers unless told otherwise: some
// 40,000 typical tools.
const DefaultCached = 100 << 20

// NewCache remembers at most so many bytes of readings, one document more at the
// most, and at least half of that; zero or less means DefaultCached. Those that
// were not asked for the longest are forgotten first.
func NewCache(most int64) *Cache {
	if most <= 0 {
		most = DefaultCached
	}
	return &Cache{most: most, young: map[contentKey]*cached{}}
}

// Len is how many documents are remembered.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.young) + len(c.old)
}

// Clear forgets everything, to give memory back.
func (c *Cache) Clear() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old, c.bytes = map[contentKey]*cached{}, nil, 0
}

// reading returns what is remembered of d, or else what read gives.
func (c *Cache) reading(d *Document, e Embedder, read func() *reading) *reading {
	if c == nil {
		return read()
	}
	key := keyOf(d, e)
	found := c.find(key)
	found.once.Do(func() {
		found.reading = read()
		c.weigh(key, found)
	})
	return found.reading
}

// weigh counts a reading that was made.
func (c *Cache) weigh(k contentKey, made *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made.bytes = made.reading.remembered()
	if c.young[k] == made {
		c.bytes += made.bytes
	}
}

// find returns the place of a key. Two generations stand for the order of use:
// when the young one has grown to half of the bound, it becomes the old one, and
// what the old one had is gone.
func (c *Cache) find(k contentKey) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.young[k]; ok {
		return found
	}
	found, ok := c.old[k]
	if !ok {
		found = &cached{}
	}
	delete(c.old, k)
	if c.bytes >= c.most/2 && len(c.young) > 0 {
		c.young, c.old, c.bytes = make(map[contentKey]*cached, len(c.young)), c.young, 0
	}
	c.young[k] = found
	c.bytes += found.bytes
	return found
}

func keyOf(d *Document, e Embedder) contentKey {
	h := contentHash{hash: sha256.New()}
	if e != nil {
		h.add(e.Name())
	}
	h.add(d.Name)
	h.add(d.Source)
	h.add(d.Title)
	h.add(d.Description)
	h.count(len(d.Aliases))
	for _, alias := range d.Aliases {
		h.add(alias)
	}
	h.count(len(d.Parameters))
	for i := range d.Parameters {
		p := &d.Parameters[i]
		h.add(p.Name)
		h.add(p.Description)
		h.count(len(p.Enum))
		for _, value := range p.Enum {
			h.add(value)
		}
	}
	return contentKey(h.hash.Sum(nil)[:16])
}

// contentHash takes in strings and lengths so that no two contents look alike.
type contentHash struct {
	hash hash.Hash
	buf  []byte
}

func (h *contentHash) count(n int) {
	h.buf = binary.AppendUvarint(h.buf[:0], uint64(n))
	h.hash.Write(h.buf)
}

func (h *contentHash) add(s string) {
	h.buf = binary.AppendUvarint(h.buf[:0], uint64(len(s)))
	h.buf = append(h.buf, s...)
	h.hash.Write(h.buf)
}
