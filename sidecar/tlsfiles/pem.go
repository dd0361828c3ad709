package tlsfiles

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
)

// certificates are those of a PEM file, at least one. Text between them is skipped, as everywhere; the error repeats
// nothing of the file.
func certificates(data []byte) ([]*x509.Certificate, error) {
	var list []*x509.Certificate
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("holds a certificate that can't be read")
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, errors.New("holds no certificate in PEM form")
	}
	return list, nil
}
