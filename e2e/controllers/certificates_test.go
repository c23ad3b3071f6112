package controllers_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
)

const (
	servingSecret    = "steward-apiserver-cert"
	registrationName = "v1alpha1.views.operators.coreos.com"
)

var (
	secrets      = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	apiServices  = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	certificated = []string{"steward-authority", servingSecret, "steward-apiserver-grpc", "steward-controllers-grpc",
		"steward-copied-csvs-grpc", "steward-install-plans-grpc", "steward-apiservice-guard-metrics", "steward-certificates-metrics", "steward-controllers-metrics",
		"steward-copied-csvs-metrics", "steward-install-plans-metrics", "steward-operators-metrics", "steward-payload-metrics"}
)

// Under exactly the rights and policies of deploy/overlays/standalone/certificates: everything is made but what somebody else keeps,
// certificates are renewed before they end, and what the kube-apiserver is told to trust has signed them.
func TestAuthority_R_004_45(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "serviceaccount"}})
	must(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, c.ApplyManifests(t.Context(), "base", filepath.Join("overlays", "standalone", "certificates")))
	// What the guard makes, without its caBundle.
	registration := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": registrationName},
		"spec": map[string]any{
			"group": "views.operators.coreos.com", "version": "v1alpha1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(15),
			"service": map[string]any{"name": "steward-apiserver", "namespace": controllersNamespace},
		},
	}}
	_, err = c.Any.Resource(apiServices).Create(t.Context(), registration, metav1.CreateOptions{})
	must(t, err)
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-controllers-grpc", Namespace: controllersNamespace},
		StringData: map[string]string{"tls.crt": "mine"},
	}
	_, err = c.Kube.CoreV1().Secrets(controllersNamespace).Create(t.Context(), foreign, metav1.CreateOptions{})
	must(t, err)
	kubeconfig, err := c.ServiceAccount(t.Context(), controllersNamespace, "steward-certificates")
	must(t, err)
	refusesTheAccount(t, c, kubeconfig)

	run, err := c.RunControllersAs(t.Context(), kubeconfig, "certificates", "--reconcilers=certificates", "--leader-elect=true",
		"--certificate-life=1m", "--authority-life=6m", "--authority-overlap=10s")
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("certificates:\n%s", run.Process.Tail(40))
		}
		run.Process.Kill()
	})
	serials := map[string]bool{}
	// Two renewals, each under a bundle that was there before or with it.
	eventually(t, func() error {
		for _, name := range certificated {
			if _, err := c.Kube.CoreV1().Secrets(controllersNamespace).Get(t.Context(), name, metav1.GetOptions{}); err != nil {
				return err
			}
		}
		serving, err := c.Kube.CoreV1().Secrets(controllersNamespace).Get(t.Context(), servingSecret, metav1.GetOptions{})
		if err != nil {
			return err
		}
		bundle, err := caBundle(t.Context(), c)
		if err != nil {
			return err
		}
		leaf, err := verify(serving.Data["tls.crt"], bundle)
		if err != nil {
			t.Errorf("the kube-apiserver would not trust it: %v", err)
			return nil
		}
		serials[leaf.SerialNumber.String()] = true
		if len(serials) < 3 {
			return fmt.Errorf("%d certificates so far", len(serials))
		}
		return nil
	})
	left, err := c.Kube.CoreV1().Secrets(controllersNamespace).Get(t.Context(), foreign.Name, metav1.GetOptions{})
	must(t, err)
	if len(left.Data) != 1 || !bytes.Equal(left.Data["tls.crt"], []byte("mine")) {
		t.Errorf("the foreign Secret has now %d data", len(left.Data))
	}
	// What is taken away comes back, and an authority that is lost leaves what it signed trusted.
	before, err := c.Kube.CoreV1().Secrets(controllersNamespace).Get(t.Context(), "steward-authority", metav1.GetOptions{})
	must(t, err)
	must(t, c.Kube.CoreV1().Secrets(controllersNamespace).Delete(t.Context(), before.Name, metav1.DeleteOptions{}))
	eventually(t, func() error {
		after, err := c.Kube.CoreV1().Secrets(controllersNamespace).Get(t.Context(), before.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(after.Data["ca.crt"], before.Data["ca.crt"]) {
			t.Error("what was trusted is not any more")
		}
		return nil
	})
}

// refusesTheAccount holds the policies to what a stolen token could be used for.
func refusesTheAccount(t *testing.T, c *cluster.Cluster, kubeconfig string) {
	t.Helper()
	config, err := cluster.ClientFor(kubeconfig)
	must(t, err)
	as, err := dynamic.NewForConfig(config)
	must(t, err)
	secret := func(name, kind string, annotations map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": kind,
			"metadata": map[string]any{"name": name, "annotations": annotations},
		}}
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	rows := map[string]func(ctx context.Context) error{
		"another Secret": func(ctx context.Context) error {
			_, err := as.Resource(secrets).Namespace(controllersNamespace).Create(ctx, secret("other", "Opaque", nil), dry)
			return err
		},
		"a token of another account": func(ctx context.Context) error {
			_, err := as.Resource(secrets).Namespace(controllersNamespace).Create(ctx,
				secret("steward-authority", "kubernetes.io/service-account-token",
					map[string]any{"kubernetes.io/service-account.name": "steward-controllers"}), dry)
			return err
		},
		"a foreign Secret": func(ctx context.Context) error {
			_, err := as.Resource(secrets).Namespace(controllersNamespace).Patch(ctx, "steward-controllers-grpc", types.MergePatchType,
				[]byte(`{"data":{"tls.crt":""}}`), metav1.PatchOptions{DryRun: dry.DryRun})
			return err
		},
		"the list of Secrets": func(ctx context.Context) error {
			_, err := as.Resource(secrets).Namespace(controllersNamespace).List(ctx, metav1.ListOptions{})
			return err
		},
		"another Service behind the API": func(ctx context.Context) error {
			_, err := as.Resource(apiServices).Patch(ctx, registrationName, types.MergePatchType,
				[]byte(`{"spec":{"service":{"name":"other"}}}`), metav1.PatchOptions{DryRun: dry.DryRun})
			return err
		},
		"another APIService": func(ctx context.Context) error {
			_, err := as.Resource(apiServices).Patch(ctx, "v1.apps", types.MergePatchType,
				[]byte(`{"spec":{"caBundle":"eA=="}}`), metav1.PatchOptions{DryRun: dry.DryRun})
			return err
		},
	}
	for what, try := range rows {
		// Policies count a moment after they were made.
		eventually(t, func() error {
			if err := try(t.Context()); !apierrors.IsForbidden(err) {
				return fmt.Errorf("%s: %v, want Forbidden", what, err)
			}
			return nil
		})
	}
}

func caBundle(ctx context.Context, c *cluster.Cluster) ([]byte, error) {
	registration, err := c.Any.Resource(apiServices).Get(ctx, registrationName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	bundle, _, err := unstructured.NestedString(registration.Object, "spec", "caBundle")
	if err != nil || bundle == "" {
		return nil, errors.Join(errors.New("no caBundle"), err)
	}
	return base64.StdEncoding.DecodeString(bundle)
}

// verify is what an aggregator does with what a server shows.
func verify(chain, bundle []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(chain)
	if block == nil {
		return nil, os.ErrInvalid
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return nil, errors.New("no authority in the bundle")
	}
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: "steward-apiserver." + controllersNamespace + ".svc", Roots: roots})
	return leaf, err
}
