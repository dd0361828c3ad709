package search

import (
	"math"
	"testing"
)

// TestWhoAsksToBeToldIsNotOfferedAChange: of two tools with the same subject the one
// that tells comes first when the request is a question, unless it has the verb of
// the other, and the reasons still add up.
func TestWhoAsksToBeToldIsNotOfferedAChange(t *testing.T) {
	docs := []Document{
		{Name: "shop_refund_payment", Source: "shop", Description: "Payment of a customer."},
		{Name: "shop_get_payment", Source: "shop", Description: "One payment of a customer, by its number, with its state and its history."},
	}
	ix := Build(docs, Options{})
	for _, c := range []struct{ name, query, first string }{
		{"a question", "who made the customer payment", "shop_get_payment"},
		{"in another language", "ar customer payment gautas", "shop_get_payment"},
		{"no question", "customer payment", "shop_refund_payment"},
		{"a condition", "when the customer payment fails", "shop_refund_payment"},
		{"the verb is asked for", "did we refund the customer payment", "shop_refund_payment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := ix.Search(Query{Text: c.query}).Hits
			if len(hits) == 0 || ix.names[hits[0].Doc] != c.first {
				t.Fatalf("%q gave %v, want %s first", c.query, hits, c.first)
			}
			for _, h := range hits {
				sum := 0.0
				for _, r := range h.Why {
					sum += r.Score
				}
				if math.Abs(sum-h.Score) > 1e-6 {
					t.Errorf("the reasons of %s add up to %v, not to its score %v", ix.names[h.Doc], sum, h.Score)
				}
			}
		})
	}
}
