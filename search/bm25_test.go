package search

import (
	"math"
	"testing"
)

// near5 compares to the five decimals of a table worked by hand.
func near5(a, b float64) bool { return math.Abs(a-b) < 5e-6 }

// TestIDFTable holds the inverse document frequency to log(1 + (N-n+.5)/(n+.5))
// worked by hand; a bracket in the wrong place keeps the order of words and
// loses rarity.
func TestIDFTable(t *testing.T) {
	for _, c := range []struct {
		total, having int
		want          float64
	}{
		{1, 1, 0.28768}, // log(1 + 0.5/1.5)
		{2, 1, 0.69315}, // log(1 + 1.5/1.5)
		{3, 1, 0.98083}, // log(1 + 2.5/1.5)
		{3, 2, 0.47000}, // log(1 + 1.5/2.5)
		{3, 3, 0.13353}, // log(1 + 0.5/3.5)
		{10, 1, 1.99243},
		{1000, 1, 6.50329},
		{1000, 500, 0.69315},
		{1000, 1000, 0.00050},
	} {
		if got := idf(c.total, c.having); !near5(got, c.want) {
			t.Errorf("idf(%d, %d) = %.5f, want %.5f", c.total, c.having, got, c.want)
		}
	}
}

// plain is BM25F alone: no lift, no guesses.
func plainTuning() tuning {
	return tuning{
		K1:     1.2,
		Weight: [fields]float64{3, 1, 1, 1, 1, 1, 1, 1},
		B:      [fields]float64{.3, .3, .3, .3, .6, .6, .6, .6},
	}
}

func scores(ix *Index, query string) map[string]float64 {
	out := map[string]float64{}
	for _, h := range ix.Search(Query{Text: query, Limit: 50}).Hits {
		out[ix.names[h.Doc]] = h.Score
	}
	return out
}

func wantScores(t *testing.T, ix *Index, query string, want map[string]float64) {
	t.Helper()
	got := scores(ix, query)
	if len(got) != len(want) {
		t.Errorf("%q found %v, want %v", query, got, want)
	}
	for name, w := range want {
		if !near5(got[name], w) {
			t.Errorf("%q: score of %s = %.5f, want %.5f", query, name, got[name], w)
		}
	}
}

// TestBM25TableWorkedByHand: three descriptions of 3, 1 and 4 words, 8/3 on
// average; k1 1.2, b .6, weight 1.
//
//	norm  A 1-.6+.6*3/(8/3) = 1.075   B .4+.6*1/(8/3) = .625   C .4+.6*4/(8/3) = 1.3
//	parcel (2 of 3, idf .47000)  A 2/1.075 = 1.86047: .47*1.86047/(1.2+1.86047) = .28572
//	                             B 1/.625  = 1.6:     .47*1.6/2.8               = .26857
//	van    (2 of 3, idf .47000)  A 1/1.075 = .93023:  .47*.93023/2.13023        = .20524
//	                             C 1/1.3   = .76923:  .47*.76923/1.96923        = .18360
//	ship   (1 of 3, idf .98083)  C 3/1.3   = 2.30769: .98083*2.30769/3.50769    = .64528
func TestBM25TableWorkedByHand(t *testing.T) {
	ix := build([]Document{
		{Name: "A", Description: "parcel parcel van"},
		{Name: "B", Description: "parcel"},
		{Name: "C", Description: "van ship ship ship"},
	}, Options{}, plainTuning())
	wantScores(t, ix, "parcel", map[string]float64{"A": .28572, "B": .26857})
	wantScores(t, ix, "van", map[string]float64{"A": .20524, "C": .18360})
	wantScores(t, ix, "ship", map[string]float64{"C": .64528})
	wantScores(t, ix, "van parcel", map[string]float64{"A": .28572 + .20524, "B": .26857, "C": .18360})
	wantScores(t, ix, "ship ship ships", map[string]float64{"C": .64528})
}

// TestFieldsAreSaturatedTogether: the word in the name (weight 3, b .3), in the
// description (weight 1, b .6), in both. Names have 1, 1, 2 words (4/3 on
// average), descriptions 1 and 2 (1.5 on average over those that have one).
//
//	A name 3/(.7+.3*1/(4/3))                       = 3.24324: .13353*3.24324/4.44324 = .09747
//	B description 1/(.4+.6*1/1.5)                  = 1.25:    .13353*1.25/2.45       = .06813
//	C name 3/(.7+.3*2/(4/3)) + 1/(.4+.6*2/1.5)     = 3.44203: .13353*3.44203/4.64203 = .09901
func TestFieldsAreSaturatedTogether(t *testing.T) {
	ix := build([]Document{
		{Name: "parcels"},
		{Name: "zz", Description: "parcel"},
		{Name: "parcel_xx", Description: "parcel van"},
	}, Options{}, plainTuning())
	wantScores(t, ix, "parcel", map[string]float64{"parcels": .09747, "zz": .06813, "parcel_xx": .09901})
}

func TestEachFieldCountsAndIsNamedInWhy(t *testing.T) {
	for _, c := range []struct {
		name, field string
		doc         Document
	}{
		{"a word of the name", "name", Document{Name: "get_parcel"}},
		{"the source", "source", Document{Name: "x", Source: "parcel"}},
		{"the title", "title", Document{Name: "x", Title: "Get a parcel"}},
		{"the description", "description", Document{Name: "x", Description: "Gets a parcel."}},
		{"a parameter's name", "parameter", Document{Name: "x", Parameters: []Parameter{{Name: "parcelId"}}}},
		{"a parameter's description", "parameter description", Document{Name: "x", Parameters: []Parameter{{Name: "id", Description: "of the parcel"}}}},
		{"a value of an enum", "enum value", Document{Name: "x", Parameters: []Parameter{{Name: "kind", Enum: []string{"letter", "parcel"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix := Build([]Document{{Name: "other", Description: "Nothing of the kind."}, c.doc}, Options{})
			hits := ix.Search(Query{Text: "parcel"}).Hits
			if len(hits) != 1 || hits[0].Doc != 1 {
				t.Fatalf("hits %+v, want document 1 alone", hits)
			}
			if why := hits[0].Why; len(why) != 1 || why[0].Field != c.field {
				t.Errorf("why %+v, want one reason in field %q", why, c.field)
			}
		})
	}
}
