package previews_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

// listed is the preview that the API server computes of a plan by what it watches.
func listed(t *testing.T, namespace, name string) (answer preview) {
	t.Helper()
	text, err := clientOf(t, installer).Get().AbsPath(api + "/namespaces/" + namespace + "/planpreviews/" + name).Do(t.Context()).Raw()
	must(t, err)
	must(t, json.Unmarshal(text, &answer))
	return answer
}

// A list says of each step what the live preview of the same plan says, or that it does not know, or what the table of docs/previews.md
// has: that a step that would be written may come to be an update, or nothing.
func TestRules_R_PRJ_06_ListsAndLivePreviewsAgree(t *testing.T) {
	id := rand.String(6)
	there := olm.Definition(id+".example.com", "Gizmo", "Namespaced", "v1")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, there.DeepCopy()))
	for _, each := range []struct {
		name   string
		groups []string
		edit   func(group *olm.Object)
		want   string // of all steps in the list; "" = the table's
		reason string // of the condition
	}{
		{name: "no group", want: "Blocked", reason: "False InstallCheckFailed"},
		{name: "two groups", groups: []string{"a", "b"}, want: "Blocked", reason: "False InstallCheckFailed"},
		{name: "an account", groups: []string{"a"}, edit: func(group *olm.Object) {
			_ = unstructured.SetNestedField(group.Object, "deployer", "spec", "serviceAccountName")
		}, want: "Unknown", reason: "False NotApproved"},
		{name: "a group", groups: []string{"a"}, reason: "False NotApproved"},
	} {
		t.Run(each.name, func(t *testing.T) {
			namespace := "rules-" + rand.String(6)
			must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(namespace)))
			for _, name := range each.groups {
				group := olm.OperatorGroup(namespace, name, namespace)
				if each.edit != nil {
					each.edit(group)
				}
				must(t, olm.Create(t.Context(), shared.Any, group))
			}
			there := configMap(namespace, "there", "1")
			_, err := shared.Any.Resource(core("configmaps")).Namespace(namespace).Create(t.Context(), there, metav1.CreateOptions{})
			must(t, err)
			plan(t, namespace, "install-1", "reed.v1", planned{manifest: csv(namespace, "reed.v1")},
				planned{manifest: olm.Definition(id+".example.com", "Gizmo", "Namespaced", "v1")}, planned{manifest: configMap(namespace, "there", "1")},
				planned{manifest: configMap(namespace, "fresh", "1")}, planned{manifest: role(namespace, "reader", "get")})
			live := asked(t, clientOf(t, installer), namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
			var list preview
			eventually(t, func() error {
				list = listed(t, namespace, "install-1")
				if got := list.condition(); got != each.reason || len(list.Status.Steps) != 5 {
					return fmt.Errorf("the list says %q of %d steps", got, len(list.Status.Steps))
				}
				return nil
			})
			for i, step := range list.Status.Steps {
				if each.want != "" && step.Outcome != each.want {
					t.Errorf("want %s of every step, got %s", each.want, step)
				}
				if got := live.Status.Steps[i].Outcome; step.Outcome != "Unknown" && step.Outcome != got && !slices.Contains(mayComeTo[step.Reason], got) {
					t.Errorf("the list says %s, and the live preview %s", step, live.Status.Steps[i])
				}
			}
			if each.name != "an account" && live.condition() != list.condition() {
				t.Errorf("the list is %q, the live preview %q", list.condition(), live.condition())
			}
			if each.reason != "False NotApproved" || each.edit != nil {
				return
			}
			states := list.states(t)
			approve(t, namespace, "install-1")
			ends(t, namespace, "install-1", "Complete")
			compare(t, list, states)
		})
	}
}

// What the installation of a bundle refuses is foreseen, and only "it will happen as shown" ends with 0.
func TestBundle_R_PRJ_07_WhatIsRefused(t *testing.T) {
	namespace := "refused-" + rand.String(6)
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(namespace)))
	operator := csv(namespace, "rush.v1")
	folder := writeBundle(t, operator, configMap(namespace, "settings", "1"))
	printed, code := plugin(t, installer, "kubectl", "preview", "bundle", folder, "-n", namespace)
	if code != 5 || !strings.Contains(printed, "Blocked") || !strings.Contains(printed, "no operator group found") {
		t.Errorf("without an OperatorGroup: %d", code)
	}
	must(t, olm.Create(t.Context(), shared.Any, olm.OperatorGroup(namespace, "group", namespace)))
	modes := operator.DeepCopy()
	must(t, unstructured.SetNestedSlice(modes.Object, []any{map[string]any{"type": "AllNamespaces", "supported": true}}, "spec", "installModes"))
	needs := operator.DeepCopy()
	must(t, unstructured.SetNestedSlice(needs.Object, []any{map[string]any{"group": "absent.example.com", "version": "v1", "kind": "Absent"}}, "spec", "nativeAPIs"))
	for part, each := range map[string]*olm.Object{"spec.installModes": modes, "spec.nativeAPIs[0]": needs} {
		refused := writeBundle(t, each, configMap(namespace, "settings", "1"))
		printed, code := plugin(t, installer, "kubectl", "preview", "bundle", refused, "-n", namespace)
		if code != 5 || !strings.Contains(printed, "RequirementsUnmet") || !strings.Contains(printed, part) {
			t.Errorf("%s: %d", part, code)
		}
		if _, code := plugin(t, installer, "bundle", "install", refused, "-n", namespace); code != 3 {
			t.Errorf("%s: the installation ends with %d", part, code)
		}
	}
	if _, code := plugin(t, installer, "kubectl", "preview", "bundle", folder, "-n", namespace); code != 0 {
		t.Errorf("with all that it needs: %d", code)
	}
}
