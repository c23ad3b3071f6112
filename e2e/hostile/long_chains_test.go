package hostile

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"
)

func init() { attacks["client certificates with long chains"] = longChains }

func TestLongChains(t *testing.T) { beside(t, longChains(t)) }

// longChains are client certificates with a hundred thousand bytes of chain.
func longChains(t *testing.T) assault {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "mallory"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	chain := tls.Certificate{PrivateKey: key}
	for size := 0; size < 95_000; size += len(der) {
		chain.Certificate = append(chain.Certificate, der)
	}
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			connection, err := dial(ctx, "h2", chain)
			if err != nil {
				continue
			}
			// In TLS 1.3 the client hears of it when it reads.
			_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := connection.Read(make([]byte, 1)); err == nil {
				t.Error("the chain was taken")
				connection.Close()
				return
			}
			connection.Close()
		}
	}
}
