package operators_test

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

const cleanupFinalizer = "operatorframework.io/delete-custom-resources"

// After a takeover nobody else lets go of OLM's own finalizer.
func TestFinalizer_InOlmsOrder(t *testing.T) {
	s := newScene(t, 0)
	csv := olm.CSV("reed.v1", s.group, s.home)
	csv.SetFinalizers([]string{olm.Finalizer, "example.com/hold"})
	s.create(csv)
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.home+"-role")
	binding := object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", s.home+"-role")
	binding.Object["roleRef"] = map[string]any{"apiGroup": olm.ClusterRoles.Group, "kind": "ClusterRole", "name": role.GetName()}
	other := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.home+"-other")
	for _, each := range []*olm.Object{role, binding} {
		each.SetLabels(olm.OwnerLabels(s.home, "reed.v1"))
	}
	other.SetLabels(olm.OwnerLabels(s.home, "other.v1"))
	s.grant(olm.ClusterRoles, role, other)
	s.grant(olm.ClusterRoleBindings, binding)
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "reed.v1", metav1.DeleteOptions{}))
	eventually(t, func() error {
		left, err := lookUp(olm.CSVs, s.home, "reed.v1")
		if err != nil {
			return err
		}
		if !slices.Equal(left.GetFinalizers(), []string{"example.com/hold"}) {
			return fmt.Errorf("the finalizers are %v", left.GetFinalizers())
		}
		return nil
	})
	must(t, gone(olm.ClusterRoles, "", role.GetName())())
	must(t, gone(olm.ClusterRoleBindings, "", role.GetName())())
	s.found(olm.ClusterRoles, "", other.GetName())
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.home, "reed.v1", func(csv *olm.Object) { csv.SetFinalizers(nil) }))
	eventually(t, gone(olm.CSVs, s.home, "reed.v1"))
}

// One that is opted in to cleanup waits for it.
func TestFinalizer_AfterCleanup(t *testing.T) {
	s := newScene(t, 0)
	csv := olm.CSV("reed.v1", s.group, s.home)
	csv.SetFinalizers([]string{olm.Finalizer})
	s.create(csv)
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.home+"-role")
	role.SetLabels(olm.OwnerLabels(s.home, "reed.v1"))
	s.grant(olm.ClusterRoles, role)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.home, "reed.v1", func(csv *olm.Object) {
		csv.SetFinalizers([]string{olm.Finalizer, cleanupFinalizer})
	}))
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "reed.v1", metav1.DeleteOptions{}))
	marker := newScene(t, 0)
	last := olm.CSV("marker.v1", marker.group, marker.home)
	last.SetFinalizers([]string{olm.Finalizer})
	marker.create(last)
	must(t, shared.Any.Resource(olm.CSVs).Namespace(marker.home).Delete(t.Context(), "marker.v1", metav1.DeleteOptions{}))
	eventually(t, gone(olm.CSVs, marker.home, "marker.v1"))
	s.found(olm.ClusterRoles, "", role.GetName())
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.home, "reed.v1", func(csv *olm.Object) {
		csv.SetFinalizers([]string{olm.Finalizer})
	}))
	eventually(t, gone(olm.CSVs, s.home, "reed.v1"))
	eventually(t, gone(olm.ClusterRoles, "", role.GetName()))
}
