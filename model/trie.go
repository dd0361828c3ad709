package model

import (
	"bytes"
	"cmp"
	"slices"
)

// trie finds all pieces that start a text. The nodes lie breadth first, so that the children of a node are
// neighbours and their labels one run of bytes.
type trie struct {
	labels []byte   // of each node: the byte that leads to it
	first  []uint32 // of each node: its first child; one more entry ends the last node's run
	piece  []int32  // of each node: the id of the piece that ends here, or noPiece
}

const noPiece = -1

// keyed is a piece with its first eight bytes as a number, which answers most questions without looking at the piece.
type keyed struct {
	start uint64
	id    int32
	size  int32
}

// at is the byte at an offset below the size.
func (k keyed) at(pieces []string, i int32) byte {
	if i < 8 {
		return byte(k.start >> (56 - 8*i))
	}
	return pieces[k.id][i]
}

// span is a node whose children are still to be laid out: the order[lo:hi] that share their first depth bytes.
type span struct{ lo, hi, depth int32 }

// newTrie lays the pieces out. Ids are their places in the argument; of two equal pieces the later one counts.
func newTrie(pieces []string) *trie {
	order := sorted(pieces)
	guess := 3 * len(pieces)
	t := &trie{labels: make([]byte, 1, guess), first: make([]uint32, 0, guess), piece: make([]int32, 1, guess)}
	t.piece[0] = noPiece
	queue := make([]span, 1, guess)
	queue[0] = span{0, int32(len(order)), 0}
	for at := 0; at < len(queue); at++ {
		s := queue[at]
		t.first = append(t.first, uint32(len(queue)))
		for s.lo < s.hi && order[s.lo].size == s.depth {
			t.piece[at] = order[s.lo].id
			s.lo++
		}
		for s.lo < s.hi {
			label, end := order[s.lo].at(pieces, s.depth), s.lo+1
			for end < s.hi && order[end].at(pieces, s.depth) == label {
				end++
			}
			queue = append(queue, span{s.lo, end, s.depth + 1})
			t.labels = append(t.labels, label)
			t.piece = append(t.piece, noPiece)
			s.lo = end
		}
	}
	t.first = append(t.first, uint32(len(queue)))
	return t
}

// sorted orders the pieces by their bytes, equal ones by id: by their first eight bytes with a radix sort, which keeps
// the order of equals, then each run of equals.
func sorted(pieces []string) []keyed {
	order, spare := make([]keyed, len(pieces)), make([]keyed, len(pieces))
	for i, p := range pieces {
		k := uint64(0)
		for j := range min(len(p), 8) {
			k |= uint64(p[j]) << (56 - 8*j)
		}
		order[i] = keyed{k, int32(i), int32(len(p))}
	}
	for shift := 0; shift < 64; shift += 8 {
		var ends [257]int
		for _, k := range order {
			ends[k.start>>shift&255+1]++
		}
		for i := range 256 {
			ends[i+1] += ends[i]
		}
		for _, k := range order {
			digit := k.start >> shift & 255
			spare[ends[digit]] = k
			ends[digit]++
		}
		order, spare = spare, order
	}
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && order[hi].start == order[lo].start {
			hi++
		}
		if hi-lo > 1 {
			slices.SortStableFunc(order[lo:hi], func(a, b keyed) int { return cmp.Compare(pieces[a.id], pieces[b.id]) })
		}
		lo = hi
	}
	return order
}

// child returns the node that label leads to from node, or 0.
func (t *trie) child(node uint32, label byte) uint32 {
	lo, hi := t.first[node], t.first[node+1]
	run := t.labels[lo:hi]
	if len(run) <= 8 {
		for i, l := range run {
			if l == label {
				return lo + uint32(i)
			}
		}
		return 0
	}
	i := bytes.IndexByte(run, label)
	if i < 0 {
		return 0
	}
	return lo + uint32(i)
}

// find returns the id of a whole piece, or noPiece.
func (t *trie) find(piece []byte) int32 {
	node := uint32(0)
	for _, b := range piece {
		if node = t.child(node, b); node == 0 {
			return noPiece
		}
	}
	return t.piece[node]
}
