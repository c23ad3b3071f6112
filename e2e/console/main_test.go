// Package console proves what `steward console` promises, in front of a real kube-apiserver. The pages are a few files of its own: what
// the real ones are made of is not looked at here.
package console

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

const (
	page   = "<!doctype html><title>Steward</title>"
	script = "main.0123456789abcdef.js"
	// Where the tenant may look.
	namespace = "tenants"
)

var (
	shared *cluster.Cluster
	// A folder as --files names it.
	files string
	// The tokens of an administrator, and of somebody who may view one namespace.
	adminToken, tenantToken string

	must       = check.Must
	eventually = check.Eventually
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp) }

func setUp(ctx context.Context) (err error) {
	if shared, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return err
	}
	files = filepath.Join(shared.Dir, "console-files")
	for name, content := range map[string]string{
		"plugin/plugin-manifest.json": `{"name":"steward"}`,
		"plugin/" + script:            strings.Repeat("plugin;", 1000),
		"standalone/index.html":       page,
		"standalone/" + script:        strings.Repeat("page;", 1000),
	} {
		file := filepath.Join(files, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return err
		}
	}
	_, err = shared.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if adminToken, err = account(ctx, "admin"); err != nil {
		return err
	}
	if tenantToken, err = account(ctx, "tenant"); err != nil {
		return err
	}
	subject := func(name string) []rbacv1.Subject {
		return []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}}
	}
	role := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	// No controller runs here that would fill the cluster's own roles.
	if _, err = shared.Kube.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "console-tenant"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps", "pods", "services"}, Verbs: []string{rbacv1.VerbAll}}}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err = shared.Kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "console-admin"}, Subjects: subject("admin"), RoleRef: role("ClusterRole", "cluster-admin")}, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err = shared.Kube.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "console-tenant"}, Subjects: subject("tenant"), RoleRef: role("Role", "console-tenant")}, metav1.CreateOptions{})
	return err
}

func account(ctx context.Context, name string) (token string, err error) {
	_, err = shared.Kube.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return shared.Token(ctx, namespace, name)
}

// served is a running `steward console`.
type served struct {
	process *cluster.Process
	url     string // without a slash at the end
	key     string // "" where there is none
	client  *http.Client
}

// No two processes have a log in common.
var processes atomic.Int32

func start(t *testing.T, flags ...string) *cluster.Process {
	t.Helper()
	bin, err := cluster.Binary()
	must(t, err)
	name := fmt.Sprintf("console-%d", processes.Add(1))
	process, err := cluster.Spawn(shared.Dir, name, bin, append([]string{"console", "--cert-dir=" + filepath.Join(shared.Dir, name)}, flags...)...)
	must(t, err)
	return process
}

var announced = regexp.MustCompile(`(?m)^console: (https?://[^/]+)/(?:#key=([0-9a-f]{64}))?$`)

// serve starts it, and waits for the address that it prints.
func serve(t *testing.T, flags ...string) *served {
	t.Helper()
	s := &served{client: &http.Client{Timeout: check.Patience,
		Transport: &http.Transport{DisableCompression: true, ExpectContinueTimeout: check.Patience, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	s.process = start(t, append([]string{"--files=" + files, "--secure-port=0", "--bind-address=127.0.0.1"}, flags...)...)
	t.Cleanup(func() { must(t, s.process.Stop(time.Minute)) })
	eventually(t, func() error {
		text, err := os.ReadFile(s.process.Log)
		if err != nil {
			return err
		}
		found := announced.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("no address in: %s", text)
		}
		s.url, s.key = string(found[1]), string(found[2])
		return nil
	})
	return s
}

// refused is what it says when it does not start, and its exit code.
func refused(t *testing.T, flags ...string) (code int, said string) {
	t.Helper()
	process := start(t, flags...)
	select {
	case <-process.Exited():
	case <-time.After(check.Patience):
		process.Kill()
		t.Fatalf("%q runs", flags)
	}
	return process.ExitCode(), process.Tail(5)
}

type answer struct {
	code   int
	header http.Header
	body   string
}

// ask sends a request; headers are in pairs, of which Host is the request's.
func (s *served) ask(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	must(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
			continue
		}
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response.StatusCode, response.Header, string(text)}
}

func (s *served) expect(t *testing.T, want int, method, path, body string, headers ...string) answer {
	t.Helper()
	got := s.ask(t, method, path, body, headers...)
	if got.code != want {
		t.Errorf("%s %s %q: %d, want %d: %.200s", method, path, headers, got.code, want, got.body)
	}
	return got
}
