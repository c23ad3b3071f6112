package realolm_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

const (
	optInFinalizer = "operatorframework.io/delete-custom-resources"
	holdFinalizer  = "steward.operatorframework.io/hold-rights"
)

// see is a CSV as it is now.
func (w *world) see(ctx context.Context, namespace, name string) (*olm.Object, error) {
	return w.Any.Resource(olm.CSVs).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// told is what OLM and Steward say in a CSV's status.
func told(csv *olm.Object) string {
	text := func(field string) string {
		value, _, _ := unstructured.NestedString(csv.Object, "status", field)
		return value
	}
	list, _, _ := unstructured.NestedSlice(csv.Object, "status", "conditions")
	var conditions []string
	for _, each := range list {
		condition, _ := each.(map[string]any)
		conditions = append(conditions, fmt.Sprintf("%v: %v", condition["reason"], condition["message"]))
	}
	return fmt.Sprintf("phase %q, reason %q, message %q, finalizers %q, annotations %q, conditions %q",
		text("phase"), text("reason"), text("message"), csv.GetFinalizers(), slices.Collect(maps.Keys(csv.GetAnnotations())), conditions)
}

func phaseOf(csv *olm.Object) string {
	phase, _, _ := unstructured.NestedString(csv.Object, "status", "phase")
	return phase
}

// succeeds waits until OLM has installed an operator. progress is something that goes on while OLM works.
func (w *world) succeeds(t *testing.T, namespace, name string, progress func() int) {
	t.Helper()
	must(t, patiently(progress, func() error {
		csv, err := w.see(t.Context(), namespace, name)
		if err == nil && phaseOf(csv) != "Succeeded" {
			err = fmt.Errorf("%s is not installed: %s", name, told(csv))
		}
		return err
	}))
}

// still is for waits beside which nothing shows progress.
func still() int { return 0 }

// optIn is what an administrator does, as kubectl steward does it.
func (w *world) optIn(t *testing.T, namespace, name string) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), w.Any, olm.CSVs, namespace, name, func(csv *olm.Object) {
		if !slices.Contains(csv.GetFinalizers(), optInFinalizer) {
			csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
		}
		must(t, olm.Confirm(t.Context(), w.Any, csv))
	}))
}

// isHeld waits until the rights that OLM gave an operator in the whole cluster are there, and Steward holds all of them.
func (w *world) isHeld(t *testing.T, b *bundle) {
	t.Helper()
	mine := metav1.ListOptions{LabelSelector: "olm.owner=" + b.name + ",olm.owner.namespace=" + b.namespace}
	eventually(t, func() error {
		for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
			list, err := w.Any.Resource(resource).List(t.Context(), mine)
			if err != nil {
				return err
			}
			if len(list.Items) == 0 {
				return fmt.Errorf("%s has no %s", b.name, resource.Resource)
			}
			for _, right := range list.Items {
				if !slices.Contains(right.GetFinalizers(), holdFinalizer) {
					return fmt.Errorf("%s %s is not held", resource.Resource, right.GetName())
				}
			}
		}
		return nil
	})
}

// uninstall deletes a CSV in that very moment in which it is seen to have succeeded.
func (w *world) uninstall(t *testing.T, namespace, name string) {
	t.Helper()
	background := metav1.DeletePropagationBackground
	eventually(t, func() error {
		csv, err := w.see(t.Context(), namespace, name)
		if err != nil {
			return err
		}
		if phaseOf(csv) != "Succeeded" {
			return fmt.Errorf("%s: %s", name, told(csv))
		}
		version := csv.GetResourceVersion()
		return w.Any.Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{
			PropagationPolicy: &background, Preconditions: &metav1.Preconditions{ResourceVersion: &version},
		})
	})
}

// isGone waits until a CSV has gone, and says how it is if it has not. progress is something that goes on meanwhile.
func (w *world) isGone(ctx context.Context, namespace, name string, progress func() int) error {
	return patiently(progress, func() error {
		csv, err := w.see(ctx, namespace, name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("%s: %s", name, told(csv))
		}
		return err
	})
}

// operands makes custom resources that only the operator can finish.
func (w *world) operands(t *testing.T, b *bundle, namespace, name string, count int) {
	t.Helper()
	for i := range count {
		operand := object(b.group+"/v1", "Widget", namespace, fmt.Sprintf("%s-%d", name, i))
		operand.SetFinalizers([]string{operandFinalizer})
		w.create(t, b.widgets(), operand)
	}
}

// remaining are the custom resources that there are, and which of them are being deleted.
func (w *world) remaining(ctx context.Context, b *bundle) (there, deleting []string, err error) {
	list, err := w.Any.Resource(b.widgets()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for _, operand := range list.Items {
		name := operand.GetNamespace() + "/" + operand.GetName()
		there = append(there, name)
		if operand.GetDeletionTimestamp() != nil {
			deleting = append(deleting, name)
		}
	}
	return there, deleting, nil
}

// events are what was told about a CSV.
func (w *world) events(ctx context.Context, namespace, name string) (all []string) {
	list, err := w.Kube.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		return []string{err.Error()}
	}
	for _, event := range list.Items {
		all = append(all, event.Type+" "+event.Reason+": "+event.Message)
	}
	return all
}
