package copies_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

// R-004-04, 05: while copies are off no copy is written for an upgrade, however many namespaces there are, and the upgrade is
// what it is elsewhere: each namespace shows it, phase by phase, and both CSVs are as OLM left them.
func TestUpgrade_R_004_04_05_WhileCopiesAreOff(t *testing.T) {
	const before, after, source = "upgraded.v1", "upgraded.v2", "copies-upgraded-few"
	for i := range 5 {
		newNamespace(t, fmt.Sprintf("copies-upgraded-%d", i))
	}
	target := newNamespace(t, source+"-target")
	newNamespace(t, source)
	few := olm.OperatorGroup(source, "few", target)
	must(t, olm.Create(t.Context(), shared.Any, few))
	choose(t, map[string]any{"disableCopiedCSVs": true})
	eventually(t, says(t, off))
	selected := olm.CopiedFromLabel + "=" + home
	var none string // the resourceVersion of a list without copies: those of earlier cases go by and by
	eventually(t, func() error {
		list, err := shared.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{LabelSelector: selected})
		if err != nil {
			return err
		}
		none = list.GetResourceVersion()
		if len(list.Items) > 0 {
			return fmt.Errorf("there are copies: %v", names(list.Items))
		}
		return nil
	})
	everyCopy, err := shared.Any.Resource(olm.CSVs).Watch(t.Context(), metav1.ListOptions{LabelSelector: selected, ResourceVersion: none})
	must(t, err)
	t.Cleanup(everyCopy.Stop)

	newOperator(t, before)
	eventually(t, everywhere(t, func(namespace string) error { return shown(t, namespace, before, "Succeeded", "") }))
	next := olm.CSV(after, group, "")
	next.Object["spec"].(map[string]any)["replaces"] = before
	next.Object["status"].(map[string]any)["phase"] = "Pending"
	must(t, olm.Create(t.Context(), shared.Any, next))
	t.Cleanup(func() { remove(t, home, after) })
	phase := func(name, phase string) {
		t.Helper()
		must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, home, name, func(csv *olm.Object) {
			_ = unstructured.SetNestedField(csv.Object, phase, "status", "phase")
		}))
	}
	for _, step := range []struct{ before, after string }{
		{"Replacing", "Pending"}, {"Replacing", "Installing"}, {"Replacing", "Succeeded"}, {"Deleting", "Succeeded"},
	} {
		phase(before, step.before)
		phase(after, step.after)
		eventually(t, everywhere(t, func(namespace string) error {
			return errors.Join(shown(t, namespace, before, step.before, ""), shown(t, namespace, after, step.after, before))
		}))
		must(t, shown(t, home, after, step.after, before))
	}
	remove(t, home, before)
	eventually(t, everywhere(t, func(namespace string) error {
		_, err := shared.Any.Resource(olm.InstalledOperators).Namespace(namespace).Get(t.Context(), before, metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("%s still shows %s", namespace, before)
		}
		return shown(t, namespace, after, "Succeeded", before)
	}))
	// Copies of operators for few namespaces are made. When such a one is there, what was written before has been looked at.
	const marker = "upgraded-marker.v1"
	must(t, olm.Create(t.Context(), shared.Any, olm.Installed(olm.CSV(marker, few, target), few, target)))
	t.Cleanup(func() { remove(t, source, marker) })
	eventually(t, func() error { _, err := get(t, target, marker); return err })
	must(t, says(t, off)())

	// Turned on, the copies are of what is installed now, and they are the first there ever were.
	turned, err := shared.Any.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	choose(t, map[string]any{"disableCopiedCSVs": false})
	select {
	case event := <-everyCopy.ResultChan():
		first, ok := event.Object.(*olm.Object)
		if !ok || first.GetName() != after || olderThan(first, turned.GetResourceVersion()) {
			t.Errorf("while copies were off there was a copy: %s", asJSON(event.Object))
		}
	case <-time.After(check.Patience):
		t.Fatal("no copy came")
	}
	eventually(t, everywhere(t, func(namespace string) error {
		return errors.Join(gone(t, namespace, before)(), copied(t, namespace, after)())
	}))
}

// olderThan compares resourceVersions, which are numbers of one sequence.
func olderThan(object *olm.Object, version string) bool {
	mine := object.GetResourceVersion()
	return len(mine) < len(version) || len(mine) == len(version) && mine <= version
}

// shown is nil when the InstalledOperator in a namespace has this phase and replaces this one.
func shown(t *testing.T, namespace, name, phase, replaces string) error {
	t.Helper()
	view, err := shared.Any.Resource(olm.InstalledOperators).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	gotPhase, _, _ := unstructured.NestedString(view.Object, "status", "phase")
	gotReplaces, _, _ := unstructured.NestedString(view.Object, "spec", "replaces")
	if gotPhase != phase || gotReplaces != replaces {
		return fmt.Errorf("%s: %s is %s and replaces %q, want %s and %q", namespace, name, gotPhase, gotReplaces, phase, replaces)
	}
	return nil
}
