package installplans_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// What a service account must be allowed to for an operator itself.
var csvRule = rbacv1.PolicyRule{APIGroups: []string{"operators.coreos.com"}, Resources: []string{"clusterserviceversions"}, Verbs: []string{"get", "create"}}

// scopedSpace makes a namespace whose OperatorGroup names a service account, which is there and has these rights in it.
func scopedSpace(t *testing.T, account string, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	namespace := emptySpace(t)
	group := olm.OperatorGroup(namespace, "group", namespace)
	must(t, unstructured.SetNestedField(group.Object, account, "spec", "serviceAccountName"))
	must(t, olm.Create(t.Context(), shared.Any, group))
	_, err := shared.Kube.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	must(t, err)
	allow(t, namespace, account, rules...)
	return namespace
}

// allow gives a service account rights in its namespace.
func allow(t *testing.T, namespace, account string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role, err := shared.Kube.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}, Rules: rules,
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = shared.Kube.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: namespace}},
	}, metav1.CreateOptions{})
	must(t, err)
}

// bundle writes an unpacked bundle.
func bundle(t *testing.T, namespace, name string, manifests ...*olm.Object) {
	t.Helper()
	data := map[string]string{}
	for number, manifest := range manifests {
		text, err := json.Marshal(manifest.Object)
		must(t, err)
		data[fmt.Sprintf("%02d-%s.yaml", number, strings.ToLower(manifest.GetKind()))] = string(text)
	}
	_, err := shared.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}, metav1.CreateOptions{})
	must(t, err)
}

// reference is what a step has in place of a manifest.
func reference(namespace, name, properties string) map[string]any {
	return map[string]any{
		"kind": "ConfigMap", "name": name, "namespace": namespace, "catalogSourceName": "catalog", "catalogSourceNamespace": namespace,
		"replaces": "", "properties": properties,
	}
}

// A plan that nobody has approved is not executed, and goes when it is approved.
func TestPlan_AManualOneWaitsForItsApproval(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	plan := planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(configMap(namespace, "settings")))
	must(t, unstructured.SetNestedField(plan.Object, "Manual", "spec", "approval"))
	must(t, unstructured.SetNestedField(plan.Object, false, "spec", "approved"))
	install(t, plan)
	comes(t, namespace, "plan", func(plan *olm.Object) bool { return phaseOf(plan) == "RequiresApproval" })
	install(t, planned(t, namespace, "marker", "marker.v1", mandatory(csv(namespace, "marker.v1"))))
	completes(t, namespace, "marker", "Created")
	missing(t, olm.CSVs, namespace, "some.v1")
	missing(t, core("configmaps"), namespace, "settings")
	if statuses := statusesOf(planOf(t, namespace, "plan")); !slices.Equal(statuses, []string{"Unknown", "Unknown"}) {
		t.Errorf("the steps are %q", statuses)
	}
	must(t, olm.Mutate(t.Context(), shared.Any, installPlans, namespace, "plan", func(plan *olm.Object) {
		_ = unstructured.SetNestedField(plan.Object, true, "spec", "approved")
	}))
	completes(t, namespace, "plan", "Created", "Created")
}

// What is namespaced lands in the plan's namespace, whatever its manifest says.
func TestPlan_NothingLandsOutsideOfItsNamespace(t *testing.T) {
	t.Parallel()
	namespace, elsewhere := space(t), emptySpace(t)
	role := object("rbac.authorization.k8s.io/v1", "Role", elsewhere, "strays", map[string]any{"rules": []any{}})
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(elsewhere, "some.v1")),
		mandatory(configMap(elsewhere, "strays")), mandatory(rule(elsewhere, "strays")), mandatory(role),
		mandatory(object("v1", "ServiceAccount", elsewhere, "strays", nil))))
	completes(t, namespace, "plan", "Created", "Created", "Created", "Created", "Created")
	for name, resources := range map[string][]schema.GroupVersionResource{
		"some.v1": {olm.CSVs},
		"strays":  {core("configmaps"), rules, core("serviceaccounts"), {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}},
	} {
		for _, resource := range resources {
			found(t, resource, namespace, name)
			missing(t, resource, elsewhere, name)
		}
	}
}

// A bundle's finalizers and owners are dropped, and what Steward and OLM keep their books by.
func TestPlan_R_000_74_ABundleDecidesNothingForSteward(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	spoil := func(object *olm.Object) *olm.Object {
		object.SetFinalizers([]string{"example.com/held", "operatorframework.io/delete-custom-resources"})
		object.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "0"}})
		object.SetLabels(map[string]string{
			olm.CopiedFromLabel: "elsewhere", olm.ConfirmedLabel: "1", "author": "kept",
			"steward.operators.coreos.com/aggregate-to-cleanup": "true",
		})
		object.SetAnnotations(map[string]string{
			"steward.operatorframework.io/cleanup-record": "{}", "olm.operatorGroup": "theirs", "author": "kept",
		})
		object.Object["status"] = map[string]any{"phase": "Succeeded"}
		return object
	}
	role := "planned-" + namespace
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(spoil(csv(namespace, "some.v1"))),
		mandatory(spoil(configMap(namespace, "settings"))), mandatory(spoil(rule(namespace, "some"))),
		mandatory(spoil(object("rbac.authorization.k8s.io/v1", "ClusterRole", "", role, map[string]any{"rules": []any{}})))))
	completes(t, namespace, "plan", "Created", "Created", "Created", "Created")
	operator := found(t, olm.CSVs, namespace, "some.v1")
	for _, made := range []*olm.Object{
		operator, found(t, core("configmaps"), namespace, "settings"), found(t, rules, namespace, "some"), found(t, olm.ClusterRoles, "", role),
	} {
		what := made.GetKind()
		if finalizers := made.GetFinalizers(); len(finalizers) != 0 {
			t.Errorf("%s has finalizers %q", what, finalizers)
		}
		for _, owner := range made.GetOwnerReferences() {
			if owner.UID != operator.GetUID() || owner.Controller != nil && *owner.Controller || owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion {
				t.Errorf("%s is owned by %v", what, owner)
			}
		}
		for _, set := range []map[string]string{made.GetLabels(), made.GetAnnotations()} {
			for key := range set {
				if strings.Contains(key, "steward.") || key == olm.CopiedFromLabel || key == "olm.operatorGroup" {
					t.Errorf("%s has %s", what, key)
				}
			}
			if set["author"] != "kept" {
				t.Errorf("%s lacks its author's own: %v", what, set)
			}
		}
		if made.GetLabels()[olm.ManagedLabel] != "true" {
			t.Errorf("%s is not marked as managed", what)
		}
	}
	if phase := text(operator, "status", "phase"); phase != "" {
		t.Errorf("the operator's phase is %q", phase)
	}
}

// What each kind means when it is there already.
func TestPlan_R_002_47_WhatIsThereAlready(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	there := csv(namespace, "some.v1")
	must(t, unstructured.SetNestedField(there.Object, "Theirs", "spec", "displayName"))
	must(t, olm.Create(t.Context(), shared.Any, there))
	_, err := shared.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Labels: map[string]string{"theirs": "kept"}}, Data: map[string]string{"a": "0", "b": "kept"},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = shared.Kube.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta:       metav1.ObjectMeta{Name: "works", Annotations: map[string]string{"theirs": "kept", "both": "old"}},
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}, Secrets: []corev1.ObjectReference{{Name: "token"}},
	}, metav1.CreateOptions{})
	must(t, err)
	works := object("v1", "ServiceAccount", namespace, "works", nil)
	works.SetAnnotations(map[string]string{"both": "new"})
	install(t, planned(t, namespace, "plan", "some.v1",
		mandatory(csv(namespace, "some.v1")), mandatory(configMap(namespace, "settings")), mandatory(works)))
	completes(t, namespace, "plan", "Present", "Present", "Present")
	if name := text(found(t, olm.CSVs, namespace, "some.v1"), "spec", "displayName"); name != "Theirs" {
		t.Errorf("the operator was changed: %q", name)
	}
	settings, err := shared.Kube.CoreV1().ConfigMaps(namespace).Get(t.Context(), "settings", metav1.GetOptions{})
	must(t, err)
	if settings.Data["a"] != "1" || settings.Data["b"] != "kept" || settings.Labels["theirs"] != "kept" {
		t.Errorf("the ConfigMap is %v, with labels %v", settings.Data, settings.Labels)
	}
	account, err := shared.Kube.CoreV1().ServiceAccounts(namespace).Get(t.Context(), "works", metav1.GetOptions{})
	must(t, err)
	if account.Annotations["theirs"] != "kept" || account.Annotations["both"] != "new" || len(account.Secrets) != 1 || len(account.ImagePullSecrets) != 1 {
		t.Errorf("the ServiceAccount is %v", account)
	}
}

// R-002-24: operators first, then definitions, whatever the order of the plan, which stays.
func TestPlan_R_002_24_Order(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	widgets := definition("order.example.com", "Widget", "Namespaced")
	install(t, planned(t, namespace, "plan", "some.v1",
		mandatory(answering(configMap(namespace, "settings"))), mandatory(widgets), mandatory(csv(namespace, "some.v1"))))
	plan := completes(t, namespace, "plan", "Created", "Created", "Created")
	steps, _, _ := unstructured.NestedSlice(plan.Object, "status", "plan")
	var kinds []string
	for _, each := range steps {
		kind, _, _ := unstructured.NestedString(each.(map[string]any), "resource", "kind")
		kinds = append(kinds, kind)
	}
	if want := []string{"ConfigMap", "CustomResourceDefinition", "ClusterServiceVersion"}; !slices.Equal(kinds, want) {
		t.Errorf("the plan's steps are %q, want %q", kinds, want)
	}
	made := found(t, olm.Definitions, "", widgets.GetName())
	if made.GetLabels()[olm.ManagedLabel] != "true" || !slices.ContainsFunc(mapKeys(made.GetAnnotations()), func(key string) bool {
		return strings.HasPrefix(key, "operatorframework.io/installed-alongside-") && made.GetAnnotations()[key] == namespace+"/some.v1"
	}) {
		t.Errorf("the definition has labels %v and annotations %v", made.GetLabels(), made.GetAnnotations())
	}
	if owners := found(t, core("configmaps"), namespace, "settings").GetOwnerReferences(); len(owners) != 1 || owners[0].UID != found(t, olm.CSVs, namespace, "some.v1").GetUID() {
		t.Errorf("the ConfigMap is owned by %v", owners)
	}
}

func mapKeys(set map[string]string) (keys []string) {
	for key := range set {
		keys = append(keys, key)
	}
	return keys
}

// The cluster deletes a token whose account is not there: accounts come first, wherever the plan has them.
func TestPlan_ATokenSurvives(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"Secret", "BundleSecret"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			token := object("v1", "Secret", namespace, "token", map[string]any{"type": "kubernetes.io/service-account-token"})
			token.SetAnnotations(map[string]string{"kubernetes.io/service-account.name": "works"})
			plan := planned(t, namespace, "plan", "some.v1", mandatory(token),
				mandatory(csv(namespace, "some.v1")), mandatory(object("v1", "ServiceAccount", namespace, "works", nil)))
			steps, _, _ := unstructured.NestedSlice(plan.Object, "status", "plan")
			must(t, unstructured.SetNestedField(steps[0].(map[string]any), kind, "resource", "kind"))
			must(t, unstructured.SetNestedSlice(plan.Object, steps, "status", "plan"))
			install(t, plan)
			completes(t, namespace, "plan", "Created", "Created", "Created")
			eventually(t, func() error {
				secret, err := shared.Kube.CoreV1().Secrets(namespace).Get(t.Context(), "token", metav1.GetOptions{})
				if err == nil && len(secret.Data["token"]) == 0 {
					err = fmt.Errorf("the token is not filled yet")
				}
				return err
			})
			if made := writes(t, namespace, "secrets"); len(made) != 1 {
				t.Errorf("the Secret was written %d times: %+v", len(made), made)
			}
		})
	}
}

// A bundle's ConfigMap that comes late is waited for.
func TestPlan_ABundleThatComesLate(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	operator := csv("", "some.v1")
	install(t, planned(t, namespace, "plan", "some.v1", step{manifest: operator, reference: reference(namespace, "late", "")}))
	plan := comes(t, namespace, "plan", func(plan *olm.Object) bool { return strings.Contains(messageOf(plan), namespace+"/late") })
	if !strings.HasPrefix(messageOf(plan), "retrying execution due to error: ") {
		t.Errorf("the message is %q", messageOf(plan))
	}
	if condition, message := installed(plan); !strings.HasPrefix(condition, "False") || !strings.Contains(message, namespace+"/late") {
		t.Errorf("the condition Installed is %q: %q", condition, message)
	}
	bundle(t, namespace, "late", operator)
	plan = completes(t, namespace, "plan", "Created")
	if message := messageOf(plan); message != "" {
		t.Errorf("the message is %q", message)
	}
}

// Steps are written as the service account that the OperatorGroup names, but definitions: those by the executor, as with OLM.
func TestPlan_TheGroupsServiceAccountInstalls(t *testing.T) {
	t.Parallel()
	namespace := scopedSpace(t, "installer", csvRule,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "create", "patch", "update"}})
	user := "system:serviceaccount:" + namespace + ":installer"
	widgets := definition("scoped.example.com", "Widget", "Namespaced")
	install(t, planned(t, namespace, "plan", "some.v1",
		mandatory(csv(namespace, "some.v1")), mandatory(widgets), mandatory(configMap(namespace, "settings"))))
	completes(t, namespace, "plan", "Created", "Created", "Created")
	for _, resource := range []string{"clusterserviceversions", "configmaps"} {
		made := writes(t, namespace, resource)
		if len(made) == 0 {
			t.Errorf("the audit log has no %s", resource)
		}
		for _, each := range made {
			if each.as() != user {
				t.Errorf("%s: %s by %s", resource, each.Verb, each.as())
			}
		}
	}
	for _, each := range writes(t, "", "customresourcedefinitions") {
		if each.as() != accountUser {
			t.Errorf("%s of %s as %s", each.Verb, each.ObjectRef.Name, each.as())
		}
	}
	for _, each := range writes(t, namespace, "installplans") {
		if each.as() != accountUser || each.ObjectRef.Subresource != "status" {
			t.Errorf("%s of the plan as %s: %+v", each.Verb, each.as(), each.ObjectRef)
		}
	}
}

// While the group's service account is not there the plan waits, as it does for a group.
func TestPlan_TheGroupsServiceAccountComesLate(t *testing.T) {
	t.Parallel()
	namespace := emptySpace(t)
	group := olm.OperatorGroup(namespace, "group", namespace)
	must(t, unstructured.SetNestedField(group.Object, "late", "spec", "serviceAccountName"))
	must(t, olm.Create(t.Context(), shared.Any, group))
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1"))))
	plan := comes(t, namespace, "plan", func(plan *olm.Object) bool {
		condition, _ := installed(plan)
		return condition == "False InstallCheckFailed"
	})
	_, message := installed(plan)
	contains(t, "the condition", message, "late")
	missing(t, olm.CSVs, namespace, "some.v1")
	allow(t, namespace, "late", csvRule)
	_, err := shared.Kube.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
	must(t, err)
	completes(t, namespace, "plan", "Created")
}

// More than one group is none that could be asked.
func TestPlan_SeveralGroups(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	must(t, olm.Create(t.Context(), shared.Any, olm.OperatorGroup(namespace, "another", namespace)))
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1"))))
	comes(t, namespace, "plan", func(plan *olm.Object) bool {
		condition, _ := installed(plan)
		return condition == "False InstallCheckFailed"
	})
	missing(t, olm.CSVs, namespace, "some.v1")
	must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(namespace).Delete(t.Context(), "another", metav1.DeleteOptions{}))
	completes(t, namespace, "plan", "Created")
}

// What the API server remarks on a write is told about the plan.
func TestPlan_WarningsAreTold(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(answering(configMap(namespace, "settings"), warning, "this one is odd"))))
	completes(t, namespace, "plan", "Created", "Created")
	told(t, namespace, "plan", "this one is odd", "settings")
}
