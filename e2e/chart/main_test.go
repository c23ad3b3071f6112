// Package chart holds the Helm chart, deploy/helm, to what kustomize makes of deploy/, and lives with it on a real kube-apiserver by the
// commands of docs/install.md.
package chart

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
)

var (
	must       = check.Must
	eventually = check.Eventually

	root    string // the repository
	helmDir string // of the program helm
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run builds Helm, which e2e/helm pins.
func run(m *testing.M) (code int, err error) {
	if root, err = cluster.Root(); err != nil {
		return 1, err
	}
	if helmDir, err = os.MkdirTemp("", "steward-helm-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(helmDir)
	// As its releases do: without them it takes the cluster for one of Kubernetes 1.20 where it asks none.
	version := "-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=34"
	build := exec.Command("go", "build", "-trimpath", "-ldflags="+version, "-o", filepath.Join(helmDir, "helm"), "helm.sh/helm/v3/cmd/helm")
	build.Dir = filepath.Join(root, "e2e", "helm")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building Helm: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// helm runs Helm where no cluster is needed. Neither the developer's kubeconfig nor their Helm may leak in.
func helm(ctx context.Context, args ...string) (string, error) {
	home, err := os.MkdirTemp("", "steward-helm-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	command := exec.CommandContext(ctx, filepath.Join(helmDir, "helm"), args...)
	command.Env = []string{"HOME=" + home, "KUBECONFIG=" + filepath.Join(home, "none"), "PATH=/usr/bin:/bin"}
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// template is what Helm makes of a chart with these values: YAML documents, of which a later one counts more.
func template(t *testing.T, chart string, values []string, flags ...string) (string, error) {
	t.Helper()
	args := []string{"template", "steward", chart, "--namespace", "steward-system"}
	// Helm takes a comma, which names of tests have, for the end of a name.
	dir, err := os.MkdirTemp("", "steward-values-")
	must(t, err)
	defer os.RemoveAll(dir)
	for i, each := range values {
		file := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		must(t, os.WriteFile(file, []byte(each), 0o644))
		args = append(args, "--values", file)
	}
	return helm(t.Context(), append(args, flags...)...)
}

func chart() string { return filepath.Join(root, "deploy", "helm") }
