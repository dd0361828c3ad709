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
	thank you some something anything someone able using via all more most very really much many`)

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
func IsQueryStop(word string) bool { return stops[word] || politeness[word] }
