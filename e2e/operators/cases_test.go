package operators_test

import (
	"fmt"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// applyCase makes the objects of a case from public reports, with what OLM's own definitions and the ServiceAccount admission ask for
// besides. `complete` may add to each before it is made.
func applyCase(t *testing.T, folder string, complete func(*olm.Object)) *scene {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	path, exists := olm.Published(root, filepath.Join("cases", folder))
	if !exists {
		t.Skipf("%s is not there", path)
	}
	objects, err := olm.Read(filepath.Join(path, "input.yaml"))
	must(t, err)
	s := &scene{t: t}
	for _, each := range objects {
		if each.GetKind() == "Namespace" {
			s.targets = append(s.targets, each.GetName())
		}
		if status, ok := each.Object["status"].(map[string]any); ok {
			status["lastUpdated"] = "2026-01-02T03:04:05Z"
		}
		if each.GetKind() == "ClusterServiceVersion" {
			delete(each.Object["status"].(map[string]any), "lastUpdated")
			strategy(each)["deployments"] = []any{}
		}
		complete(each)
		s.create(each)
	}
	t.Cleanup(func() { removeNamespaces(s.targets) })
	return s
}

func strategy(csv *olm.Object) map[string]any {
	return csv.Object["spec"].(map[string]any)["install"].(map[string]any)["spec"].(map[string]any)
}

// The label's name is cut as OLM cuts it.
func TestCase32_R_004_13_ALongComponentLabel(t *testing.T) {
	s := applyCase(t, "32-long-component-label", func(*olm.Object) {})
	const name = "a-package-whose-name-is-long-enough-to-matter-operator.namespac"
	forget(t, name)
	eventually(t, has(name, "Subscription "+s.targets[0]+"/s",
		"ClusterServiceVersion "+s.targets[0]+"/a-package-whose-name-is-long-enough-to-matter-operator.v1.0.0"))
	csv := s.found(olm.CSVs, s.targets[0], "a-package-whose-name-is-long-enough-to-matter-operator.v1.0.0")
	if _, labelled := csv.GetLabels()["operators.coreos.com/"+name]; !labelled {
		t.Errorf("its labels are %v", csv.GetLabels())
	}
}

// Copies follow the original; a tenant's Role under the copy's name stays the tenant's, and that is said. The original names its owner and
// the copy its source, as OLM's do; and the ClusterServiceVersion asks for what its Role gives, or nothing would be copied.
func TestCase33_R_004_16_CopiedRBAC(t *testing.T) {
	var owner *metav1.OwnerReference
	mint := map[string]string{}
	s := applyCase(t, "33-copied-rbac", func(each *olm.Object) {
		switch {
		case each.GetKind() == "ClusterServiceVersion":
			strategy(each)["permissions"] = []any{map[string]any{"serviceAccountName": "mint", "rules": secretsRules("get", "list")}}
		case each.GetNamespace() == "mint-ops" && owner == nil && (each.GetKind() == "Role"):
			csv, err := lookUp(olm.CSVs, "mint-ops", "mint.v1.0.0")
			must(t, err)
			owner = &metav1.OwnerReference{APIVersion: csv.GetAPIVersion(), Kind: csv.GetKind(), Name: csv.GetName(), UID: csv.GetUID()}
			each.SetOwnerReferences([]metav1.OwnerReference{*owner})
		case each.GetNamespace() == "mint-ops" && each.GetKind() == "RoleBinding":
			each.SetOwnerReferences([]metav1.OwnerReference{*owner})
		case each.GetNamespace() == "farm" && (each.GetKind() == "Role" || each.GetKind() == "RoleBinding"):
			labels := each.GetLabels()
			labels["olm.copiedFrom"] = "mint-ops"
			each.SetLabels(labels)
		}
		if each.GetNamespace() == "barn" {
			mint[each.GetKind()] = asJSON(each.Object["rules"]) + asJSON(each.Object["subjects"])
		}
	})
	s.home = "mint-ops"
	eventually(t, func() error {
		for _, target := range []string{"farm"} {
			role, err := lookUp(roles, target, "mint-abc")
			if err != nil {
				return err
			}
			if got, want := asJSON(role.Object["rules"]), asJSON(secretsRules("get", "list")); got != want {
				return fmt.Errorf("%s: the rules are %s, want %s", target, got, want)
			}
		}
		return nil
	})
	s.told("mint-ops", "mint.v1.0.0", "CopiedRbacForeign")
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, "mint-ops", "mint", func(group *olm.Object) {
		group.Object["spec"].(map[string]any)["targetNamespaces"] = []any{"farm"}
	}))
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.OperatorGroups, "mint-ops", "mint", func(group *olm.Object) {
		group.Object["status"].(map[string]any)["namespaces"] = []any{"farm"}
	}))
	eventually(t, gone(olm.CSVs, "barn", "mint.v1.0.0"))
	for kind, resource := range map[string]string{"Role": "roles", "RoleBinding": "rolebindings"} {
		list, err := shared.Any.Resource(roles.GroupVersion().WithResource(resource)).Namespace("barn").List(t.Context(), metav1.ListOptions{})
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].GetLabels()["mine"] != "yes" {
			t.Fatalf("barn has %d %s", len(list.Items), resource)
		}
		if got := asJSON(list.Items[0].Object["rules"]) + asJSON(list.Items[0].Object["subjects"]); got != mint[kind] {
			t.Errorf("the tenant's %s is %s, was %s", kind, got, mint[kind])
		}
	}
	forget(t, "mint.v1.0.0.mint-ops")
}
