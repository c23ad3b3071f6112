package deploy

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// installs applies the overlay, and waits until its policy has refused something.
func installs(t *testing.T) {
	t.Helper()
	must(t, shared.ApplyManifests(t.Context(), filepath.Join("overlays", "install-plans")))
	namespace := space(t)
	eventually(t, func() error {
		_, err := as(t, installer).Resource(olm.CSVs).Namespace(namespace).Create(t.Context(), csv(namespace, "policy", "example.com/held"),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return refusal(installsPolicy, err)
	})
}

// The account that executes plans has the verbs of its rules and no other: above all it deletes nothing.
func TestInstallPlans_DeleteNothing(t *testing.T) {
	objects, _, err := rendered(t.Context(), "overlays/install-plans")
	must(t, err)
	verbs := map[string]bool{}
	for _, object := range objects {
		rules, _, _ := unstructured.NestedSlice(object.Object, "rules")
		for _, rule := range rules {
			list, _, _ := unstructured.NestedStringSlice(rule.(map[string]any), "verbs")
			for _, verb := range list {
				verbs[verb] = true
			}
		}
	}
	got := slices.Sorted(maps.Keys(verbs))
	want := []string{"bind", "create", "escalate", "get", "impersonate", "list", "patch", "update", "watch"}
	if !slices.Equal(got, want) {
		t.Errorf("the verbs are %q, want %q", got, want)
	}
}

// R-000-74: what a bundle says of cleanup, of copies and of Steward is written by nobody who installs bundles.
func TestInstallPlans_R_000_74_WriteNothingThatBundlesMustNotDecide(t *testing.T) {
	installs(t)
	namespace := space(t)
	for number, tc := range []struct {
		name   string
		change func(*olm.Object)
		policy string // "": it is allowed
	}{
		{"an operator", func(*olm.Object) {}, ""},
		{"labels and annotations of its author", func(object *olm.Object) {
			object.SetLabels(map[string]string{"a": "b", olm.ManagedLabel: "true"})
		}, ""},
		{"a finalizer", func(object *olm.Object) { object.SetFinalizers([]string{"example.com/held"}) }, installsPolicy},
		{"a copy", func(object *olm.Object) { object.SetLabels(map[string]string{olm.CopiedFromLabel: "elsewhere"}) }, installsPolicy},
		{"a confirmation", func(object *olm.Object) { object.SetLabels(map[string]string{olm.ConfirmedLabel: "1"}) }, installsPolicy},
		{"a mark of Steward's", func(object *olm.Object) {
			object.SetAnnotations(map[string]string{marks + "cleanup-record": "{}"})
		}, installsPolicy},
	} {
		object := csv(namespace, fmt.Sprintf("csv-%d", number))
		object.SetAnnotations(nil)
		tc.change(object)
		_, err := as(t, installer).Resource(olm.CSVs).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
		if tc.policy != "" {
			err = refusal(tc.policy, err)
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	// As what a plan is executed is an account of its namespace where the OperatorGroup names one.
	own := "system:serviceaccount:" + namespace + ":scoped"
	must(t, bind(t.Context(), own, "cluster-admin"))
	must(t, bind(t.Context(), installer, "steward-cleanup-opt-in"))
	hasRight(t, own)
	hasRight(t, installer)
	for number, user := range []string{own, installer} {
		_, err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Create(t.Context(),
			csv(namespace, fmt.Sprintf("opted-in-%d", number), optInFinalizer), metav1.CreateOptions{})
		if refusal(optInPolicy, err) != nil && refusal(installsPolicy, err) != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// Neither Steward's namespace nor the roles of the cluster and of Steward are a bundle's to write.
func TestInstallPlans_StayOutOfStewardAndTheClustersRoles(t *testing.T) {
	installs(t)
	namespace := space(t)
	for _, tc := range []struct {
		namespace, policy string
	}{{namespace, ""}, {"steward-system", installsPolicy}} {
		made := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		made.SetName("some")
		_, err := as(t, installer).Resource(configMaps).Namespace(tc.namespace).Create(t.Context(), made, metav1.CreateOptions{})
		if tc.policy != "" {
			err = refusal(tc.policy, err)
		}
		if err != nil {
			t.Errorf("%s: %v", tc.namespace, err)
		}
	}
	// Rights beyond its own are what operators bring.
	wide := held(true)[olm.ClusterRoles]
	wide.SetFinalizers(nil)
	_, err := as(t, installer).Resource(olm.ClusterRoles).Create(t.Context(), wide, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), wide.GetName())) })
	labels := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	widens := []byte(`{"metadata":{"labels":{"` + clusterRoleLabel + `":"true"}}}`)
	for _, tc := range []struct {
		name   string
		patch  []byte
		policy string
	}{
		{wide.GetName(), labels, ""}, {wide.GetName(), widens, installsPolicy},
		{"view", labels, installsPolicy}, {"system:basic-user", labels, installsPolicy}, {"steward-view", labels, installsPolicy},
	} {
		_, err := as(t, installer).Resource(olm.ClusterRoles).Patch(t.Context(), tc.name, types.MergePatchType, tc.patch, metav1.PatchOptions{})
		if tc.policy != "" {
			err = refusal(tc.policy, err)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", tc.name, tc.patch, err)
		}
	}
	if err := as(t, installer).Resource(olm.ClusterRoles).Delete(t.Context(), wide.GetName(), metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a deletion: %v", err)
	}
}
