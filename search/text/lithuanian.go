package text

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// The Lithuanian stemmer, after the algorithm published at
// https://snowballstem.org/algorithms/lithuanian/stemmer.html: an ending is
// taken off once, suffixes as long as there are any, both only behind p1 (the
// first consonant after the first vowel), with three repairs of consonants.

const lithuanianVowels = "aeiyouąęįųėū"

// Lithuanian returns the stem of a lower-case Lithuanian word.
func Lithuanian(word string) string {
	p1 := lithuanianStart(word)
	word = swapEnding(word, lithuanianConflicts)
	p1 = min(p1, len(word))
	word, _ = cutEnding(word, p1, lithuanianEndings)
	word = swapEnding(word, lithuanianAffricates)
	for cut := true; cut; {
		word, cut = cutEnding(word, p1, lithuanianSuffixes)
	}
	word = swapEnding(word, lithuanianAffricates)
	if strings.HasSuffix(word, "gd") {
		word = word[:len(word)-1]
	}
	return strings.TrimSuffix(word, "'")
}

// lithuanianStart returns p1 as a byte offset; len(word) when there is none.
func lithuanianStart(word string) int {
	skip := 0
	if strings.HasPrefix(word, "a") && utf8.RuneCountInString(word) > 6 {
		skip = 1
	}
	vowel := false
	for i, r := range word {
		if i < skip {
			continue
		}
		isVowel := strings.ContainsRune(lithuanianVowels, r)
		if vowel && !isVowel {
			return i + utf8.RuneLen(r)
		}
		vowel = vowel || isVowel
	}
	return len(word)
}

// cutEnding removes the longest of endings that lies wholly behind p1.
func cutEnding(word string, p1 int, endings []string) (string, bool) {
	for _, e := range endings {
		if len(word)-len(e) >= p1 && strings.HasSuffix(word, e) {
			return word[:len(word)-len(e)], true
		}
	}
	return word, false
}

// swapEnding replaces the first of pairs (ending, replacement) that fits.
func swapEnding(word string, pairs [][2]string) string {
	for _, p := range pairs {
		if strings.HasSuffix(word, p[0]) {
			return word[:len(word)-len(p[0])] + p[1]
		}
	}
	return word
}

var lithuanianAffricates = [][2]string{{"č", "t"}, {"dž", "d"}}

// lithuanianConflicts are endings that two paradigms share; longest first.
var lithuanianConflicts = [][2]string{
	{"okatės", "okatė"}, {"ėjime", "ėjimas"}, {"ojime", "ojimas"}, {"avime", "avimas"},
	{"okate", "okatė"}, {"aitės", "aitė"}, {"uotės", "uotė"}, {"asius", "asys"},
	{"aite", "aitė"}, {"uote", "uotė"}, {"esiu", "esys"},
}

// lithuanianEndings are the endings of nouns and adjectives by declension, then
// those of verbs by mood and tense; longest first.
var lithuanianEndings = longestFirst(`
	as ias is ys o io ui iui ą ią į u iu e yje y au i an
	ai iai ų ių ams am iams iam us ius ais iais uose iuose uos iuos uosna iuosna ysna
	asis aisi osi ųsi uisi ąsi usi esi uo
	a ia os ios oj oje ioje osna iosna om oms ioms omis iomis ose iose on ion
	ė ės ei ę ėj ėje ėms es ėmis ėse ėsna ėn
	aus iaus umi iumi uje iuje iau ūs ums umis un iun
	ies ens enio eniui enį imi eniu enyje ie enie enys ims enims enis imis enimis yse enyse
	iem iems ame iame
	uosi iuosi iesi asi iasi amės iamės at ate iat iate atės iatės
	isi im imės it ite ome ot ote ėjo ėjosi otės
	eisi ėsi ėm ėme ėmės ėt ėte ėtės ausi omės
	siu siuosi si siesi s ysis sim sime sit site
	čiau čiausi tum tumei tumeis tumeisi tųsi tumėm tumėme tumėmės tute tumėt tumėte tumėtės
	k ki kimės
	uoti iuoti auti iauti oti ioti ėti yti inti inėti enti telėti terėti ti
	ąs iąs įs tųs simės sitės kite`)

// lithuanianSuffixes are the suffixes before an ending; longest first.
var lithuanianSuffixes = longestFirst(`
	ing išk ėt ot uot iuot yt iuk iul ėl yl učiuk uliuk utėlait ok iok sv šv zgan op iop ain ykšt ykšč
	esn aus iaus
	ias oj ioj aj iaj ąj iąj uoj iuoj iej ųj iųj ies uos iuos ais iais
	os ios ąs iąs dav
	ant iant int ėj ę ėję ęs siant dam auj jam iau am`)

func longestFirst(list string) []string {
	out := strings.Fields(list)
	sort.SliceStable(out, func(i, j int) bool { return len(out[i]) > len(out[j]) })
	return out
}
