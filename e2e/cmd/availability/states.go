package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	namespace = "steward-system"
	apiserver = "app.kubernetes.io/component=apiserver,app.kubernetes.io/name=steward"
)

// state is one in which Steward may be. breaks returns once it is brought about, and must go on doing so until its context ends; mends
// undoes it.
type state struct {
	name   string
	harms  bool // nobody answers through the aggregator any more
	breaks func(ctx context.Context, m *measurer) error
	mends  func(ctx context.Context, m *measurer) error
}

// In the order of the table.
var states = []state{
	{"healthy", false, nothing, nothing},
	{"one replica dead", false, func(ctx context.Context, m *measurer) error { return m.signal(ctx, "KILL", 1) }, renew},
	{"all dead", true, func(ctx context.Context, m *measurer) error { return m.signal(ctx, "KILL", 2) }, renew},
	{"all hang", true, func(ctx context.Context, m *measurer) error { return m.signal(ctx, "STOP", 2) }, renew},
	{"certificate expired", true, expire, mendCertificates},
	{"wrong caBundle", true, mistrust, mendCertificates},
}

func nothing(context.Context, *measurer) error { return nil }

// signal sends it to the API servers of so many pods, and to every process that takes their place.
func (m *measurer) signal(ctx context.Context, signal string, count int) error {
	pods, err := m.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: apiserver})
	if err != nil {
		return err
	}
	if len(pods.Items) < count {
		return fmt.Errorf("%d API servers", len(pods.Items))
	}
	var uids []string
	for _, pod := range pods.Items[:count] {
		uids = append(uids, string(pod.UID))
	}
	// A process knows its pod by its control group.
	script := fmt.Sprintf(`for pid in $(pgrep -f '^/usr/bin/steward apiserver'); do
  if grep -qE '%s' "/proc/$pid/cgroup"; then kill -%s "$pid"; fi
done; true`, strings.Join(uids, "|"), signal)
	send := func() error {
		_, err := m.Exec(ctx, "bash", "-c", script)
		return err
	}
	if err := send(); err != nil {
		return err
	}
	m.background.Go(func() {
		for ctx.Err() == nil {
			_ = send()
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	return nil
}

// renew replaces the API servers' pods, so that no new one waits because an old one crashed.
func renew(ctx context.Context, m *measurer) error {
	zero := int64(0)
	return m.Kube.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &zero},
		metav1.ListOptions{LabelSelector: apiserver})
}

// authority is the root that signs Steward's certificates.
func (m *measurer) authority(ctx context.Context) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	secret, err := m.Kube.CoreV1().Secrets(namespace).Get(ctx, "steward-authority", metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	var keys []string
	for name := range secret.Data {
		if strings.HasSuffix(name, ".key") {
			keys = append(keys, name)
		}
	}
	if len(keys) == 0 {
		return nil, nil, errors.New("the authority has no key")
	}
	name := slices.Max(keys)
	certificate, _ := pem.Decode(secret.Data[strings.TrimSuffix(name, ".key")+".crt"])
	key, _ := pem.Decode(secret.Data[name])
	if certificate == nil || key == nil {
		return nil, nil, errors.New("the authority is not PEM")
	}
	root, err := x509.ParseCertificate(certificate.Bytes)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(key.Bytes)
	if err != nil {
		return nil, nil, err
	}
	signer, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, nil, errors.New("the authority's key is of another kind")
	}
	return root, signer, nil
}

// expire gives the API servers a certificate of the right authority that ended a minute ago, while nobody renews any.
func expire(ctx context.Context, m *measurer) error {
	if err := m.scale(ctx, "steward-certificates", 0); err != nil {
		return err
	}
	root, signer, err := m.authority(ctx)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "steward-apiserver"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(-time.Minute),
		DNSNames: []string{"steward-apiserver.steward-system.svc"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leaf, err := x509.CreateCertificate(rand.Reader, template, root, &key.PublicKey, signer)
	if err != nil {
		return err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"data": map[string][]byte{
		"tls.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}),
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	}})
	if err != nil {
		return err
	}
	if _, err := m.Kube.CoreV1().Secrets(namespace).Patch(ctx, "steward-apiserver-cert", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return renew(ctx, m)
}

// mistrust has the kube-apiserver trust an authority that signed nothing of Steward's.
func mistrust(ctx context.Context, m *measurer) error {
	if err := m.scale(ctx, "steward-certificates", 0); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "somebody else"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	root, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string][]byte{
		"caBundle": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}),
	}})
	if err != nil {
		return err
	}
	_, err = m.Any.Resource(apiServices).Patch(ctx, registrationName, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// mendCertificates lets Steward's own authority do it: it renews the certificate, and sets the caBundle.
func mendCertificates(ctx context.Context, m *measurer) error {
	if err := m.scale(ctx, "steward-certificates", 2); err != nil {
		return err
	}
	if err := await(ctx, 2*time.Minute, func() error { return m.certificateStands(ctx) }); err != nil {
		return err
	}
	return renew(ctx, m)
}

func (m *measurer) certificateStands(ctx context.Context) error {
	secret, err := m.Kube.CoreV1().Secrets(namespace).Get(ctx, "steward-apiserver-cert", metav1.GetOptions{})
	if err != nil {
		return err
	}
	block, _ := pem.Decode(secret.Data["tls.crt"])
	if block == nil {
		return errors.New("the certificate is not PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	if time.Now().After(certificate.NotAfter) {
		return errors.New("the certificate has expired")
	}
	return nil
}
