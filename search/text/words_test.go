package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// spell writes words as text, a compound's parts in brackets behind it.
func spell(words []Word) string {
	var b []string
	for _, w := range words {
		switch w.Kind {
		case Plain:
			b = append(b, w.Text)
		case Whole:
			b = append(b, fmt.Sprintf("%s(%d)", w.Text, w.Parts))
		case Part:
			b = append(b, "+"+w.Text)
		case Bigram:
			b = append(b, "~"+w.Text)
		}
	}
	return strings.Join(b, " ")
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"prose", "List all Issues, please!", "list all issues please"},
		{"the four separators of names", "a_bb-cc.dd/ee", "a bb cc dd ee"},
		{"camelCase", "createPullRequest", "createpullrequest(3) +create +pull +request"},
		{"PascalCase with capitals in front", "HTTPServerList", "httpserverlist(3) +http +server +list"},
		{"capitals alone", "HTTP", "http"},
		{"a plural of capitals", "PDFs and IDs", "pdfs and ids"},
		{"letters and digits", "base64", "base64(2) +base +64"},
		{"digits and a single letter are one word", "k8s s3", "k8s s3"},
		{"numbers", "report_17", "report 17"},
		{"a name of a company", "GitHub", "github(2) +git +hub"},
		{"a hyphenated word is also one", "e-mail", "email(0) e mail"},
		{"a hyphenated word before a full stop", "on-call.", "oncall(0) on call"},
		{"three pieces are not joined", "up-to-date", "up to date"},
		{"a hyphen in a longer name does not join", "gmail-message_send", "gmail message send"},
		{"an apostrophe ends a word", "user's", "user s"},
		{"accents stay for the stemmers", "Šią Savaitę", "šią savaitę"},
		{"decomposed letters are put together", "s\u030Caka", "šaka"},
		{"full width and ligatures", "ＡＢＣ ﬁle", "abc file"},
		{"the Turkish dotted capital", "İstanbul", "istanbul"},
		{"Chinese", "天气预报", "~天气 ~气预 ~预报"},
		{"one Chinese character", "天", "~天"},
		{"Japanese with Latin in it", "GitHubの課題", "github(2) +git +hub ~の課 ~課題"},
		{"half-width kana", "ｶﾚﾝﾀﾞｰ", "~カレ ~レン ~ンダ ~ダー"},
		{"Korean", "일정 추가", "~일정 ~추가"},
		{"Thai with its vowel signs", "ค้นหา", "~ค้ ~้น ~นห ~หา"},
		{"Arabic", "إنشاء تذكرة", "إنشاء تذكرة"},
		{"Devanagari keeps its signs", "हिन्दी", "हिन्दी"},
		{"emoji and punctuation", "🎉 — …!", ""},
		{"invalid bytes end a word", "ab\xffcd", "ab cd"},
		{"a run of data is no word", strings.Repeat("a", 65) + " b", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := spell(Words(nil, c.in)); got != c.want {
				t.Errorf("Words(%q)\n got %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"Lithuanian", "ĄČĘĖĮŠŲŪŽ", "aceeisuuz"},
		{"German", "Straße Übergröße", "strasse ubergrosse"},
		{"Polish and Danish letters without decomposition", "łódź øl æble", "lodz ol aeble"},
		{"Vietnamese", "tiếng Việt", "tieng viet"},
		{"Turkish", "Işık İl", "isik il"},
		{"Greek with accent and final sigma", "Λόγος", "λογοσ"},
		{"Cyrillic keeps й and folds ё", "Ёлка й", "елка й"},
		{"Arabic short vowels and tatweel", "مُحَمَّدـ", "محمد"},
		{"Hebrew points", "שָׁלוֹם", "שלום"},
		{"kana keep their marks", "がぱ", "がぱ"},
		{"Thai keeps its vowels", "ที่นี่", "ที่นี่"},
		{"Hindi keeps its vowels", "कृपया", "कृपया"},
		{"compatibility forms", "ｈ² ﬁ", "h2 fi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fold(c.in); got != Normal(c.want) {
				t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestNameKey(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		equal      bool
	}{
		{"case", "Get_User", "get_user", true},
		{"separators", "get-user.name/first", "get_user_name_first", true},
		{"white space", "get user", "get_user", true},
		{"accents", "sąskaita", "saskaita", true},
		{"camelCase borders are not separators", "getUser", "get_user", false},
		{"two separators are not one", "a__b", "a_b", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NameKey(c.a) == NameKey(c.b); got != c.equal {
				t.Errorf("NameKey(%q) == NameKey(%q) is %v", c.a, c.b, got)
			}
		})
	}
}

func TestStem(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"English plural", "issues", "issue"},
		{"English verb", "listing", "lists"},
		{"Russian cases", "погоды", "погода"},
		{"accents of an English word", "résumés", "resume"},
		{"Arabic article", "الملف", "ملف"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if x, y := Stem(c.a), Stem(c.b); x != y {
				t.Errorf("Stem(%q) = %q, Stem(%q) = %q", c.a, x, c.b, y)
			}
		})
	}
	for _, word := range []string{"s3", "oauth2", "ab", "天気"} {
		if got := Stem(word); got != word {
			t.Errorf("Stem(%q) = %q, want it unchanged", word, got)
		}
	}
}

func TestOtherStemsMeetAcrossEndings(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"Lithuanian", "sąskaitą", "sąskaitos"},
		{"German", "rechnungen", "rechnung"},
		{"Spanish", "documentos", "documento"},
		{"French", "continuellement", "continuelle"},
		{"Finnish", "tilauksessa", "tilaukset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := OtherStems([]string{Stem(c.a)}, c.a), OtherStems([]string{Stem(c.b)}, c.b)
			if !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) }) {
				t.Errorf("%q has %q, %q has %q: none in common", c.a, a, c.b, b)
			}
		})
	}
	for _, word := range []string{"погода", "s3", "ir", "天気"} {
		if got := OtherStems(nil, word); len(got) != 0 {
			t.Errorf("OtherStems(%q) = %q, want none", word, got)
		}
	}
}

func TestWordLists(t *testing.T) {
	function := map[string]bool{}
	for w := range functionWords {
		function[w] = true
	}
	for list, words := range map[string]map[string]bool{"stops": stops, "politeness": politeness, "common": commonWords, "function": function} {
		for w := range words {
			if Lower(Normal(w)) != w {
				t.Errorf("%s: %q is not in the form that Words gives", list, w)
			}
		}
	}
	for stem, others := range synonyms {
		for _, o := range others {
			if o == stem || !slices.Contains(synonyms[o], stem) {
				t.Errorf("synonyms of %q and %q are not mutual", stem, o)
			}
		}
		if IsQueryStop(stem) {
			t.Errorf("%q is a stop word and has synonyms", stem)
		}
	}
	if !IsStop("the") || IsStop("please") || !IsQueryStop("please") || IsQueryStop("branch") || !IsEveryday("specific") {
		t.Error("the, please, branch or specific is in the wrong list")
	}
	if !slices.Contains(Synonyms(Stem("remove")), Stem("delete")) {
		t.Error("remove and delete are no synonyms")
	}
}
