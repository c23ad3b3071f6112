package cluster

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a certificate authority that lives as long as the test.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	PEM  []byte
}

// Pair is a certificate and its key, as files.
type Pair struct{ Cert, Key string }

// keyKind chooses the algorithm of an authority: both occur in real clusters, so Steward meets both here. What they
// sign has EC keys, which cost nothing to make.
type keyKind int

const (
	ecKey keyKind = iota
	rsaKey
)

func (k keyKind) generate() (crypto.Signer, error) {
	if k == rsaKey {
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// NewAuthority makes a self-signed authority.
func NewAuthority(name string) (*Authority, error) { return newAuthority(name, ecKey) }

func newAuthority(name string, kind keyKind) (*Authority, error) {
	key, err := kind.generate()
	if err != nil {
		return nil, err
	}
	template := certificate(name)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{cert: cert, key: key, PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

// Write stores the authority's certificate in dir and returns its path.
func (a *Authority) Write(dir, name string) (string, error) {
	path := filepath.Join(dir, name+".crt")
	return path, os.WriteFile(path, a.PEM, 0o644)
}

// Client issues a client certificate: common name = user, organisations = groups.
func (a *Authority) Client(dir, file, user string, groups ...string) (Pair, error) {
	template := certificate(user)
	template.Subject.Organization = groups
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template, dir, file)
}

// Server issues a serving certificate for the loopback address and the given names.
func (a *Authority) Server(dir, file string, names ...string) (Pair, error) {
	template := certificate(names[0])
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = names
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.issue(template, dir, file)
}

func (a *Authority) issue(template *x509.Certificate, dir, file string) (Pair, error) {
	key, err := ecKey.generate()
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	pair := Pair{Cert: filepath.Join(dir, file+".crt"), Key: filepath.Join(dir, file+".key")}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(pair.Cert, text, 0o644); err != nil {
		return Pair{}, err
	}
	return pair, writeKey(pair.Key, key)
}

func writeKey(path string, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}

// certificate is what all certificates here share: valid for a day, backdated against clock steps.
func certificate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
	}
}

// pki is every secret of one cluster, in one folder.
type pki struct {
	serving, client, frontProxy  *Authority
	servingCA, clientCA, frontCA string // their certificates' files
	apiserver, admin, proxy      Pair
	serviceAccountKey            string
}

func newPKI(dir string) (*pki, error) {
	p := &pki{}
	var key crypto.Signer
	var err error
	for _, step := range []func(){
		func() { p.serving, err = newAuthority("kube-serving-ca", ecKey) },
		func() { p.client, err = newAuthority("kube-client-ca", rsaKey) },
		func() { p.frontProxy, err = newAuthority("front-proxy-ca", rsaKey) },
		func() { p.servingCA, err = p.serving.Write(dir, "serving-ca") },
		func() { p.clientCA, err = p.client.Write(dir, "client-ca") },
		func() { p.frontCA, err = p.frontProxy.Write(dir, "front-proxy-ca") },
		func() {
			p.apiserver, err = p.serving.Server(dir, "kube-apiserver", "localhost", "kubernetes.default.svc")
		},
		func() { p.admin, err = p.client.Client(dir, "admin", "admin", "system:masters") },
		func() { p.proxy, err = p.frontProxy.Client(dir, "front-proxy", frontProxyUser) },
		func() { key, err = rsaKey.generate() },
		func() {
			p.serviceAccountKey = filepath.Join(dir, "service-account.key")
			err = writeKey(p.serviceAccountKey, key)
		},
	} {
		if step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}
