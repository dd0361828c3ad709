package aggregate

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
)

const (
	// maxSealed bounds a session id as it is handed out: it comes back as a
	// header with every request.
	maxSealed = 6000
	// leastKey is the shortest key that is taken.
	leastKey = 16
	// sealedAs parts these seals from others under the same key.
	sealedAs = "mcp-toolsearch session 1"
)

// ticket is what a session id says: what the client said of itself in
// initialize, and the sessions that were opened for it then. Every replica with
// the key can go on with it.
type ticket struct {
	Key          string          `json:"k"` // of the client's session, random
	Version      string          `json:"v"` // protocol version
	Capabilities json.RawMessage `json:"c,omitempty"`
	Info         json.RawMessage `json:"i,omitempty"`
	Sessions     []opened        `json:"s,omitempty"`
}

// opened is a session at the place of a server.
type opened struct {
	Server string `json:"n"`
	ID     string `json:"i"`
}

// idAt is the session's id at the place of a server; "" when none was opened at initialize.
func (t *ticket) idAt(server string) string {
	for _, s := range t.Sessions {
		if s.Server == server {
			return s.ID
		}
	}
	return ""
}

func newTicketKey() string {
	var key [16]byte
	_, _ = rand.Read(key[:]) // it never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(key[:])
}

// sealer turns tickets into session ids and back: AES-256-GCM under the
// SHA-256 of the key, in unpadded base64url.
type sealer struct{ aead cipher.AEAD }

func newSealer(key []byte) (sealer, error) {
	switch n := len(key); {
	case n == 0:
		key = make([]byte, 32)
		_, _ = rand.Read(key) // it never fails (crypto/rand)
	case n < leastKey:
		return sealer{}, errors.New("the session key is shorter than 16 bytes: make one with openssl rand -hex 32")
	}
	sum := sha256.Sum256(key)
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead}, err
}

// seal makes a session id. What makes it too long is left out, what can be
// done without first: sessions are opened anew when they are needed.
func (s sealer) seal(t ticket) string {
	for {
		plain, err := json.Marshal(t)
		if err != nil { // capabilities that are no JSON: nobody passes them
			t.Capabilities, t.Info = nil, nil
			continue
		}
		if base64.RawURLEncoding.EncodedLen(len(plain)+s.aead.NonceSize()+s.aead.Overhead()) <= maxSealed {
			nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(plain)+s.aead.Overhead())
			_, _ = rand.Read(nonce) // it never fails (crypto/rand)
			return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, plain, []byte(sealedAs)))
		}
		switch n := len(t.Sessions); {
		case len(t.Info) > 256:
			t.Info = nil
		case len(t.Capabilities) > 2048:
			t.Capabilities = withoutExtras(t.Capabilities)
		case n > 0:
			t.Sessions = t.Sessions[:n-max(1, n/8)]
		default:
			t.Info, t.Capabilities = nil, nil
		}
	}
}

// withoutExtras keeps of a client's capabilities the words of the protocol.
func withoutExtras(capabilities []byte) []byte {
	out := []byte("{")
	for _, name := range []string{"roots", "sampling", "elicitation", "tasks"} {
		value := field(capabilities, name)
		if value == nil || len(value) > 256 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `"`+name+`":`...), value...)
	}
	return append(out, '}')
}

// open is the inverse of seal; false for whatever wasn't sealed with this key.
func (s sealer) open(id string) (*ticket, bool) {
	if len(id) > maxSealed {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(sealed) < s.aead.NonceSize() {
		return nil, false
	}
	nonce, text := sealed[:s.aead.NonceSize()], sealed[s.aead.NonceSize():]
	plain, err := s.aead.Open(nil, nonce, text, []byte(sealedAs))
	if err != nil {
		return nil, false
	}
	var t ticket
	dec := json.NewDecoder(bytes.NewReader(plain))
	if err := dec.Decode(&t); err != nil {
		return nil, false
	}
	return &t, t.Key != ""
}
