package certificates_test

import (
	"crypto/x509"
	"testing"
	"time"

	"mcp-toolsearch/internal/certificates"
)

func TestACertificateIsTrusted(t *testing.T) {
	a, other := certificates.NewAuthority(t), certificates.NewAuthority(t)
	for _, c := range []struct {
		name, asked string
		leaf        certificates.Leaf
		by          *certificates.Authority
		want        bool
	}{
		{"for this machine", "127.0.0.1", certificates.Leaf{}, a, true},
		{"for its name", "a.example", certificates.Leaf{DNS: "a.example"}, a, true},
		{"for another", "b.example", certificates.Leaf{DNS: "a.example"}, a, false},
		{"by another authority", "127.0.0.1", certificates.Leaf{}, other, false},
		{"after its end", "127.0.0.1", certificates.Leaf{To: time.Now().Add(-time.Minute)}, a, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := a.Pair(t, c.leaf).Leaf.Verify(x509.VerifyOptions{DNSName: c.asked, Roots: c.by.Pool()})
			if (err == nil) != c.want {
				t.Errorf("trusted: %v, want %t", err, c.want)
			}
		})
	}
}
