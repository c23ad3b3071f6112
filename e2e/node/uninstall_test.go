package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testUninstall removes all of it by one command, and installs it again. Of all objects of the cluster those are left that were there
// before Steward came, and what others made.
func testUninstall(t *testing.T, s *scene) {
	// As deploy/README.md has administrators do, for people and for the controllers.
	s.kubectl(t, "create", "clusterrolebinding", "opt-in-greta", "--clusterrole=steward-cleanup-opt-in", "--user=greta")
	s.kubectl(t, "create", "rolebinding", "view-greta", "-n", "default", "--clusterrole=steward-view", "--user=greta")
	s.allowCleanup(t, "cleanup-example", "example.com")
	theirs := []string{
		"clusterrolebindings.rbac.authorization.k8s.io /opt-in-greta",
		"clusterroles.rbac.authorization.k8s.io /cleanup-example",
		"rolebindings.rbac.authorization.k8s.io default/view-greta",
	}
	out, err := s.steward(t, "remove", "--yes")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := slices.Clone(s.before)
	for _, each := range theirs {
		want = append(want, each)
		if _, name, _ := strings.Cut(each, "/"); !strings.Contains(out, name) {
			t.Errorf("%s is left, and not named: %s", each, out)
		}
	}
	slices.Sort(want)
	// The cluster keeps Leases of its own, which come and go with its programs.
	clusters := func(object string) bool { return strings.HasPrefix(object, "leases.coordination.k8s.io kube-") }
	want = slices.DeleteFunc(want, clusters)
	await(t, func() error {
		after, err := s.objects(t.Context(), "events")
		if err != nil {
			return err
		}
		after = slices.DeleteFunc(after, clusters)
		left := slices.DeleteFunc(slices.Clone(after), func(each string) bool { return slices.Contains(want, each) })
		gone := slices.DeleteFunc(slices.Clone(want), func(each string) bool { return slices.Contains(after, each) })
		if len(left)+len(gone) > 0 {
			return fmt.Errorf("left: %q; gone, and not Steward's: %q", left, gone)
		}
		return nil
	})
	t.Logf("%d objects are as before, among them %d that others made for Steward", len(want), len(theirs))
	if _, err := s.Kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace: %v", err)
	}
	s.kubectl(t, "create", "namespace", "afterwards")
	s.kubectl(t, "delete", "namespace", "afterwards", "--timeout=2m")
	s.kubectl(t, "apply", "-f", s.install)
	s.awaitAnswers(t)
}

// steward runs `kubectl steward`, as an administrator of the node.
func (s *scene) steward(t *testing.T, args ...string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	must(t, os.Symlink(s.binary(), filepath.Join(folder, "kubectl-steward")))
	command := exec.CommandContext(t.Context(), filepath.Join(folder, "kubectl-steward"), args...)
	command.Env = []string{"KUBECONFIG=" + s.Kubeconfig, "HOME=" + folder}
	out, err := command.CombinedOutput()
	return string(out), err
}

func (s *scene) binary() string {
	if path := os.Getenv("STEWARD_BIN"); path != "" {
		return path
	}
	return filepath.Join(s.root, "bin", "steward")
}
