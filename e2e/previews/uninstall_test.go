package previews_test

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

// operator is one with widgets, of an API group of its own, that works in two namespaces.
type operator struct {
	group, namespace, name string
	spaces                 []string
}

func (o *operator) widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: o.group, Version: "v1", Resource: "widgets"}
}

func (o *operator) add(t *testing.T, namespace, name string, finalizers ...string) {
	t.Helper()
	widget := object(o.group+"/v1", "Widget", namespace, name, nil)
	widget.SetFinalizers(finalizers)
	_, err := shared.Any.Resource(o.widgets()).Namespace(namespace).Create(t.Context(), widget, metav1.CreateOptions{})
	must(t, err)
}

// installed makes an operator that supports cleanup, and is as OLM leaves it; opted in, if that is wanted.
func installed(t *testing.T, optedIn bool) *operator {
	t.Helper()
	id := rand.String(6)
	o := &operator{group: id + ".example.com", namespace: "ops-" + id, name: "widget.v1", spaces: []string{"space-" + id + "-0", "space-" + id + "-1"}}
	must(t, olm.CreateCRDs(t.Context(), shared.Any, olm.Definition(o.group, "Widget", "Namespaced", "v1")))
	for _, name := range append([]string{o.namespace, "elsewhere-" + id}, o.spaces...) {
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	}
	group := olm.Synced(olm.OperatorGroup(o.namespace, "group", o.spaces...), o.spaces...)
	csv := olm.CSV(o.name, group, o.spaces...)
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	spec["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
		"name": "widgets." + o.group, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
	}}}
	if optedIn {
		csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
	}
	must(t, olm.Create(t.Context(), shared.Any, group, csv))
	o.add(t, o.spaces[0], "one")
	o.add(t, o.spaces[0], "held-by-policy")
	o.add(t, o.spaces[1], "two")
	o.add(t, "elsewhere-"+id, "kept")
	return o
}

func (o *operator) spec(cleanup ...bool) map[string]any {
	uninstall := map[string]any{"clusterServiceVersion": o.name}
	if len(cleanup) > 0 {
		uninstall["cleanup"] = cleanup[0]
	}
	return map[string]any{"uninstall": uninstall}
}

// refuseDeletion has the cluster refuse the deletion of a widget.
func refuseDeletion(t *testing.T, group, name string) {
	t.Helper()
	policies := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	id := "e2e-" + rand.String(6)
	policy := object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "", id, map[string]any{"spec": map[string]any{
		"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
			"apiGroups": []any{group}, "apiVersions": []any{"v1"}, "resources": []any{"widgets"}, "operations": []any{"DELETE"}}}},
		"validations": []any{map[string]any{"expression": fmt.Sprintf("oldObject.metadata.name != %q", name)}},
	}})
	binding := object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "", id, map[string]any{"spec": map[string]any{
		"policyName": id, "validationActions": []any{"Deny"}}})
	_, err := shared.Any.Resource(policies).Create(t.Context(), policy, metav1.CreateOptions{})
	must(t, err)
	_, err = shared.Any.Resource(policies.GroupVersion().WithResource("validatingadmissionpolicybindings")).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		_ = shared.Any.Resource(policies.GroupVersion().WithResource("validatingadmissionpolicybindings")).Delete(t.Context(), id, metav1.DeleteOptions{})
	})
}

// What an uninstallation was said to do to each custom resource, with cleanup and without, is what it does.
func TestUninstall_R_PRJ_07_StepByStep(t *testing.T) {
	for _, cleanup := range []bool{true, false} {
		t.Run(fmt.Sprintf("cleanup=%v", cleanup), func(t *testing.T) {
			o := installed(t, cleanup)
			refuseDeletion(t, o.group, "held-by-policy")
			client := clientOf(t, installer)
			want := []string{"Delete", "Keep", "Fail", "Delete", "Delete", "Keep"} // the last is the definition
			if !cleanup {
				want = []string{"Delete", "Keep", "Keep", "Keep", "Keep", "Keep"}
			}
			_, from := writesSince(t, 0)
			var said preview
			// The policy is in force once a dry run is refused; the operator's opt-in once it is confirmed.
			eventually(t, func() (err error) {
				if said, err = ask(t, client, o.namespace, o.spec()); err == nil && !slices.Equal(said.outcomes(), want) {
					err = fmt.Errorf("the steps are to be %q, want %q: %v", said.outcomes(), want, said.Status.Steps)
				}
				return err
			})
			sent, _ := writesSince(t, from)
			for _, each := range sent {
				if each.ObjectRef.Resource == "widgets" && !slices.Contains([]string{"create"}, each.Verb) &&
					!contains(each.RequestURI, "dryRun=All") {
					t.Errorf("a preview sent %s %s", each.Verb, each.RequestURI)
				}
			}
			// The other choice is foreseen as well.
			other := asked(t, client, o.namespace, o.spec(!cleanup))
			if cleanup == slices.Contains(other.outcomes()[1:], "Delete") {
				t.Errorf("with the other choice: %q", other.outcomes())
			}
			states := said.states(t)
			must(t, shared.Any.Resource(olm.CSVs).Namespace(o.namespace).Delete(t.Context(), o.name, metav1.DeleteOptions{}))
			settled := 2 // that are deleted
			if !cleanup {
				settled = 0
			}
			eventually(t, func() error {
				list, err := shared.Any.Resource(o.widgets()).List(t.Context(), metav1.ListOptions{})
				if err == nil && len(list.Items) != 4-settled {
					err = fmt.Errorf("%d widgets", len(list.Items))
				}
				return err
			})
			compare(t, said, states)
			if cleanup { // let it go
				must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, o.namespace, o.name, func(csv *olm.Object) {
					_ = unstructured.SetNestedField(csv.Object, false, "spec", "cleanup", "enabled")
				}))
			}
		})
	}
}
