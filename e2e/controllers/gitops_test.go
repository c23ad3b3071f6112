package controllers_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A tool that keeps the manifests in the cluster finds them as it applied them, while everything of Steward's works and an administrator
// has granted more: there is nothing that it would have to ignore, neither for one that applies on the server's side, as Flux does, nor for
// one that compares with what it applied last, as Argo CD does.
func TestGitOps_FindsTheManifestsAsTheyWereApplied(t *testing.T) {
	g := startGuarded(t)
	dir := filepath.Join(g.Dir, "overlay-steward")
	if out, err := g.Kubectl(t.Context(), "apply", "-k", dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kubeconfig, err := g.ServiceAccount(t.Context(), controllersNamespace, "steward-controllers")
	must(t, err)
	cleanup, err := g.RunControllersAs(t.Context(), kubeconfig, "cleanup", "--reconcilers=cleanup")
	must(t, err)
	defer cleanup.Process.Kill()
	granted := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "cleanup-example", Labels: map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"example.com"}, Resources: []string{"*"}, Verbs: []string{"list", "watch", "delete"}}},
	}
	_, err = g.Kube.RbacV1().ClusterRoles().Create(t.Context(), granted, metav1.CreateOptions{})
	must(t, err)
	eventually(t, func() error {
		role, err := g.Kube.RbacV1().ClusterRoles().Get(t.Context(), "steward-cleanup", metav1.GetOptions{})
		if err == nil && len(role.Rules) == 0 {
			err = fmt.Errorf("nothing is granted yet")
		}
		return err
	})
	must(t, g.WaitServed(t.Context()))
	for tool, flags := range map[string][]string{
		"Flux":    {"--server-side", "--force-conflicts", "--field-manager=kustomize-controller"},
		"Argo CD": nil,
	} {
		out, err := g.Kubectl(t.Context(), append([]string{"diff", "-k", dir}, flags...)...)
		if err != nil || out != "" {
			t.Errorf("%s would write %v\n%s", tool, err, out)
		}
	}
	// The APIService and the Secrets, which Steward keeps in the cluster by itself, are not among the manifests, so
	// that no tool puts them back, or prunes them.
	out, err := g.Kubectl(t.Context(), "kustomize", dir)
	must(t, err)
	for _, kind := range []string{"APIService", "Secret"} {
		if strings.Contains(out, "\nkind: "+kind+"\n") {
			t.Errorf("the manifests have a %s", kind)
		}
	}
}
