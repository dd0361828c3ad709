package text

import "testing"

func TestAsks(t *testing.T) {
	for _, c := range []struct {
		request string
		want    bool
	}{
		{"who owes us money", true},
		{"What's on my calendar?", true},
		{"how many users signed up", true},
		{"when does the train leave", true},
		{"kur yra mano siunta", true},
		{"Welche Rechnungen sind offen?", true},
		{"¿Dónde está mi pedido?", true},
		{"Kto ma dziś dyżur?", true},
		{"Кто изменил цену?", true},
		{"siparişim nerede", true},
		{"当前谁在值班", true},
		{"会議室はどこですか", true},
		{"इस महीने कितने टिकट बंद हुए", true},

		{"how do I create an invoice", false},
		{"when a build fails, tell the team", false},
		{"could you delete the branch?", false},
		{"kai pakyla kaina, pranešk", false},
		{"list the invoices", false},
		{"新しいブランチを作成", false},
		{"", false},
	} {
		if got := Asks(c.request); got != c.want {
			t.Errorf("Asks(%q) is %v", c.request, got)
		}
	}
}

func TestChangingVerb(t *testing.T) {
	for _, c := range []struct{ name, verb string }{
		{"create_invoice", "create"},
		{"invoiceDelete", "delete"},
		{"users-bulk-update", "update"},
		{"get_order", ""},
		{"order_history", ""},
		{"logs.query", ""},
		{"weather", ""},
	} {
		if got := ChangingVerb(c.name); got != VerbOf(Stem(c.verb)) {
			t.Errorf("the verb of %s is %d, want that of %q", c.name, got, c.verb)
		}
	}
}
