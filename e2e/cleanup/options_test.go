package cleanup_test

import (
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

var operatorConditions = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v2", Resource: "operatorconditions"}

// What the controllers do by flags that are off by default, each with a process of its own.
func TestOptions(t *testing.T) {
	alone(t)
	kinds := newScene(t, 0)
	t.Run("All", func(t *testing.T) {
		for _, tc := range []struct {
			name    string
			cleanup any // spec.cleanup; nil: none
			cleaned bool
		}{
			{"R_000_20_Unset", nil, true},
			{"R_000_20_FalseStaysFalse", map[string]any{"enabled": false}, false},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				r := newRun(t, kinds, 1)
				r.flags = append(slices.Clone(soloFlags), "--cleanup-supported-by-default")
				r.supported = true
				r.author = tc.cleanup
				r.install(t, synced(r.namespace, "group", r.spaces[0]), "a")
				r.finishAll(t, 4*glance)
				r.uninstall(t)
				r.ends(t, patience)
				if there, deleting := r.operandsIn(t, r.spaces[0]); (len(there) == 0) != tc.cleaned || len(deleting) > 0 {
					t.Errorf("there are %q, of which %q are being deleted", there, deleting)
				}
			})
		}
		// R-000-42: only false aborts.
		t.Run("R_000_20_42_FalseAborts", func(t *testing.T) {
			t.Parallel()
			r := newRun(t, kinds, 1)
			r.flags = append(slices.Clone(soloFlags), "--cleanup-supported-by-default")
			r.supported = true
			r.author = map[string]any{"enabled": true}
			r.install(t, synced(r.namespace, "group", r.spaces[0]), "a")
			r.uninstall(t)
			r.says(t, "WaitingOnCleanup", "for 1 CR")
			r.patch(t, `{"spec":{"cleanup":null}}`)
			r.says(t, "CleanupStalled", "NoProgress")
			if finalizers := r.see(t).GetFinalizers(); !slices.Contains(finalizers, optInFinalizer) {
				t.Errorf("it ended: %q", finalizers)
			}
			r.oracle.change(t, func() { r.abort(t) })
			r.ends(t, patience)
		})
		for _, tc := range apis {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				ownedAPIs(t, kinds, tc)
			})
		}
		for _, reason := range []string{notInstalledByOLM, reservedGroup} {
			t.Run("R_000_79_Unmanaged/"+reason, func(t *testing.T) {
				t.Parallel()
				unmanagedDefinitions(t, kinds, reason)
			})
		}
		t.Run("R_000_16_TheOperatorReportsFailure", func(t *testing.T) {
			t.Parallel()
			reportsFailure(t, kinds)
		})
	})
}

// R-000-16: what the operator says of a cleanup that it cannot finish is where the administrator looks; it decides nothing.
func reportsFailure(t *testing.T, kinds *scene) {
	definition := olm.Definition(operatorConditions.Group, "OperatorCondition", "Namespaced", operatorConditions.Version)
	if _, err := shared.Any.Resource(olm.Definitions).Get(t.Context(), definition.GetName(), metav1.GetOptions{}); apierrors.IsNotFound(err) {
		must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
	}
	r := newRun(t, kinds, 1)
	r.flags = append(slices.Clone(soloFlags), "--cleanup-failure-condition=CleanupFailed")
	r.install(t, synced(r.namespace, "group", r.spaces[0]), "a")
	condition := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition",
		"spec": map[string]any{"conditions": []any{map[string]any{
			"type": "CleanupFailed", "status": "True", "reason": "Stuck", "message": "the disk is busy",
			"lastTransitionTime": "2026-01-01T00:00:00Z",
		}}},
	}}
	condition.SetName(csvName)
	at := shared.Any.Resource(operatorConditions).Namespace(r.namespace)
	_, err := at.Create(t.Context(), condition, metav1.CreateOptions{})
	must(t, err)
	r.uninstall(t)
	r.says(t, "WaitingOnCleanup", "for 1 CR; it reports: Stuck: the disk is busy")
	r.says(t, "CleanupStalled", "OperatorReportsFailure: Stuck: the disk is busy")
	r.tells(t, "Warning", "CleanupStalled", "the disk is busy")
	eventually(t, func() error {
		value, err := r.members[0].process.Metric(t.Context(), fmt.Sprintf(
			`steward_cleanup_reported_failure{message="Stuck: the disk is busy",name="%s",namespace="%s"}`, csvName, r.namespace))
		if err == nil && value != 1 {
			err = fmt.Errorf("it is %v", value)
		}
		return err
	})
	_, err = at.Patch(t.Context(), csvName, types.MergePatchType, []byte(`{"spec":{"conditions":[]}}`), metav1.PatchOptions{})
	must(t, err)
	eventually(t, func() error {
		message, _ := conditions(r.see(t))["WaitingOnCleanup"]["message"].(string)
		if message != "waiting for operator to finish cleanup for 1 CR" {
			return fmt.Errorf("it says %q", message)
		}
		return nil
	})
	r.finishAll(t, 4*glance)
	r.ends(t, patience)
}
