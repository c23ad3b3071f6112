package operators_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// The overlay's policies hold whatever the process does.
func TestAccount_TakesOffOneFinalizer(t *testing.T) {
	s := newScene(t, 0)
	client, err := as(accountUser)
	must(t, err)
	csv := olm.CSV("reed.v1", s.group, s.home)
	csv.SetFinalizers([]string{olm.Finalizer})
	s.create(csv)
	for what, patch := range map[string]string{
		"before its deletion": `{"metadata":{"finalizers":null}}`,
		"another finalizer":   `{"metadata":{"finalizers":["` + olm.Finalizer + `","` + cleanupFinalizer + `"]}}`,
		"its spec":            `{"spec":{"displayName":"mine"}}`,
		"its annotations":     `{"metadata":{"annotations":{"a":"b"}}}`,
	} {
		_, err := client.Resource(olm.CSVs).Namespace(s.home).Patch(t.Context(), "reed.v1", types.MergePatchType, []byte(patch),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
		err := client.Resource(resource).Delete(t.Context(), "cluster-admin", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", resource.Resource, err)
		}
	}
}
