package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// The commands of docs/troubleshooting.md by which somebody collects what to send along do so, and no Secret is among it.
func TestGather(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	document, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	must(t, err)
	_, section, _ := strings.Cut(string(document), "\n## What to send along\n")
	_, script, _ := strings.Cut(section, "\n```\n")
	script, _, found := strings.Cut(script, "\n```\n")
	if !found {
		t.Fatal("docs/troubleshooting.md says not what to send along")
	}
	const precious = "nobody-is-to-read-this"
	secrets := shared.Kube.CoreV1().Secrets("steward-system")
	for _, name := range []string{"gathered", "steward-apiserver-cert"} {
		_, err = secrets.Create(t.Context(), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"tls.key": precious, "tls.crt": "none"},
		}, metav1.CreateOptions{})
		must(t, err)
		defer func() { must(t, secrets.Delete(t.Context(), name, metav1.DeleteOptions{})) }()
	}

	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "bash", "-euc", script)
	command.Dir = dir
	command.Env = append(os.Environ(), "KUBECONFIG="+shared.Admin, "PATH="+shared.KubectlDir()+":"+os.Getenv("PATH"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		relative, _ := filepath.Rel(dir, path)
		files[relative] = string(text)
		if strings.Contains(string(text), precious) || strings.Contains(string(text), "bm9ib2R5LWlzLXRvLXJlYWQtdGhpc") {
			t.Errorf("%s holds what is in a Secret", relative)
		}
		return err
	}))
	for file, part := range map[string]string{
		"steward-gather.tar.gz": "", "steward-gather/version.yaml": "gitVersion", "steward-gather/cluster.yaml": "steward-controllers-writes",
		"steward-gather/namespace.yaml": "steward-apiserver", "steward-gather/operators.yaml": "items:",
		"steward-gather/dump/steward-system/deployments.json": "steward-apiservice-guard",
	} {
		if text, there := files[file]; !there || !strings.Contains(text, part) {
			t.Errorf("%s is not there, or lacks %q", file, part)
		}
	}
}
