package operators_test

import (
	"fmt"
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
		"an empty label":      `{"metadata":{"labels":{"mine":""}}}`,
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

// Of components it changes the label of their Operator. Roles and RoleBindings are among them, but a copy's labels are the copy's.
func TestAccount_LabelsComponents(t *testing.T) {
	s := newScene(t, 1)
	s.install("reed.v1", secretsRules("get"))
	target := s.targets[0]
	eventually(t, s.copied(target))
	client, err := as(accountUser)
	must(t, err)
	attempt := func(resource schema.GroupVersionResource, namespace, name, metadata string, allowed bool) {
		t.Helper()
		_, err := client.Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":`+metadata+`}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if allowed && err != nil || !allowed && !apierrors.IsForbidden(err) {
			t.Errorf("%s %s/%s %s: %v", resource.Resource, namespace, name, metadata, err)
		}
	}
	const label = "operators.coreos.com/x.y"
	for _, resource := range []schema.GroupVersionResource{roles, roleBindings} {
		for _, each := range []string{
			`{"labels":{"olm.copiedFrom":"elsewhere"}}`,
			`{"labels":{"olm.copiedFrom":""}}`,
			`{"labels":{"olm.owner":"other"}}`,
			`{"labels":{"olm.owner":null}}`,
			`{"labels":{"mine":"yes"}}`,
			`{"labels":{"mine":""}}`,
			`{"labels":{"` + label + `":"","mine":""}}`,
			`{"annotations":{"a":"b"}}`,
			`{"annotations":{"a":""},"labels":{"` + label + `":""}}`,
			`{"ownerReferences":null}`,
			`{"finalizers":["example.com/mine"]}`,
		} {
			attempt(resource, s.home, s.roleName(), each, false)
		}
		for _, each := range []string{
			`{"labels":{"olm.copiedFrom":null}}`,
			`{"labels":{"olm.copiedFrom":"` + target + `"}}`,
			`{"labels":{"olm.owner":null}}`,
			`{"labels":{"olm.owner.kind":"Deployment"}}`,
		} {
			attempt(resource, target, s.roleName(), each, false)
		}
		for _, namespace := range []string{s.home, target} {
			attempt(resource, namespace, s.roleName(), `{"labels":{"`+label+`":""}}`, true)
		}
		mine := object("rbac.authorization.k8s.io/v1", map[string]string{"roles": "Role", "rolebindings": "RoleBinding"}[resource.Resource], s.home, "mine")
		mine.SetLabels(map[string]string{label: "", "mine": ""})
		if resource == roleBindings {
			mine.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": "mine"}
		}
		s.create(mine)
		attempt(resource, s.home, "mine", `{"labels":{"`+label+`":null}}`, true)
		attempt(resource, s.home, "mine", `{"labels":{"`+label+`":"x"}}`, true)
		attempt(resource, s.home, "mine", `{"labels":{"`+label+`":null,"mine":null}}`, false)
		attempt(resource, s.home, "mine", `{"labels":{"mine":"x"}}`, false)
	}
	attempt(serviceAccounts, s.home, "reed", `{"labels":{"mine":""}}`, false)
	attempt(serviceAccounts, s.home, "reed", `{"labels":{"`+label+`":""}}`, true)

	// The cost is bounded.
	many := object("rbac.authorization.k8s.io/v1", "Role", s.home, "many")
	labels := map[string]string{}
	for i := range 10000 {
		labels[fmt.Sprintf("example.com/%d", i)] = "a-value"
	}
	many.SetLabels(labels)
	s.create(many)
	attempt(roles, s.home, "many", `{"labels":{"`+label+`":""}}`, true)
}
