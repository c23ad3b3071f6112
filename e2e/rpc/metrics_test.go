package rpc_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// Metrics as deploy/ has them served: to nobody but those whom the cluster lets get /metrics. Probes are for everybody.
func TestMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	secure, err := shared.RunControllersAs(t.Context(), account, "controllers-secure", "--reconcilers=cleanup", "--leader-elect=false",
		"--metrics-secure=true")
	t.Cleanup(func() {
		if secure != nil && secure.Process != nil {
			must(t, secure.Stop())
		}
	})
	must(t, err)
	accounts := shared.Kube.CoreV1().ServiceAccounts("default")
	tokens := map[string]string{"nobody": "", "made up": "made-up"}
	for _, name := range []string{"with-the-right", "without"} {
		_, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		must(t, err)
		t.Cleanup(func() { must(t, accounts.Delete(context.Background(), name, metav1.DeleteOptions{})) })
		tokens[name], err = shared.Token(t.Context(), "default", name)
		must(t, err)
	}
	bindings := shared.Kube.RbacV1().ClusterRoleBindings()
	_, err = bindings.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "e2e-metrics"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "steward-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: "with-the-right"}},
	}, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() { must(t, bindings.Delete(context.Background(), "e2e-metrics", metav1.DeleteOptions{})) })
	for _, tc := range []struct {
		who  string
		want int
	}{
		{"with-the-right", http.StatusOK}, {"without", http.StatusForbidden},
		{"nobody", http.StatusUnauthorized}, {"made up", http.StatusUnauthorized},
	} {
		// A new role takes RBAC's cache a moment.
		eventually(t, func() error {
			code, body, err := scrape(t.Context(), secure, tokens[tc.who])
			if err != nil {
				return err
			}
			if shown := strings.Contains(body, "workqueue_depth"); code != tc.want || shown != (tc.want == http.StatusOK) {
				return fmt.Errorf("%s: %d, want %d: %.200s", tc.who, code, tc.want, body)
			}
			return nil
		})
	}
	if code, _, err := secure.Get(t.Context(), "/metrics"); err == nil && code == http.StatusOK {
		t.Error("metrics are served without TLS")
	}
	if code, body, err := secure.Get(t.Context(), "/livez"); err != nil || code != http.StatusOK {
		t.Errorf("livez: %d %s %v", code, body, err)
	}
}

// A certificate that comes later, as cert-manager's may, is taken over without a restart; so is the next one.
func TestMetricsTakeOverACertificate(t *testing.T) {
	cert, key := filepath.Join(shared.Dir, "metrics-later.crt"), filepath.Join(shared.Dir, "metrics-later.key")
	secure, err := shared.RunControllersAs(t.Context(), account, "controllers-certified", "--reconcilers=cleanup", "--leader-elect=false",
		"--metrics-secure=true", "--metrics-tls-cert-file="+cert, "--metrics-tls-private-key-file="+key)
	t.Cleanup(func() {
		if secure != nil && secure.Process != nil {
			must(t, secure.Stop())
		}
	})
	must(t, err)
	names := func() (string, error) {
		connection, err := tls.Dial("tcp", secure.MetricsAddress(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return "", err
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].Subject.CommonName, nil
	}
	if got, err := names(); err != nil || got != "steward-metrics" {
		t.Fatalf("%q, %v", got, err)
	}
	for _, name := range []string{"first", "second"} {
		_, err := authority.Server(shared.Dir, "metrics-later", name)
		must(t, err)
		eventually(t, func() error {
			got, err := names()
			if err == nil && got != name {
				err = fmt.Errorf("still %q", got)
			}
			return err
		})
	}
}

func scrape(ctx context.Context, process *cluster.Controllers, token string) (code int, body string, err error) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+process.MetricsAddress()+"/metrics", http.NoBody)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}
