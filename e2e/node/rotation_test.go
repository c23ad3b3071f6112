package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// testRotation replaces, under load, the certificate that the API servers show, the authority that signs it, and the authority by which
// they know the kube-apiserver; then every pod. No request fails or is left lying, and there is no step in which hardly any is answered.
func testRotation(t *testing.T, s *scene) {
	s.kubectl(t, "patch", "deployment", "steward-controllers", "-n", namespace, "--type=merge", "-p", `{"spec":{"minReadySeconds":10}}`)
	// A root is trusted for two minutes before it signs: a kubelet brings a Secret to a pod within a minute and a half.
	s.kubectl(t, "patch", "deployment", "steward-certificates", "-n", namespace, "--type=json", "-p",
		`[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--authority-overlap=2m"}]`)
	s.awaitReady(t)

	const perSecond, span = 200, 10 * time.Second
	l := startLoad(t, s, perSecond, 300)
	// What this machine manages while nothing happens: that many are asked for, and no more.
	usual, _ := l.rate(func() {
		select {
		case <-t.Context().Done():
		case <-time.After(span):
		}
	})
	t.Logf("%.0f requests answered in a second, of %d", usual, perSecond)
	step := func(name string, run func()) {
		failed := l.failed()
		rate, took := l.rate(run)
		t.Logf("%s: %s, %.0f requests answered in a second, %d failed", name, took.Round(time.Second), rate, l.failed()-failed)
		// New pods take processors, of which there may be few, and others may take theirs: a tenth is no matter of that.
		if rate < usual/10 {
			t.Errorf("%s: %.0f requests were answered in a second, and %.0f before", name, rate, usual)
		}
	}
	step("another certificate", func() {
		before := s.shown(t)
		s.kubectl(t, "delete", "secret", "steward-apiserver-cert", "-n", namespace)
		s.awaitShown(t, before)
	})
	step("another authority", func() {
		before, secret := s.shown(t), s.secret(t, "steward-apiserver-cert")
		s.kubectl(t, "delete", "secret", "steward-authority", "-n", namespace)
		await(t, func() error {
			if bytes.Equal(s.secret(t, "steward-apiserver-cert"), secret) {
				return errors.New("the new root signs nothing yet")
			}
			return nil
		})
		s.awaitShown(t, before)
	})
	step("another front proxy", func() { s.rotateFrontProxy(t) })
	step("every pod anew", func() {
		for _, name := range []string{"steward-apiserver", "steward-controllers"} {
			s.kubectl(t, "rollout", "restart", "deployment", name, "-n", namespace)
		}
		for _, name := range []string{"steward-apiserver", "steward-controllers"} {
			s.kubectl(t, "rollout", "status", "deployment", name, "-n", namespace, "--timeout=5m")
		}
	})
	l.end(t)
}

func (s *scene) secret(t *testing.T, name string) []byte {
	t.Helper()
	secret, err := s.Kube.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return secret.Data["tls.crt"]
}

// shown is what each API server shows now, as a client in the node sees it.
func (s *scene) shown(t *testing.T) map[string]string {
	t.Helper()
	certificates := map[string]string{}
	pods, err := s.Kube.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=apiserver"})
	must(t, err)
	for _, pod := range pods.Items {
		out, err := s.Exec(t.Context(), "sh", "-c",
			fmt.Sprintf("openssl s_client -connect %s:8443 </dev/null 2>/dev/null | openssl x509 -noout -serial", pod.Status.PodIP))
		if err == nil {
			certificates[pod.Name] = out
		}
	}
	return certificates
}

// awaitShown waits until every API server shows another certificate than before.
func (s *scene) awaitShown(t *testing.T, before map[string]string) {
	t.Helper()
	await(t, func() error {
		now := s.shown(t)
		for pod, old := range before {
			if now[pod] == "" || now[pod] == old {
				return fmt.Errorf("%s shows what it did: %s", pod, old)
			}
		}
		return nil
	})
}

// rotateFrontProxy does what an administrator of a control plane does: both authorities are trusted, then the new one's certificate is
// shown, then the old one is taken away. The kube-apiserver reads the files again by itself.
func (s *scene) rotateFrontProxy(t *testing.T) {
	t.Helper()
	pki := filepath.Join(s.State, "pki")
	trusted := filepath.Join(pki, "front-proxy-ca.crt")
	old, err := os.ReadFile(trusted)
	must(t, err)
	next, err := cluster.NewAuthority("front-proxy-ca-2")
	must(t, err)
	must(t, os.WriteFile(trusted, append(bytes.Clone(old), next.PEM...), 0o644))
	await(t, func() error {
		told, err := s.Kube.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "extension-apiserver-authentication", metav1.GetOptions{})
		if err == nil && !strings.Contains(told.Data["requestheader-client-ca-file"], string(next.PEM)) {
			return errors.New("nobody is told of the new authority")
		}
		return err
	})
	// Steward follows the ConfigMap; a moment more than it takes to see it.
	settled := time.Now().Add(15 * time.Second)
	await(t, func() error {
		if time.Now().Before(settled) {
			return errors.New("not settled")
		}
		return nil
	})
	before := s.proxied(t)
	_, err = next.Client(pki, "front-proxy", "front-proxy-client")
	must(t, err)
	await(t, func() error {
		if s.proxied(t) == before {
			return errors.New("the kube-apiserver shows the old certificate")
		}
		return nil
	})
	// What it has told once, it tells to the end of the authority.
	must(t, os.WriteFile(trusted, next.PEM, 0o644))
}

// proxied is how often the kube-apiserver has taken up a certificate that it shows to what is behind it, as its log says.
func (s *scene) proxied(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.State, "log", "kube-apiserver.log"))
	must(t, err)
	return strings.Count(string(text), `"Loaded a new cert/key pair" name="aggregator-proxy-cert`)
}
