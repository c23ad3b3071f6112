package doctor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// processes are Steward's, by the Deployment whose pod they stand for.
var processes = map[string]*cluster.Controllers{}

// flagsOf are what a Deployment's processes are started with.
var flagsOf = map[string][]string{
	"steward-controllers":  {"--reconcilers=cleanup"},
	"steward-certificates": {"--reconcilers=certificates", "--certificates-serving=false"},
	"steward-copied-csvs":  {"--reconcilers=copied-csvs,olm-config"},
}

// startProcess runs what a Deployment's pod would, under its account.
func startProcess(ctx context.Context, deployment string) error {
	account, err := shared.ServiceAccount(ctx, system, deployment)
	if err != nil {
		return err
	}
	flags := append([]string{"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms"},
		flagsOf[deployment]...)
	processes[deployment], err = shared.RunControllersAs(ctx, account, deployment+"-"+time.Now().Format("150405.000"), flags...)
	return err
}

func stopProcess(deployment string) error {
	process := processes[deployment]
	delete(processes, deployment)
	if process == nil {
		return nil
	}
	return process.Stop()
}

func stopProcesses() (err error) {
	for name := range processes {
		err = errors.Join(err, stopProcess(name))
	}
	return err
}

// startAll begins with a cluster in which nothing is wrong.
func startAll(ctx context.Context) error {
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "steward-apiserver", Labels: map[string]string{"kubernetes.io/service-name": "steward-apiserver"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}},
	}
	if _, err := shared.Kube.DiscoveryV1().EndpointSlices(system).Create(ctx, slice, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := putSecret(ctx, "steward-apiserver-cert", 80*24*time.Hour, nil); err != nil {
		return err
	}
	// The guard's process needs pods to reach; here it does no more than lead.
	seconds, holder, now := int32(3600), "played", metav1.NowMicro()
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-apiservice-guard"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}
	if _, err := shared.Kube.CoordinationV1().Leases(system).Create(ctx, lease, metav1.CreateOptions{}); err != nil {
		return err
	}
	return errors.Join(startProcess(ctx, "steward-controllers"), startProcess(ctx, "steward-certificates"))
}

// playKubelet has all replicas of every Deployment run, until this process ends.
func playKubelet(ctx context.Context) {
	for ; ; time.Sleep(200 * time.Millisecond) {
		list, err := shared.Kube.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for i := range list.Items {
			playReplicas(ctx, &list.Items[i])
		}
	}
}

func playReplicas(ctx context.Context, deployment *appsv1.Deployment) {
	wanted := int32(1)
	if deployment.Spec.Replicas != nil {
		wanted = *deployment.Spec.Replicas
	}
	if deployment.Status.AvailableReplicas == wanted {
		return
	}
	deployment.Status.Replicas, deployment.Status.ReadyReplicas, deployment.Status.AvailableReplicas = wanted, wanted, wanted
	_, _ = shared.Kube.AppsV1().Deployments(deployment.Namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
}

// putSecret stores a certificate of 90 days of which so much is left.
func putSecret(ctx context.Context, name string, left time.Duration, labels map[string]string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	end := time.Now().Add(left)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: end.Add(-90 * 24 * time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Type:       corev1.SecretTypeTLS,
		Data: map[string][]byte{
			"tls.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
			"tls.key": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
		},
	}
	secrets := shared.Kube.CoreV1().Secrets(system)
	if err := secrets.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	_, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
	return err
}

// kubectl does as an administrator, and fails the test where that fails.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	said, err := shared.Kubectl(t.Context(), args...)
	must(t, err)
	return said
}
