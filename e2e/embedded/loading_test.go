package embedded_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// What OLM would say in the status of an OperatorGroup follows the namespaces.
func TestUpSaysWhatOperatorGroupsTarget(t *testing.T) {
	up := start(t, t.TempDir(), "--load", examples(t))
	targets := func() []string {
		group, err := up.Any.Resource(olm.OperatorGroups).Namespace("monitoring").Get(t.Context(), "monitored-namespaces", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		namespaces, _, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces")
		return namespaces
	}
	// As loaded: right, and so left alone, order and all.
	if got := targets(); !slices.Equal(got, []string{"shop-prod", "payments"}) {
		t.Errorf("as loaded: %q", got)
	}
	follows := func(want ...string) {
		t.Helper()
		eventually(t, func() error {
			if got := targets(); !slices.Equal(got, want) {
				return fmt.Errorf("status.namespaces is still %q, want %q", got, want)
			}
			return nil
		})
	}
	label(t, up, "web", `{"monitored":"true"}`)
	follows("payments", "shop-prod", "web")
	if err := up.Any.Resource(olm.Namespaces).Delete(t.Context(), "payments", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	follows("shop-prod", "web")
}

// The resourceVersions of everything that the examples hold, by name.
func versions(t *testing.T, up *embedded.Up) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{
		olm.Definitions, olm.Namespaces, olm.OperatorGroups, olm.CSVs,
		{Group: "tidepool.example.com", Version: "v1", Resource: "postgresclusters"},
	} {
		list, err := up.Any.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			found[fmt.Sprintf("%s %s/%s", resource.Resource, item.GetNamespace(), item.GetName())] = item.GetResourceVersion()
		}
	}
	return found
}

func TestUpChangesNothingByLoadingTheSameAgain(t *testing.T) {
	data := t.TempDir()
	first := start(t, data, "--load", examples(t), "--strict")
	before := versions(t, first)
	stop(t, first)
	second := start(t, data, "--load", examples(t), "--strict")
	if after := versions(t, second); !maps.Equal(before, after) {
		t.Errorf("before: %v\nafter: %v", before, after)
	}
	stop(t, second)
	if !strings.Contains(second.Said(), `created="0" updated="0"`) {
		t.Error(second.Said())
	}
}

// With the reconciler for it, the copies are there that OLM would have made, and show what InstalledOperators show. Without,
// which is the default, they stay as they are: nothing looks at them.
func TestUpMakesCopiesWhereItIsAskedTo(t *testing.T) {
	data := t.TempDir()
	up := start(t, data, "--load", examples(t), "--reconcilers=operator-groups,copied-csvs")
	shown, err := up.Any.Resource(olm.InstalledOperators).Namespace("payments").Get(t.Context(), "certloop.v1.8.2", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		made, err := up.Any.Resource(olm.CSVs).Namespace("payments").Get(t.Context(), "certloop.v1.8.2", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if made.GetLabels()["olm.copiedFrom"] == "" || !reflect.DeepEqual(made.Object["spec"], shown.Object["spec"]) {
			return fmt.Errorf("it is no copy of what is shown: %v", made.Object)
		}
		return nil
	})
	stop(t, up)
	up = start(t, data)
	if got := names(t, up, olm.CSVs, "payments"); !slices.Contains(got, "certloop.v1.8.2") {
		t.Errorf("it is gone: %q", got)
	}
	// Where nobody copies, nothing is foreseen, and that is said.
	for _, enabled := range []bool{true, false} {
		question := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": planPreviews.GroupVersion().String(), "kind": "PlanPreview",
			"spec": map[string]any{"copiedCSVs": map[string]any{"enabled": enabled}},
		}}
		eventually(t, func() error {
			answer, err := up.Any.Resource(planPreviews).Namespace("payments").Create(t.Context(), question, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			steps, _, _ := unstructured.NestedSlice(answer.Object, "status", "steps")
			conditions, _, _ := unstructured.NestedSlice(answer.Object, "status", "conditions")
			if said := fmt.Sprint(conditions); len(steps) != 0 || !strings.Contains(said, "NobodyCopies") || !strings.Contains(said, "does not run here") {
				return fmt.Errorf("%d steps, %s", len(steps), said)
			}
			return nil
		})
	}
}

var planPreviews = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "planpreviews"}
