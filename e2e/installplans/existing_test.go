package installplans_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// patch changes an object as an administrator does.
func patch(t *testing.T, resource schema.GroupVersionResource, namespace, name, change string) {
	t.Helper()
	_, err := shared.Any.Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(change), metav1.PatchOptions{})
	must(t, err)
}

// refuses waits until the plan says so, and nothing of it is written.
func refuses(t *testing.T, namespace, operator string, says ...string) {
	t.Helper()
	comes(t, namespace, "plan", func(plan *olm.Object) bool {
		message := messageOf(plan)
		for _, part := range says {
			if !strings.Contains(message, part) {
				return false
			}
		}
		return true
	})
	missing(t, olm.CSVs, namespace, operator)
}

// Case 47: a plan that has no more rights than a service account changes nobody else's definition, whatever those rights are.
func TestCase47_ADefinitionOfOthers(t *testing.T) {
	t.Parallel()
	const bank = "widgets.bank.example.com"
	root, err := cluster.Root()
	must(t, err)
	folder, exists := olm.Published(root, filepath.Join("cases", "47-definition-hijack"))
	if !exists {
		t.Skipf("%s is not there", folder)
	}
	read := func(file string) *olm.Object {
		objects, err := olm.Read(filepath.Join(folder, file))
		must(t, err)
		return objects[0]
	}
	must(t, olm.CreateCRDs(t.Context(), shared.Any, read("definition.yaml")))
	owner := space(t)
	owned := csv(owner, "bank.v1")
	must(t, unstructured.SetNestedSlice(owned.Object, []any{map[string]any{"name": bank, "version": "v1", "kind": "Widget"}},
		"spec", "customresourcedefinitions", "owned"))
	must(t, olm.CreateAs(t.Context(), shared.Any, olm.CSVs, owned))
	before := found(t, olm.Definitions, "", bank)

	hijack := read("hijack.yaml")
	kept := hijack.DeepCopy()
	unstructured.RemoveNestedField(kept.Object, "spec", "conversion")
	for name, wanted := range map[string]*olm.Object{"at a url": hijack, "without one": kept} {
		namespace := scopedSpace(t, "nobody", csvRule)
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(wanted)))
		refuses(t, namespace, "some.v1", bank, "an operator of another namespace owns it")
		if after := found(t, olm.Definitions, "", bank); after.GetResourceVersion() != before.GetResourceVersion() {
			t.Fatalf("%s: it was changed", name)
		}
	}
	// Nor does a plan with all of the executor's rights have objects converted outside of the cluster; the policy holds that, too.
	namespace := space(t)
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(hijack)))
	refuses(t, namespace, "some.v1", bank, "https://elsewhere.example.com/convert")
	config, err := cluster.ClientFor(account)
	must(t, err)
	executor, err := dynamic.NewForConfig(config)
	must(t, err)
	change := hijack.DeepCopy()
	change.SetResourceVersion(before.GetResourceVersion())
	_, err = executor.Resource(olm.Definitions).Update(t.Context(), change, metav1.UpdateOptions{})
	must(t, refusal(installsPolicy, err))
}

// The same for one's own: an operator of the namespace owns it, so its plans change it.
func TestPlan_ADefinitionOfItsOwn(t *testing.T) {
	t.Parallel()
	const group = "own.example.com"
	must(t, olm.CreateCRDs(t.Context(), shared.Any, versioned(group, version("v1", "integer", true, true))))
	namespace := scopedSpace(t, "installer", csvRule)
	wanted := versioned(group, version("v1", "integer", true, true), version("v2", "integer", true, false))
	install(t, planned(t, namespace, "plan", "some.v2", mandatory(csv(namespace, "some.v2")), mandatory(wanted)))
	refuses(t, namespace, "some.v2", "widgets."+group, "no operator of this namespace owns it")
	owner := csv(namespace, "some.v1")
	must(t, unstructured.SetNestedSlice(owner.Object, []any{map[string]any{"name": "widgets." + group, "version": "v1", "kind": "Widget"}},
		"spec", "customresourcedefinitions", "owned"))
	must(t, olm.CreateAs(t.Context(), shared.Any, olm.CSVs, owner))
	completes(t, namespace, "plan", "Created", "Present")
}

// Case 55: what is being deleted is waited for, and made anew.
func TestCase55_OnItsWayOut(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	roles := rbacv1.SchemeGroupVersion.WithResource("clusterroles")
	viewer := namespace + "-viewer"
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", viewer, map[string]any{"rules": []any{}})
	for _, each := range []struct {
		resource  schema.GroupVersionResource
		namespace string
		made      *olm.Object
	}{{core("configmaps"), namespace, configMap(namespace, "settings")}, {roles, "", role}} {
		made := each.made.DeepCopy()
		made.SetFinalizers([]string{"example.com/held"})
		must(t, olm.CreateAs(t.Context(), shared.Any, each.resource, made))
		must(t, shared.Any.Resource(each.resource).Namespace(each.namespace).Delete(t.Context(), made.GetName(), metav1.DeleteOptions{}))
	}
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(configMap(namespace, "settings")), mandatory(role)))
	comes(t, namespace, "plan", func(plan *olm.Object) bool {
		return strings.Contains(messageOf(plan), "it is there, and is being deleted")
	})
	patch(t, core("configmaps"), namespace, "settings", `{"metadata":{"finalizers":null}}`)
	patch(t, roles, "", viewer, `{"metadata":{"finalizers":null}}`)
	completes(t, namespace, "plan", "Created", "Created", "Created")
	if made := found(t, core("configmaps"), namespace, "settings"); made.GetDeletionTimestamp() != nil {
		t.Error("settings is being deleted")
	}
}

// Cases 59 and 60: an upgrade takes away what the old version brought, and leaves what the cluster and others have given.
func TestCase59_60_AnUpgradeReplaces(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	settings := func(data map[string]any) *olm.Object {
		return object("v1", "ConfigMap", namespace, "settings", map[string]any{"data": data})
	}
	secret := func(data map[string]any) *olm.Object {
		return object("v1", "Secret", namespace, "token", map[string]any{"stringData": data})
	}
	service := func(port int64, selector map[string]any) *olm.Object {
		return object("v1", "Service", namespace, "metrics", map[string]any{"spec": map[string]any{
			"type": "NodePort", "selector": selector,
			"ports": []any{map[string]any{"name": "https", "port": port}, map[string]any{"name": "same", "port": int64(9090)}},
		}})
	}
	role := func(verbs ...any) *olm.Object {
		return object("rbac.authorization.k8s.io/v1", "Role", namespace, "reader", map[string]any{"rules": []any{
			map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": verbs},
		}})
	}
	install(t, planned(t, namespace, "one", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(settings(map[string]any{"version": "1", "old": "1"})), mandatory(secret(map[string]any{"a": "1", "old": "1"})),
		mandatory(service(8443, map[string]any{"app": "lemon", "control-plane": "old"})), mandatory(role("get", "list"))))
	completes(t, namespace, "one", "Created", "Created", "Created", "Created", "Created")
	patch(t, core("configmaps"), namespace, "settings", `{"data":{"custom":"mine"}}`)
	before := found(t, core("services"), namespace, "metrics")

	install(t, planned(t, namespace, "two", "some.v2", mandatory(csv(namespace, "some.v2")),
		mandatory(settings(map[string]any{"version": "2"})), mandatory(secret(map[string]any{"a": "2"})),
		mandatory(service(8444, map[string]any{"app": "lemon"})), mandatory(role("get"))))
	completes(t, namespace, "two", "Created", "Present", "Present", "Present", "Present")
	if data := found(t, core("configmaps"), namespace, "settings").Object["data"]; !reflect.DeepEqual(data, map[string]any{"version": "2", "custom": "mine"}) {
		t.Errorf("the ConfigMap has %v", data)
	}
	if data := found(t, core("secrets"), namespace, "token").Object["data"]; !reflect.DeepEqual(data, map[string]any{"a": "Mg=="}) {
		t.Errorf("the Secret has %v", data)
	}
	after := found(t, core("services"), namespace, "metrics")
	spec := func(service *olm.Object, key string) any { return service.Object["spec"].(map[string]any)[key] }
	if spec(before, "clusterIP") != spec(after, "clusterIP") || text(after, "spec", "clusterIP") == "" {
		t.Errorf("the address was %v, and is %v", spec(before, "clusterIP"), spec(after, "clusterIP"))
	}
	if got := fmt.Sprint(spec(after, "selector")); got != "map[app:lemon]" {
		t.Errorf("the selector is %s", got)
	}
	port := func(service *olm.Object, number int, key string) any {
		return spec(service, "ports").([]any)[number].(map[string]any)[key]
	}
	if ports := spec(after, "ports").([]any); len(ports) != 2 || fmt.Sprint(port(after, 0, "port")) != "8444" {
		t.Errorf("the ports are %v", ports)
	}
	if port(before, 1, "nodePort") != port(after, 1, "nodePort") {
		t.Errorf("the node port was %v, and is %v", port(before, 1, "nodePort"), port(after, 1, "nodePort"))
	}
	rules, _, _ := unstructured.NestedSlice(found(t, rbacv1.SchemeGroupVersion.WithResource("roles"), namespace, "reader").Object, "rules")
	if got := fmt.Sprint(rules); got != "[map[apiGroups:[] resources:[pods] verbs:[get]]]" {
		t.Errorf("the rules are %s", got)
	}
}

// Case 51: a step installs what it shows.
func TestCase51_WhatAStepShows(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	plan := planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(configMap(namespace, "real")))
	steps, _, err := unstructured.NestedSlice(plan.Object, "status", "plan")
	must(t, err)
	must(t, unstructured.SetNestedField(steps[1].(map[string]any), "shown", "resource", "name"))
	must(t, unstructured.SetNestedSlice(plan.Object, steps, "status", "plan"))
	install(t, plan)
	plan = ends(t, namespace, "plan", "Failed")
	contains(t, "the message", messageOf(plan), "the manifest is ConfigMap real, not ConfigMap shown")
	missing(t, olm.CSVs, namespace, "some.v1")
}

// Case 70: a plan that has failed is tried again once it is approved again.
func TestCase70_FailedAndMended(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	const group = "mended.example.com"
	must(t, olm.CreateCRDs(t.Context(), shared.Any, versioned(group, version("v1", "integer", true, true))))
	widget(t, group, "v1", namespace, "one", int64(1))
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(versioned(group, version("v1", "string", true, true)))))
	ends(t, namespace, "plan", "Failed")
	told(t, namespace, "plan", "tried again when spec.approved")
	widgets := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}
	must(t, shared.Any.Resource(widgets).Namespace(namespace).Delete(t.Context(), "one", metav1.DeleteOptions{}))
	patch(t, installPlans, namespace, "plan", `{"spec":{"approved":false}}`)
	eventually(t, func() error {
		if phase := phaseOf(planOf(t, namespace, "plan")); phase != "RequiresApproval" {
			return fmt.Errorf("the plan is %s", phase)
		}
		return nil
	})
	patch(t, installPlans, namespace, "plan", `{"spec":{"approved":true}}`)
	completes(t, namespace, "plan", "Created", "Present")
}

// Case 56: what Kubernetes lets nobody change is known before the first write, and told in its words.
func TestCase56_ImmutableFields(t *testing.T) {
	t.Parallel()
	priority := "plans-" + rand.String(6)
	bound := func(role string) map[string]any {
		return map[string]any{"roleRef": map[string]any{"apiGroup": rbacv1.GroupName, "kind": "Role", "name": role}, "subjects": []any{}}
	}
	for _, tc := range []struct {
		resource         schema.GroupVersionResource
		apiVersion, kind string
		name             string
		old, wanted      map[string]any
		says             []string
	}{
		{core("configmaps"), "v1", "ConfigMap", "settings", map[string]any{"immutable": true, "data": map[string]any{"a": "1"}},
			map[string]any{"immutable": true, "data": map[string]any{"a": "2"}}, []string{"settings", "data", "immutable"}},
		{rbacv1.SchemeGroupVersion.WithResource("rolebindings"), "rbac.authorization.k8s.io/v1", "RoleBinding", "reader", bound("one"), bound("two"),
			[]string{"reader", "roleRef"}},
		{schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"}, "scheduling.k8s.io/v1", "PriorityClass",
			priority, map[string]any{"value": int64(1)}, map[string]any{"value": int64(2)}, []string{priority, "value"}},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			in := namespace
			if tc.kind == "PriorityClass" {
				in = ""
			}
			must(t, olm.CreateAs(t.Context(), shared.Any, tc.resource, object(tc.apiVersion, tc.kind, in, tc.name, tc.old)))
			install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(configMap(namespace, "before")),
				mandatory(object(tc.apiVersion, tc.kind, in, tc.name, tc.wanted))))
			refuses(t, namespace, "some.v1", tc.says...)
			missing(t, core("configmaps"), namespace, "before")
		})
	}
}

// Case 53: what administrators have set on an account stays, and it does not go with the operator.
func TestCase53_AnAccountThatIsThere(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	account := object("v1", "ServiceAccount", namespace, "fig", map[string]any{
		"automountServiceAccountToken": false, "imagePullSecrets": []any{map[string]any{"name": "registry"}},
	})
	account.SetLabels(map[string]string{"team": "orchard"})
	must(t, olm.CreateAs(t.Context(), shared.Any, core("serviceaccounts"), account))
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(object("v1", "ServiceAccount", namespace, "fig", nil))))
	completes(t, namespace, "plan", "Created", "Present")
	got := found(t, core("serviceaccounts"), namespace, "fig")
	if got.Object["automountServiceAccountToken"] != false || !reflect.DeepEqual(got.Object["imagePullSecrets"], account.Object["imagePullSecrets"]) ||
		got.GetLabels()["team"] != "orchard" || len(got.GetOwnerReferences()) != 0 {
		t.Errorf("the account is %v", got.Object)
	}
}
