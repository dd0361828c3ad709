package text

import "strings"

// Asks reports whether a request asks to be told something (who owes us money, kur
// yra siunta) and not for something to be done. Where a language puts its question
// word first, only that place counts. Words that also begin a condition (when, quand)
// or ask how something is done count with what follows them or not at all, and
// neither does a question mark: people ask politely for what is to be done.
func Asks(request string) bool {
	first := ""
	for _, w := range Words(nil, request) {
		switch {
		case w.Kind == Whole:
			continue
		case askingAnywhere[w.Text]:
			return true
		case first == "":
			if askingFirst[w.Text] {
				return true
			}
			first = w.Text
		default:
			if follow, ok := askingPairs[first]; ok && follow[w.Text] {
				return true
			}
			first = "-"
		}
	}
	for _, part := range askingInside {
		if strings.Contains(request, part) {
			return true
		}
	}
	return false
}

// askingFirst ask when they begin a request.
var askingFirst = set(`what whats who whos whom whose where wheres why which is are was were does did has had any
	kas ką kam kieno kur kada kodėl kuris kuri kurie kurios kurį kurią kuriuos kurias koks kokia kokie kokios kokį kokią kokius kokias kiek ar
	was wer wem wen wessen wo wohin woher wann warum weshalb wieso welche welcher welches welchen wieviel wieviele ist sind war hat gibt
	qué quién quiénes cuál cuáles dónde adónde cuándo cuánto cuánta cuántos cuántas hay está están
	qui que quoi quel quelle quels quelles où combien pourquoi est
	kto kogo komu co gdzie dlaczego który która które ile czy jaki jaka jakie jakich
	quem qual quais onde quanto quanta quantos quantas há
	кто кого что где куда почему какой какая какие какое сколько чей чья чьи есть
	من ما ماذا أين متى لماذا كم هل`)

// askingPairs ask when one of their words follows.
var askingPairs = map[string]map[string]bool{
	"how":  set(`many much long often far big high old late is are was were did does has s`),
	"when": set(`is are was were does did do will has s`),
	"wie":  set(`viel viele hoch lange oft weit spät alt warm kalt ist sind war steht`),
}

// askingAnywhere ask in languages that leave the question word where its answer stands.
var askingAnywhere = set(`kim kimin kime nerede nereye neden niçin hangi kaç
	कौन किसने किसका किसकी कहाँ कहां कब क्यों कितने कितना कितनी`)

// askingInside ask in scripts without spaces.
var askingInside = strings.Fields(`誰 どこ なぜ どうして いくら いくつ 何が 何を 何時 何人 何件 何日 ですか でしょうか
	谁 什么 什麼 哪 多少 几点 几个 为何 何时 有没有`)

// Verb is a verb by which tools change something; 0: none.
type Verb uint8

// changing numbers such verbs by stem. A word that is as often a noun in names of
// tools (order, book) stands here too: what tells has another verb beside it.
var changing = func() map[string]Verb {
	m := map[string]Verb{}
	for i, w := range strings.Fields(`create add new make insert delete remove erase drop clear purge update edit modify change set put patch send post
		publish submit move copy upload import cancel archive close start stop restart run execute trigger enable disable activate deactivate
		assign unassign merge rename write append pay refund transfer book reserve buy order approve reject accept decline invite join leave kick
		ban mute pin unpin lock unlock attach detach subscribe unsubscribe schedule reschedule reply forward share grant revoke reset restore
		rollback deploy scale install uninstall save retry register mark tag label log kill pause resume freeze click type press fill upsert
		replace convert generate fork`) {
		m[Stem(w)] = Verb(i + 1)
	}
	return m
}()

// telling are the stems of verbs by which tools change nothing, and of what they tell.
var telling = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`get list search find query show describe read view fetch lookup check count inspect status history report`) {
		m[Stem(w)] = true
	}
	return m
}()

// VerbOf is the changing verb that a stem is.
func VerbOf(stem string) Verb { return changing[stem] }

// ChangingVerb is the first verb in a tool's name by which it changes something;
// none when the name has one that tells.
func ChangingVerb(name string) Verb {
	verb := Verb(0)
	for _, w := range Words(nil, name) {
		if w.Kind == Whole {
			continue
		}
		stem := Stem(w.Text)
		if telling[stem] {
			return 0
		}
		if verb == 0 {
			verb = changing[stem]
		}
	}
	return verb
}
