package cases

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

// Each case changes something in the cluster and waits for what follows. How long that took is in the log.

// soon is eventually, with the time in the log.
func soon(t *testing.T, what string, check func() error) {
	t.Helper()
	t.Logf("%s: visible after %s", what, eventually(t, check).Round(time.Millisecond))
}

// hold keeps deleted objects in existence until the case releases them.
const hold = "e2e.steward.dev/hold"

func TestLive_CSVComesChangesGoes(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	create(t, group, olm.CSV("live", group, target))
	soon(t, "a new CSV", appears(t, target, "live"))
	first, err := view(t.Context(), target, "live")
	must(t, err)

	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, home, "live", func(csv *olm.Object) {
		must(t, unstructured.SetNestedField(csv.Object, "Failed", "status", "phase"))
		must(t, unstructured.SetNestedField(csv.Object, "ComponentUnhealthy", "status", "reason"))
	}))
	soon(t, "a changed status", func() error {
		object, err := view(t.Context(), target, "live")
		if err == nil && (field(object, "status", "phase") != "Failed" || field(object, "status", "reason") != "Copied") {
			err = fmt.Errorf("status %v", object.Object["status"])
		}
		return err
	})
	own, err := view(t.Context(), home, "live")
	must(t, err)
	if field(own, "status", "reason") != "ComponentUnhealthy" {
		t.Errorf("in its own namespace a CSV keeps its own reason; got %q", field(own, "status", "reason"))
	}

	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "live", func(csv *olm.Object) {
		csv.SetLabels(map[string]string{"colour": "green", "operators.coreos.com/live.x": ""})
		must(t, unstructured.SetNestedField(csv.Object, "Renamed", "spec", "displayName"))
	}))
	soon(t, "changed labels and spec", func() error {
		object, err := view(t.Context(), target, "live")
		if err == nil && (object.GetLabels()["colour"] != "green" || field(object, "spec", "displayName") != "Renamed") {
			err = fmt.Errorf("labels %v", object.GetLabels())
		}
		return err
	})
	last, err := view(t.Context(), target, "live")
	must(t, err)
	if last.GetUID() != first.GetUID() {
		t.Error("a change gave the object another UID")
	}
	if a, b := first.GetResourceVersion(), last.GetResourceVersion(); len(b) < len(a) || len(a) == len(b) && b <= a {
		t.Errorf("the number of a changed object went from %s to %s", a, b)
	}

	must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "live", metav1.DeleteOptions{}))
	soon(t, "a deleted CSV", absent(t, target, "live"))
	create(t, olm.CSV("live", group, target))
	soon(t, "the CSV again", appears(t, target, "live"))
	again, err := view(t.Context(), target, "live")
	must(t, err)
	if again.GetUID() == first.GetUID() {
		t.Error("another CSV of the same name has the same UID")
	}
}

func TestLive_DeletingCSVStaysUntilGone(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	csv := olm.CSV("leaving", group, target)
	csv.SetFinalizers([]string{hold})
	create(t, group, csv)
	soon(t, "a new CSV", appears(t, target, "leaving"))
	must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "leaving", metav1.DeleteOptions{}))
	settled(t, func() error {
		for _, namespace := range []string{home, target} {
			object, err := view(t.Context(), namespace, "leaving")
			if err != nil {
				return err
			}
			if object.GetDeletionTimestamp() != nil || len(object.GetFinalizers()) > 0 {
				return fmt.Errorf("virtual objects are never being deleted: %v", object.Object["metadata"])
			}
		}
		return nil
	})
	release(t, olm.CSVs, home, "leaving")
	soon(t, "a CSV that is gone at last", absent(t, target, "leaving"))
}

func TestLive_R_000_69_OperatorGroupChangesItsTargets(t *testing.T) {
	home, one, two := space(t), space(t), space(t)
	group := olm.OperatorGroup(home, "moving", one)
	create(t, group, olm.CSV("moving", group, one))
	soon(t, "the first target", appears(t, one, "moving"))

	retarget := func(targets ...any) {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, home, "moving", func(group *olm.Object) {
			must(t, unstructured.SetNestedSlice(group.Object, targets, "spec", "targetNamespaces"))
		}))
	}
	retarget(one, two)
	soon(t, "a second target", appears(t, two, "moving"))
	retarget(two)
	soon(t, "a target less", absent(t, one, "moving"))
	settled(t, appears(t, two, "moving"), appears(t, home, "moving"))
	retarget(home)
	soon(t, "its own namespace only", absent(t, two, "moving"))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, home, "moving", func(group *olm.Object) {
		unstructured.RemoveNestedField(group.Object, "spec", "targetNamespaces")
	}))
	soon(t, "all namespaces", appears(t, two, "moving"))
	object, err := view(t.Context(), two, "moving")
	must(t, err)
	if mode := field(object, "scope", "installMode"); mode != "AllNamespaces" {
		t.Errorf("mode %q", mode)
	}
	// Other cases count on what is in the namespaces of the examples.
	must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "moving", metav1.DeleteOptions{}))
	soon(t, "a deleted CSV", absent(t, "payments", "moving"))
}

func TestLive_R_000_69_NamespaceIsSelected(t *testing.T) {
	label := "case-" + rand.String(6)
	home, target := space(t), space(t)
	group := olm.SelectorGroup(home, "chosen", label, "yes")
	create(t, group, olm.CSV("chosen", group))
	settled(t, absent(t, target, "chosen"), appears(t, home, "chosen"))
	set := func(value string) {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.Namespaces, "", target, func(namespace *olm.Object) {
			labels := namespace.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[label] = value
			namespace.SetLabels(labels)
		}))
	}
	set("yes")
	soon(t, "a namespace with the label", appears(t, target, "chosen"))
	set("no")
	soon(t, "a namespace without it", absent(t, target, "chosen"))
	young := unseenSpace(t, label, "yes")
	soon(t, "a new namespace with the label", appears(t, young, "chosen"))
}

func TestLive_NewNamespaceHasTheGlobalOperators(t *testing.T) {
	young := unseenSpace(t)
	soon(t, "a global operator in a new namespace", appears(t, young, globalOperator))
}

// A namespace that is being deleted keeps its objects until it is gone.
func TestLive_TerminatingNamespaceKeepsItsObjects(t *testing.T) {
	home := space(t)
	target := space(t)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.Namespaces, "", target, func(namespace *olm.Object) {
		namespace.SetFinalizers([]string{hold})
	}))
	group := olm.OperatorGroup(home, "one", target)
	create(t, group, olm.CSV("staying", group, target))
	soon(t, "a new CSV", appears(t, target, "staying"))
	deleteNamespace(t, target)
	eventually(t, func() error {
		namespace, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), target, metav1.GetOptions{})
		if err == nil && field(namespace, "status", "phase") != "Terminating" {
			err = fmt.Errorf("not terminating yet")
		}
		return err
	})
	settled(t, appears(t, target, "staying"), appears(t, target, globalOperator))
	release(t, olm.Namespaces, "", target)
	// Only when the namespace is gone; its controller may take a moment.
	eventually(t, func() error {
		_, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), target, metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("the namespace is still there")
		}
		return nil
	})
	soon(t, "a namespace that is gone", absent(t, target, "staying"))
}

// R-004-46: virtual objects never hold up the deletion of a namespace.
func TestLive_R_004_46_NamespaceDeletionWorks(t *testing.T) {
	target := space(t)
	deleteNamespace(t, target)
	took := eventually(t, func() error {
		_, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), target, metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("the namespace is still there")
		}
		return nil
	})
	t.Logf("a namespace with virtual objects was gone after %s", took.Round(time.Millisecond))
}
