package embedded_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

const patience = check.Patience

var eventually = check.Eventually

func examples(t *testing.T) string {
	t.Helper()
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "examples")
}

func start(t *testing.T, data string, flags ...string) *embedded.Up {
	t.Helper()
	up, err := embedded.Start(data, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = up.Stop(patience) })
	return up
}

func stop(t *testing.T, up *embedded.Up) {
	t.Helper()
	if err := up.Stop(patience); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, up *embedded.Up, resource schema.GroupVersionResource, namespace string) []string {
	t.Helper()
	list, err := up.Any.Resource(resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range list.Items {
		out = append(out, item.GetName())
	}
	return out
}

func label(t *testing.T, up *embedded.Up, namespace, labels string) {
	t.Helper()
	patch := []byte(`{"metadata":{"labels":` + labels + `}}`)
	_, err := up.Any.Resource(olm.Namespaces).Patch(t.Context(), namespace, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// "ready" is said when what was loaded can be read.
func TestUpServesWhatItLoadedAsSoonAsItIsReady(t *testing.T) {
	up := start(t, t.TempDir(), "--load", examples(t))
	if got := names(t, up, olm.InstalledOperators, "payments"); !slices.Contains(got, "certloop.v1.8.2") || !slices.Contains(got, "ledger-queue.v1.0.3") {
		t.Errorf("in payments: %q", got)
	}
	group, err := up.Any.Resource(olm.OperatorGroups).Namespace("databases").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(group.Items) != 1 {
		t.Fatalf("operator groups: %v, %v", group, err)
	}
	status, _ := group.Items[0].Object["status"].(map[string]any)
	if targets, _ := status["namespaces"].([]any); len(targets) != 3 {
		t.Errorf("status.namespaces of the group in databases: %v", status)
	}
}

// Nobody gets in without the client certificate.
func TestUpLetsInNobodyWithoutItsCertificate(t *testing.T) {
	data := t.TempDir()
	up := start(t, data)
	strangers := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for name, header := range map[string]http.Header{
		"nothing":      {},
		"bearer token": {"Authorization": {"Bearer made-up"}},
		"front proxy":  {"X-Remote-User": {"steward-admin"}, "X-Remote-Group": {"system:masters"}},
		"impersonated": {"Impersonate-User": {"steward-admin"}},
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", up.Config.Host+"/api/v1/namespaces", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header
		response, err := strangers.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
	for _, file := range []string{up.Kubeconfig, filepath.Join(data, "pki", "ca.key")} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

func TestUpFindsEverythingAgain(t *testing.T) {
	data := t.TempDir()
	first := start(t, data, "--load", examples(t))
	if err := first.Any.Resource(olm.CSVs).Namespace("research").Delete(t.Context(), "sandbox-notebooks.v0.4.0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	label(t, first, "docs", `{"monitored":"true"}`)
	before, err := os.ReadFile(filepath.Join(data, "pki", "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Kill()

	second := start(t, data)
	if got := names(t, second, olm.InstalledOperators, "docs"); !slices.Contains(got, "beacon-metrics.v2.1.0") {
		t.Errorf("the label was forgotten: %q", got)
	}
	if got := names(t, second, olm.CSVs, "research"); len(got) != 0 {
		t.Errorf("what was deleted came back: %q", got)
	}
	if after, _ := os.ReadFile(filepath.Join(data, "pki", "ca.crt")); string(after) != string(before) {
		t.Error("there is a new certificate authority")
	}
	stop(t, second)
	// Loaded again, what was deleted is there again.
	third := start(t, data, "--load", examples(t))
	if got := names(t, third, olm.CSVs, "research"); len(got) != 1 {
		t.Errorf("CSVs in research: %q", got)
	}
}

func TestUpEndsCleanlyUnderWatches(t *testing.T) {
	up := start(t, t.TempDir())
	for _, resource := range []schema.GroupVersionResource{olm.Namespaces, olm.InstalledOperators} {
		watch, err := up.Any.Resource(resource).Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Stop()
	}
	stop(t, up)
}

func TestUpSaysWhyItCannotStart(t *testing.T) {
	running := t.TempDir()
	up := start(t, running)
	damaged := t.TempDir()
	bad := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(damaged, "steward.db"): strings.Repeat("no database ", 1000),
		filepath.Join(bad, "a.yaml"):         "kind: Namespace\napiVersion: v1\n",
		filepath.Join(bad, "mine"):           "clusters: [{name: production}]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(up.Config.Host, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		flags []string
		code  int
		says  string
	}{
		{"unknown flag", []string{"--nope"}, 2, "--nope"},
		{"bad address", []string{"--bind-address", "localhost"}, 2, "not an IP address"},
		{"data in use", []string{"--data-dir", running, "--secure-port", "0"}, 1, "in use by another process"},
		{"port in use", []string{"--data-dir", t.TempDir(), "--secure-port", port}, 1, "Address already in use"},
		{"damaged", []string{"--data-dir", damaged, "--secure-port", "0"}, 1, "is damaged"},
		{"nothing to load", []string{"--data-dir", t.TempDir(), "--secure-port", "0", "--load", "/nope"}, 1, "there is no /nope"},
		{"strict", []string{"--data-dir", t.TempDir(), "--secure-port", "0", "--strict", "--load", bad}, 1, "a.yaml:1: Namespace has no metadata.name"},
		{"foreign kubeconfig", []string{"--data-dir", t.TempDir(), "--secure-port", "0", "--kubeconfig", filepath.Join(bad, "mine")}, 1, "left as it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, said, err := embedded.Refuse(c.flags...)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(said), "\n")
			last := lines[len(lines)-1]
			if code != c.code || !strings.HasPrefix(last, "steward up: ") || !strings.Contains(last, c.says) {
				t.Errorf("exit code %d, %q; want %d and %q", code, last, c.code, c.says)
			}
		})
	}
}

// Bad manifests are named with file and line, and the rest is loaded.
func TestUpSkipsWhatItCannotRead(t *testing.T) {
	bad := file(t, "bad.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: good}\n---\nkind: [\n")
	up := start(t, t.TempDir(), "--load", bad)
	expect(t, kubectl(t, up, "get", "ns", "-o", "name"), "namespace/good")
	stop(t, up)
	expect(t, up.Said(), "bad.yaml:4", "line 6")
}

func TestUpEndsAfterLoading(t *testing.T) {
	code, said, err := embedded.Refuse("--data-dir", t.TempDir(), "--secure-port", "0", "--load", examples(t), "--exit-after-load")
	if err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, said)
	}
}
