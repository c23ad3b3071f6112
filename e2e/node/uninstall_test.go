package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// testUninstall removes all of it by one command, and installs it again.
func testUninstall(t *testing.T, s *scene) {
	if out, err := s.steward(t, "remove", "--yes"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, left := range s.labelled(t) {
		t.Errorf("left: %s", left)
	}
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

// labelled is every object of the cluster that is marked as a part of Steward.
func (s *scene) labelled(t *testing.T) (found []string) {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(s.Config)
	must(t, err)
	lists, err := client.ServerPreferredResources()
	must(t, err)
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		must(t, err)
		for _, resource := range list.APIResources {
			if !strings.Contains(fmt.Sprint(resource.Verbs), "list") {
				continue
			}
			objects, err := s.Any.Resource(version.WithResource(resource.Name)).List(t.Context(),
				metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=steward"})
			must(t, err)
			for _, object := range objects.Items {
				found = append(found, resource.Name+" "+object.GetName())
			}
		}
	}
	return found
}
