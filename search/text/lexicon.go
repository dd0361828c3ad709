package text

import (
	_ "embed"
	"encoding/binary"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed lexicon.bin
var lexiconFile string

// Lexicon says what words of other languages are in English. It was learned from
// translations of interfaces (model/train), knows far more words than the
// [Glossary], and is less sure of each. It is read in place: a look-up is a binary
// search and a walk over at most lexiconBlock keys.
//
// The file is, in little-endian numbers: "LEX1"; how many bytes English words
// follow, and these, parted by newlines; how many blocks of keys follow; where
// each begins; the blocks. A block holds up to lexiconBlock keys in order: how many bytes a
// key shares with the one before, how many follow, these; how many translations
// there are; and each of them: the number of an English word times 16 plus how
// likely it is (1 to 15), as a uvarint, and the Languages in which it holds, in two bytes.
type Lexicon struct {
	english []string
	starts  []uint32
	blocks  string
}

const (
	lexiconMagic = "LEX1"
	lexiconBlock = 16
)

var lexiconOnce = sync.OnceValue(func() *Lexicon { return readLexicon(lexiconFile) })

// SharedLexicon returns the one lexicon, which never changes.
func SharedLexicon() *Lexicon { return lexiconOnce() }

// Languages that the glossary does not have share bits by family.
const (
	langSlavic Languages = 1 << (12 + iota)
	langNordic
	langRomance
	langElse
)

// latinLanguages are the languages of the stemmers of Latin letters, in their order.
var latinLanguages = []Languages{
	LangLithuanian, LangGerman, LangFrench, LangSpanish, LangPortuguese, langRomance, langRomance,
	langNordic, langNordic, langNordic, langNordic, langElse, langElse, LangTurkish, 0,
}

func readLexicon(file string) *Lexicon {
	file = file[len(lexiconMagic):]
	number := func() int {
		n := binary.LittleEndian.Uint32([]byte(file[:4]))
		file = file[4:]
		return int(n)
	}
	n := number()
	l := &Lexicon{english: strings.Split(file[:n], "\n")}
	file = file[n:]
	l.starts = make([]uint32, number())
	for i := range l.starts {
		l.starts[i] = uint32(number())
	}
	l.blocks = file
	return l
}

// firstKey is the key that a block begins with.
func (l *Lexicon) firstKey(block int) string {
	at := l.starts[block]
	return l.blocks[at+2 : at+2+uint32(l.blocks[at+1])]
}

// ofKey calls found with what stands under a key for any of langs, and reports
// whether anything does.
func (l *Lexicon) ofKey(key string, langs Languages, found func(Translation)) (some bool) {
	block := sort.Search(len(l.starts), func(i int) bool { return l.firstKey(i) > key }) - 1
	if block < 0 {
		return false
	}
	l.walk(block, func(here []byte, all string) bool {
		if string(here) != key {
			return string(here) < key
		}
		for all = all[1:]; all != ""; {
			v, size := uvarint(all)
			of := Languages(all[size]) | Languages(all[size+1])<<8
			all = all[size+2:]
			if of &= langs; of != 0 {
				word := l.english[v>>4]
				found(Translation{Stem: Stem(word), Word: word, Of: of, Likely: float32(v&15) / 15})
				some = true
			}
		}
		return false
	})
	return some
}

// walk calls each with the keys of a block in order, and what stands under
// them, until it says false.
func (l *Lexicon) walk(block int, each func(key []byte, all string) bool) {
	rest := l.blocks[l.starts[block]:]
	if block+1 < len(l.starts) {
		rest = l.blocks[l.starts[block]:l.starts[block+1]]
	}
	var key []byte
	for rest != "" {
		shared, length := int(rest[0]), int(rest[1])
		key = append(key[:shared], rest[2:2+length]...)
		all := rest[2+length:]
		end := 1
		for n := all[0]; n > 0; n-- {
			_, size := uvarint(all[end:])
			end += size + 2
		}
		if !each(key, all[:end]) {
			return
		}
		rest = all[end:]
	}
}

func uvarint(s string) (v uint64, size int) {
	for shift := 0; ; shift += 7 {
		b := s[size]
		size++
		v |= uint64(b&127) << shift
		if b < 128 {
			return v, size
		}
	}
}

// OfWord calls found with the English of a word as Words gives it, in each
// language that it may belong to; stems are what StemsIn has for it.
func (l *Lexicon) OfWord(word string, stems []StemIn, found func(Translation)) {
	folded := Fold(word)
	first, _ := utf8.DecodeRuneInString(folded)
	switch {
	case len(stems) > 0:
		l.ofLatin(folded, stems, found)
	case unicode.Is(unicode.Devanagari, first):
		l.ofKey(withoutEnding(folded, hindiEndings, 2), LangHindi, found)
	case isUnspaced(first): // In knows these
	default:
		l.ofKey(Stem(word), ^Languages(0), found)
	}
}

// ofLatin looks for a word under its stems, and whole in languages whose stem of
// it is too short to tell it from others.
func (l *Lexicon) ofLatin(folded string, stems []StemIn, found func(Translation)) {
	whole := Languages(0)
	for _, s := range stems {
		switch {
		case utf8.RuneCountInString(s.Stem) < minOtherStem, s.Stem == folded:
			whole |= s.Of
		default:
			l.ofKey(s.Stem, s.Of, found)
		}
	}
	slavic := withoutEnding(folded, slavicEndings, minOtherStem)
	if slavic == folded {
		whole |= LangPolish | langSlavic
	} else {
		l.ofKey(slavic, LangPolish|langSlavic, found)
	}
	l.ofKey(folded, whole, found)
}

// OfForm calls found with the English of the words that a folded word shares its
// beginning with, but for a short ending: forms that stemming leaves apart.
func (l *Lexicon) OfForm(folded string, found func(Translation)) {
	start, ok := startOf(folded)
	if !ok {
		return
	}
	best, longest := []string(nil), 0
	first := max(0, sort.Search(len(l.starts), func(i int) bool { return l.firstKey(i) > start })-1)
	for block := first; block < min(len(l.starts), first+mostBlocks); block++ {
		l.walk(block, func(here []byte, _ string) bool {
			if len(here) < len(start) || string(here[:len(start)]) != start {
				return string(here) < start
			}
			key := string(here)
			n := sharedStart(folded, key)
			if n < longest || utf8.RuneCountInString(folded[n:]) > mostEnding || utf8.RuneCountInString(key[n:]) > mostEnding {
				return true
			}
			if n > longest {
				best, longest = nil, n
			}
			best = append(best, key)
			return true
		})
		if next := block + 1; next < len(l.starts) && !strings.HasPrefix(l.firstKey(next), start) {
			break
		}
	}
	for _, key := range best {
		l.ofKey(key, ^Languages(0), found)
	}
}

// mostBlocks is how far words with one beginning are looked for.
const mostBlocks = 16

// Bounds of a look-up in a text without spaces: the longest word, and how much of
// the text is read, in runes.
const (
	longestUnspaced = 10
	mostUnspaced    = 500
)

// In calls found with the English of each word in the unspaced parts of a folded
// text: of the words that begin at a place the longest, and none inside another.
func (l *Lexicon) In(text string, found func(word string, english []Translation)) {
	if isASCII(text) {
		return
	}
	runes := []rune(text)
	runes = runes[:min(len(runes), mostUnspaced)]
	for i := 0; i < len(runes); {
		if !isUnspaced(runes[i]) {
			i++
			continue
		}
		n := min(longestUnspaced, len(runes)-i)
		for ; n > 1; n-- {
			word := string(runes[i : i+n])
			var all []Translation
			l.ofKey(word, LangJapanese|LangChinese|langElse, func(t Translation) { all = append(all, t) })
			if len(all) > 0 {
				found(word, all)
				break
			}
		}
		i += max(1, n)
	}
}

// Endings of languages without a stemmer of their own here.
var (
	slavicEndings = longestFirst(`iami ami iach ach ech ich ych iego ego iemu emu ymi imi owie owi ow om em am ym im iej ej ie ia iu io
		owac ywac iwac ovat ac ec ic yc at it et y i a e o u`)
	hindiEndings = longestFirst(`ियों ियाँ ियां ाएं ाएँ ाओं ुओं ों ें ीं ाँ ां ाना ना ने नी ता ती ते ा ी े ि ु ू ो`)
)

// withoutEnding takes the longest ending off that leaves at least least runes.
func withoutEnding(word string, endings []string, least int) string {
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(word, e); ok && utf8.RuneCountInString(rest) >= least {
			return rest
		}
	}
	return word
}
