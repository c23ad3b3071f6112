package previews_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// owned makes an object whose owner is another one.
func owned(t *testing.T, resource schema.GroupVersionResource, made *olm.Object, owners ...*olm.Object) *olm.Object {
	t.Helper()
	var references []metav1.OwnerReference
	for _, each := range owners {
		references = append(references, metav1.OwnerReference{APIVersion: each.GetAPIVersion(), Kind: each.GetKind(), Name: each.GetName(), UID: each.GetUID()})
	}
	made.SetOwnerReferences(references)
	got, err := shared.Any.Resource(resource).Namespace(made.GetNamespace()).Create(t.Context(), made, metav1.CreateOptions{})
	must(t, err)
	return got
}

// Everything that an uninstallation takes along was named before, and nothing else goes.
func TestUninstall_R_PRJ_07_WhatGoesAlong(t *testing.T) {
	for _, cleanup := range []bool{true, false} {
		t.Run(fmt.Sprintf("cleanup=%v", cleanup), func(t *testing.T) {
			o := installed(t, cleanup)
			operator, err := shared.Any.Resource(olm.CSVs).Namespace(o.namespace).Get(t.Context(), o.name, metav1.GetOptions{})
			must(t, err)
			roles, services := resources["Role"], core("services")
			mine := owned(t, roles, role(o.namespace, "mine", "get"), operator)
			other := owned(t, services, service(o.namespace, "other", "None"))
			owned(t, core("configmaps"), configMap(o.namespace, "behind", "1"), mine)
			owned(t, core("configmaps"), configMap(o.namespace, "shared", "1"), operator, other)
			owned(t, resources["ServiceAccount"], object("v1", "ServiceAccount", o.namespace, "runner", nil), operator)
			owned(t, resources["PodDisruptionBudget"], object("policy/v1", "PodDisruptionBudget", o.namespace, "budget",
				map[string]any{"spec": map[string]any{"minAvailable": int64(1)}}), operator)
			subscription := object("operators.coreos.com/v1alpha1", "Subscription", o.namespace, "sub", map[string]any{
				"spec": map[string]any{"name": "widget", "source": "catalog", "sourceNamespace": "olm"}})
			must(t, olm.CreateAs(t.Context(), shared.Any, subscriptions, subscription))
			must(t, olm.MutateStatus(t.Context(), shared.Any, subscriptions, o.namespace, "sub", func(made *olm.Object) {
				made.Object["status"] = map[string]any{"installedCSV": o.name, "lastUpdated": "2026-01-01T00:00:00Z"}
			}))
			before := snapshot(t)
			choice := "--keep"
			if cleanup {
				choice = "--cleanup"
			}
			var said preview
			eventually(t, func() error {
				printed, code := plugin(t, installer, "kubectl", "preview", "uninstall", o.name, "-n", o.namespace, choice, "-o", "json")
				var report struct{ Preview preview }
				if code != 0 {
					return fmt.Errorf("exit code %d", code)
				}
				said = report.Preview
				if err := json.Unmarshal([]byte(printed), &report); err != nil {
					return err
				}
				said = report.Preview
				return nil
			})
			if first := said.Status.Steps[0]; first.Basis != "DryRun" || first.Outcome != "Delete" {
				t.Errorf("the operator's own deletion: %s", first)
			}
			if _, code := plugin(t, installer, "kubectl", "uninstall", o.name, "-n", o.namespace, choice, "--yes", "--no-save"); code != 0 {
				t.Fatalf("the uninstallation ended with %d", code)
			}
			goes, stays := map[string]bool{}, map[string]bool{}
			for _, each := range said.Status.Steps {
				name := thing{each.Group, each.Kind, each.Namespace, each.Name}.String()
				switch each.Outcome {
				case "Delete":
					goes[name] = true
				case "Keep":
					stays[name] = true
				default:
					t.Errorf("unexpected: %s", each)
				}
			}
			// The garbage collector takes its time.
			eventually(t, func() error {
				gone := map[string]bool{}
				after := snapshot(t)
				there := map[string]bool{}
				for name, each := range after {
					there[name.String()] = !each.going
				}
				for name, each := range before {
					now, is := after[name]
					if (!is || now.going || now.uid != each.uid) && strings.Contains(name.String(), o.namespace[len("ops-"):]) {
						gone[name.String()] = true
					}
				}
				if !maps.Equal(gone, goes) {
					return fmt.Errorf("gone are %q, and said to go were %q", slices.Sorted(maps.Keys(gone)), slices.Sorted(maps.Keys(goes)))
				}
				for name := range stays {
					if !there[name] {
						return fmt.Errorf("%s was to stay", name)
					}
				}
				return nil
			})
		})
	}
}
