package text

import "strings"

// stops are English words that say nothing about a tool wherever they stand in
// prose.
var stops = set(`a an and any are as at be been being but by can do does for from had has have he her his how i if in
	into is it its me my no not of off on or our she so some such than that the their them then there these they this
	those to too us was we were what when where which who whom whose why will with would you your s t`)

// politeness are words that only questions to an assistant are full of.
var politeness = set(`please could should shall may might must want wants need needs help like kindly let lets just also
	now im id ive youre dont am did done about know tell give wondering looking interested ll re ve d m hi hello thanks
	thank you some something anything someone able using via all more most very really much many
	don doesn didn isn aren wasn weren wouldn couldn shouldn hasn haven hadn ain somebody anybody everybody nobody everyone
	anyone somewhere anywhere everywhere else ugh oh hey ok okay`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// IsStop reports an English stop word; word in lower case.
func IsStop(word string) bool { return stops[word] }

// IsQueryStop reports a word that is no use in a query: a stop word, or one of
// the words with which people ask. In a tool's text these count.
func IsQueryStop(word string) bool {
	_, function := functionWords[word]
	return function || stops[word] || politeness[word]
}

// commonWords are everyday English words that carry little of a request. Which
// words are rare in a catalog of fifty tools is mostly chance; that these are
// not rare in speech is known.
var commonWords = set(`able above according across actually again ago almost along already although always among another anyone
	appropriate around ask available aware away back bad based basic because become before began begin behind
	believe best better between big both bring came cannot care case certain certainly clear clearly come comes
	common completely concerned consider contain correct couple course curious current currently day days decide
	deep desired despite detail detailed details different difficult directly due during each early easily easy
	effective either else end enough ensure entire especially etc even ever every everything exact exactly example
	excellent except excited existing expect experience extra face fact far fast features feel feeling few final
	fine first focus force former full fun further future gain general generally given gives going good got great
	hand happen hard having hear hello hey high hope imagine immediate important include included includes including
	indeed individual instead interested interesting involve keep key kind knowing large last lately later latest
	least left less line little live long longer look lot low made main make makes making matter maybe mean means
	mention might mind minute moment month months multiple must myself near necessary needed never new next nice
	none normal nothing often old once one ones only options other others otherwise out outside over overall own
	particular particularly past perfect perhaps personal point popular possible potential prefer present pretty
	previous probably problem proper properly provide provided provides purpose put quick quickly quite rather ready
	real really reason recent recently regarding related relevant rest right same say says see seem seen serious
	several short similar simple simply since single situation small soon sort special specific specifically stay
	still strong stuff successful such sufficient suitable sure take taken takes talk thing things think though
	thought through throughout time times today together told took total totally toward try trying turned two
	typical understand understanding unique until up upcoming upon us use used useful uses usual usually valuable
	various want way ways week weeks well went while whole wide within without wonderful word words working worry
	worth wrong year years yes yesterday yet`)

// IsEveryday reports an everyday English word, which should count for less.
func IsEveryday(word string) bool { return commonWords[word] }
