package text

import "strings"

// Languages is a set of languages, one bit each, in the order of the glossary's
// columns.
type Languages uint16

// The languages of the glossary.
const (
	LangLithuanian Languages = 1 << iota
	LangGerman
	LangSpanish
	LangFrench
	LangPolish
	LangPortuguese
	LangRussian
	LangTurkish
	LangJapanese
	LangChinese
	LangArabic
	LangHindi
	allLanguages = 1<<iota - 1
)

// functionWords are articles, prepositions, pronouns, question words and
// auxiliaries. In a query they would meet a tool's text by chance only, and they
// tell languages apart. Words that mean something in English are left out.
var functionWords = byLanguage(map[Languages]string{
	LangLithuanian: `į iš ar kad yra mano prie nuo apie už kas ką kam kur kada kaip kiek kodėl kuris kuri kurie kurios kurių kurioje
		kuriame kurį kurią kokia koks kokie kokios kokį kokią kokius mane mes mums mūsų mus tau tave jūs jums jo jos jų jam jai jį ją jie
		tai tą tuos tų šis ši šį šią šios šio šiuo šie šių šitas visi visus visas visų visiems viską viskas ir bet arba su be iki dėl
		pagal kai jei jeigu dar jau tik ne nėra buvo būtų noriu norėčiau reikia galiu gali galėtum galėtų prašau kažkas kažką kažkur dabar
		labai taip tegul savo mano tarp ant`,
	LangGerman: `der den dem des das ein eine einen einem einer eines und oder aber von vom zu zum zur auf für ist sind bitte mir mich mein meine
		meinen meinem meiner ich du wir uns unser unsere unseren unserem ihr ihre es wer wie wo wann warum welche welcher welches welchen mit bei
		aus nach über unter vor zwischen durch ohne um bis nicht kein keine noch auch nur schon jetzt gerade alle alles diese dieser dieses
		diesen diesem möchte kann können soll muss werden wird wurde haben habe gibt sich dass wenn als beim ins im`,
	LangSpanish: `el la los las un unas unos una de del y al por para que qué lo en es con sobre entre desde hasta cuando cuándo donde
		dónde cómo como cuánto cuántos cuánta cuántas quién quiénes cuál cuáles mi mis mí nos nuestro nuestra nuestros nuestras tu tus su sus se
		le les este esta esto estos estas ese esa eso ya muy más toda todos todas está están fue quiero quisiera necesito puedo puedes
		podrías ahora`,
	LangFrench: `le la les du des une et ou au aux dans sur sous pour par avec sans ce cet cette ces mon ma mes notre nos votre vos sa ses leur
		leurs je tu il elle nous vous ils elles qui que quoi quel quelle quels quelles où quand combien pourquoi est sont être été avons
		avez ont ne pas tout toute tous toutes veux voudrais peux peut pouvez besoin plaît maintenant depuis vers chez en qu`,
	LangPolish: `na od za przy nie jest są się dla moje mój moja moim moich mnie mi mam ja ty nasz nasze nasza naszego naszej naszym kto co
		gdzie kiedy jak ile dlaczego który która które którego których czy ta te tego tej tym tych wszystkie wszystkich wszystko oraz lub 		przez bez nad między już jeszcze tylko teraz chcę potrzebuję proszę mogę może ze we`,
	LangPortuguese: `um uma uns de da das dos e ou em na nas nos ao à aos às por para com sem sobre entre até que quem qual quais onde quando
		como quanto quantos quantas meu minha meus minhas nosso nossa nossos nossas seu sua este esta isto esse essa isso já mais toda todos
		todas é são está estão foi há quero preciso posso agora`,
	LangRussian: `и в во на с со по к ко у о об из от до за для не что чтобы как это все всё кто где когда сколько почему какой какая какие какое
		каких мне меня мой моя мои моё нам наш наша наши наше нас я ты мы вы он она они его её их этот эта эти той того тот же ли бы есть был была
		будет надо нужно хочу можно могу пожалуйста сейчас уже ещё только или но если`,
	LangTurkish: `bir bu şu ve veya ile için ile mi mı mu mü ne nerede nasıl kim kaç hangi neden niçin ben bana benim beni biz bize bizim sen
		sana senin onun olan olarak çok daha tüm bütün her hepsi yok lütfen istiyorum gerek şimdi`,
	LangArabic: `في من على إلى عن مع هذا هذه ما ماذا كيف متى أين كم هل التي الذي لي أنا نحن هو هي كل أن أو لا فضلك أريد يمكن`,
	LangHindi: `का की के को में से पर है हैं और या यह वह ये वे मेरा मेरी मेरे मुझे हमारे हमारा हमारी कौन क्या कहाँ कब कैसे कितने कितना किस सभी सब ने तक
		लिए कृपया एक इस उस`,
	0: `het een voor`, // Dutch, of which the glossary knows nothing
})

func byLanguage(lists map[Languages]string) map[string]Languages {
	all := map[string]Languages{}
	for lang, words := range lists {
		for _, w := range strings.Fields(words) {
			all[w] |= lang
		}
	}
	return all
}

// FunctionWord reports the languages in which word, in lower case, is an
// article, a preposition or the like; none for English.
func FunctionWord(word string) (Languages, bool) {
	l, ok := functionWords[word]
	return l, ok
}
