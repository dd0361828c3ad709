package search

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func firstOf(ix *Index, query string) string {
	hits := ix.Search(Query{Text: query}).Hits
	if len(hits) == 0 {
		return ""
	}
	return ix.names[hits[0].Doc]
}

// TestMeaningFinds: questions that share no word with the tool they mean.
func TestMeaningFinds(t *testing.T) {
	ix := Build([]Document{
		{Name: "mail_send", Description: "Send an e-mail message to one or more recipients."},
		{Name: "calendar_create_event", Description: "Create an event in a calendar."},
		{Name: "repo_create_branch", Description: "Create a branch in a repository."},
		{Name: "weather_forecast", Description: "Weather forecast for the coming days."},
		{Name: "invoice_list", Description: "List invoices of a customer."},
		{Name: "file_delete", Description: "Delete a file from a folder."},
	}, Options{Embedder: embedded(t)})
	for _, c := range []struct{ lang, query, first string }{
		{"Lithuanian", "koks bus oras rytoj", "weather_forecast"},
		{"Swedish, which no word list has", "radera filen", "file_delete"},
		{"Korean, which no word list has", "파일 삭제", "file_delete"},
		{"Ukrainian, which no word list has", "прогноз погоди на завтра", "weather_forecast"},
		{"Italian, which no word list has", "elenco delle fatture del cliente", "invoice_list"},
		{"German", "Wie wird das Wetter morgen", "weather_forecast"},
		{"Japanese", "明日の天気", "weather_forecast"},
		{"English", "delete_file please", "file_delete"},
	} {
		t.Run(c.lang, func(t *testing.T) {
			if got := firstOf(ix, c.query); got != c.first {
				t.Errorf("%q found %q first, want %s", c.query, got, c.first)
			}
		})
	}
}

func TestGibberishFindsNothingWithVectors(t *testing.T) {
	ix := Build(documents(t, "testdata/eval/tools.jsonl"), Options{Embedder: embedded(t)})
	for _, query := range []string{"xqzv blorf wug", "asdf qwer zxcv", "zzqx", "qqqq", "ktulu fhtagn rlyeh", "dfgdfg hjkl", "", " ", "😀", "12345", "---", "0x7f 0x80"} {
		if hits := ix.Search(Query{Text: query}).Hits; len(hits) != 0 {
			t.Errorf("%q found %v", query, namesOf(ix, hits))
		}
	}
	if r := ix.Search(Query{Text: "mesages"}); len(r.Hits) == 0 {
		t.Error("a misspelling finds nothing")
	}
}

func TestWhySaysWhatTheVectorsGave(t *testing.T) {
	docs := office()
	both, words := Build(docs, Options{Embedder: embedded(t)}), Build(docs, Options{})
	for _, query := range []string{"create calendar event tomorrow", "send an e-mail"} {
		h := both.Search(Query{Text: query}).Hits[0]
		sum, meaning := 0.0, 0.0
		for _, r := range h.Why {
			sum += r.Score
			if r.Field == FieldMeaning {
				meaning += r.Score
			}
		}
		if meaning <= 0 || meaning >= h.Score || math.Abs(sum-h.Score) > 1e-5 {
			t.Errorf("%q: %g of %g by meaning, reasons %+v", query, meaning, h.Score, h.Why)
		}
		for _, r := range words.Search(Query{Text: query}).Hits[0].Why {
			if r.Field == FieldMeaning {
				t.Errorf("%q: meaning without vectors", query)
			}
		}
	}
}

// TestNoSourceFillsThePageAlone: six servers with the same forty tools.
func TestNoSourceFillsThePageAlone(t *testing.T) {
	var docs []Document
	for s := range 6 {
		source := fmt.Sprintf("server%c", 'a'+s)
		for n := range 40 {
			docs = append(docs, Document{Name: fmt.Sprintf("%s_read_%02d", source, n), Source: source, Description: "Read a document."})
		}
	}
	for name, o := range map[string]Options{"words alone": {}, "with the model": {Embedder: embedded(t)}} {
		ix := Build(docs, o)
		for _, limit := range []int{6, 12, 30} {
			had := map[string]int{}
			for _, h := range ix.Search(Query{Text: "read a document", Limit: limit}).Hits {
				had[docs[h.Doc].Source]++
			}
			for source, n := range had {
				if n > limit/6+1 {
					t.Errorf("%s: %s has %d of %d places", name, source, n, limit)
				}
			}
		}
	}
}

func TestAPinnedDocumentComesBeforeWhatIsNotTwiceAsGood(t *testing.T) {
	docs := []Document{
		{Name: "mail_send", Description: "Send a mail."},
		{Name: "post_send", Description: "Send a letter by mail."},
		{Name: "cake_bake", Description: "Bake a cake.", Pinned: true},
	}
	ix := Build(docs, Options{})
	if got := firstOf(ix, "send a mail"); got != "mail_send" {
		t.Fatalf("found %s first", got)
	}
	docs[1].Pinned = true
	ix = Build(docs, Options{})
	for _, c := range []struct{ query, first string }{
		{"send a mail", "post_send"}, {"mail_send", "mail_send"}, {"bake", "cake_bake"},
	} {
		if got := firstOf(ix, c.query); got != c.first {
			t.Errorf("%q found %s first, want %s", c.query, got, c.first)
		}
	}
	for _, h := range ix.Search(Query{Text: "send a mail"}).Hits {
		if docs[h.Doc].Name == "cake_bake" {
			t.Error("a pinned document that doesn't fit was found")
		}
	}
}

func TestAliasesAreFoundLikeNames(t *testing.T) {
	ix := Build([]Document{
		{Name: "crm_deal_create", Description: "Create a deal.", Aliases: []string{"new opportunity", "naujas sandoris"}},
		{Name: "crm_deal_list", Description: "List deals; an opportunity is one."},
	}, Options{})
	for _, query := range []string{"opportunity", "sandorį", "new opportunity"} {
		if got := firstOf(ix, query); got != "crm_deal_create" {
			t.Errorf("%q found %q first", query, got)
		}
	}
}

// TestSmallAndOddCatalogs: none, one and equal documents, and no description.
func TestSmallAndOddCatalogs(t *testing.T) {
	for name, o := range sides(t) {
		if r := Build(nil, o).Search(Query{Text: "send a mail"}); len(r.Hits)+len(r.NearTerms) != 0 {
			t.Errorf("%s: an empty catalog found %+v", name, r)
		}
		one := Build([]Document{{Name: "mail_send"}}, o)
		if got := firstOf(one, "send a mail"); got != "mail_send" {
			t.Errorf("%s: one tool without a description: found %q", name, got)
		}
		var same []Document
		for n := range 200 {
			same = append(same, Document{Name: fmt.Sprintf("tool%03d", n), Description: "Send a mail to somebody."})
		}
		hits := Build(same, o).Search(Query{Text: "send a mail", Limit: 20}).Hits
		if len(hits) != 20 {
			t.Fatalf("%s: %d of 200 equal tools", name, len(hits))
		}
		nameless := Build([]Document{{}, {Name: " "}, {Description: "Send a mail."}}, o)
		nameless.Search(Query{Text: "send a mail"})
		one.Search(Query{Text: strings.Repeat("send mails ", 10_000)})
	}
}

func TestProductsInWholeNumbersAreCosines(t *testing.T) {
	e := embedded(t)
	texts := []string{"send an e-mail", "išsiųsti laišką", "delete a file", "weather"}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = make([]float32, e.Dim())
		e.Embed(vectors[i], s)
	}
	for i, a := range vectors {
		for j, b := range vectors {
			exact := 0.0
			for k := range a {
				exact += float64(a[k]) * float64(b[k])
			}
			doc, query := quantise(a), quantiseQuestion(b)
			got := float64(dot(doc.values, query.values)) * float64(doc.unit) * float64(query.unit)
			if math.Abs(got-exact) > .005 {
				t.Errorf("%q and %q: cosine %.4f, want %.4f", texts[i], texts[j], got, exact)
			}
		}
	}
	// Two documents in one row, of a length that is no multiple of eight.
	extremes := []float32{-1, 1, -1, 1, 1, 1, -1, 1, 1, -1, 0}
	other := []float32{1, 1, .5, -1, -.25, 1, 1, 0, 0, 1, 1}
	asked := []float32{-1, .3, .5, 1, -1, 1, .1, 1, -1, -1, 1}
	pair := matrixOf([]*reading{{vector: quantise(extremes)}, {vector: quantise(other)}, {vector: quantise(other)}}, fixed(len(asked)))
	q := quantiseQuestion(asked)
	wide := make([]int64, len(asked))
	for i, x := range q.values {
		wide[i] = int64(x)
	}
	low, high := dotPair(pair.row(0), wide)
	last, none := dotPair(pair.row(2), wide)
	if low != dot(quantise(extremes).values, q.values) || high != dot(quantise(other).values, q.values) || last != high || none != 0 {
		t.Errorf("products of a row are %d and %d, of the last %d and %d", low, high, last, none)
	}
	if quantise(make([]float32, 8)).values != nil || quantiseQuestion(make([]float32, 8)).values != nil {
		t.Error("a vector of zeros is none")
	}
	extreme := make([]float32, maxDim)
	for i := range extreme {
		extreme[i] = 1
	}
	doc, query := quantise(extreme), quantiseQuestion(extreme)
	if got := dot(doc.values, query.values); got != docScale*queryScale*maxDim {
		t.Errorf("the greatest product overflows: %d", got)
	}
	for i := range extreme {
		wide = append(wide[:i], int64(query.values[i]))
		extreme[i] = -1
	}
	greatest := matrixOf([]*reading{{vector: doc}, {vector: quantise(extreme)}}, fixed(maxDim))
	if low, high := dotPair(greatest.row(0), wide); low != docScale*queryScale*maxDim || high != -low {
		t.Errorf("the greatest products of a row are %d and %d", low, high)
	}
}

// fixed is an Embedder of a length, for tests that bring vectors themselves.
type fixed int

func (f fixed) Dim() int                    { return int(f) }
func (fixed) Name() string                  { return "fixed" }
func (fixed) Embed(dst []float32, _ string) { clear(dst) }

// matrixOf has the vectors of some readings.
func matrixOf(read []*reading, e Embedder) matrix {
	var none matrix
	return none.next(changesOf(&Index{}, make([]Document, len(read))), read, e)
}
