package cases

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/olm"
)

// OLM's rules about which CSVs reach other namespaces, on a real cluster.

func TestRules_R_000_63_NoOperatorGroup(t *testing.T) {
	home := space(t)
	csv := olm.CSV("groupless", olm.OperatorGroup(home, "absent"), "")
	create(t, csv)
	soon(t, "a CSV without a group, in its own namespace", appears(t, home, "groupless"))
	settled(t, absent(t, "team-blue", "groupless"), scopeIs(t, home, "groupless", "targeted", "false"))

	group := olm.OperatorGroup(home, "late", "team-blue")
	create(t, group)
	soon(t, "the group comes", appears(t, "team-blue", "groupless"))
	must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(home).Delete(t.Context(), "late", metav1.DeleteOptions{}))
	soon(t, "the group goes", absent(t, "team-blue", "groupless"))
}

func TestRules_R_000_63_SeveralOperatorGroups(t *testing.T) {
	home := space(t)
	one, two := olm.OperatorGroup(home, "one", "team-blue"), olm.OperatorGroup(home, "two", "team-green")
	create(t, one, olm.CSV("torn", one, "team-blue"))
	soon(t, "one group", appears(t, "team-blue", "torn"))
	create(t, two)
	soon(t, "a second group", absent(t, "team-blue", "torn"))
	settled(t, absent(t, "team-green", "torn"), appears(t, home, "torn"))
	must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(home).Delete(t.Context(), "one", metav1.DeleteOptions{}))
	soon(t, "the second group alone", appears(t, "team-green", "torn"))
}

// A CSV that OLM would not copy appears in its own namespace only.
func TestRules_Uncopiable(t *testing.T) {
	home := space(t)
	group := olm.OperatorGroup(home, "one", "team-blue")
	create(t, group)
	settled(t)
	for _, tc := range []struct {
		phase, reason string
		copied        bool
	}{
		{"Failed", "InvalidInstallModes", false},
		{"Failed", "NoTargetNamespaces", false},
		{"Failed", "UnsupportedOperatorGroup", false},
		{"Failed", "NoOperatorGroup", false},
		{"Failed", "TooManyOperatorGroups", false},
		{"Failed", "InterOperatorGroupOwnerConflict", false},
		{"Failed", "CannotModifyStaticOperatorGroupProvidedAPIs", false},
		{"Failed", "InstallCheckFailed", true},
		{"Pending", "RequirementsNotMet", true},
		{"Installing", "InstallWaiting", true},
		{"Replacing", "BeingReplaced", true},
		{"Deleting", "Replaced", true},
	} {
		csv := olm.CSV("uncopiable", group, "team-blue")
		must(t, unstructured.SetNestedField(csv.Object, tc.phase, "status", "phase"))
		must(t, unstructured.SetNestedField(csv.Object, tc.reason, "status", "reason"))
		create(t, csv)
		eventually(t, func() error {
			object, err := view(t.Context(), home, "uncopiable")
			if err == nil && field(object, "status", "reason") != tc.reason {
				err = fmt.Errorf("reason %q", field(object, "status", "reason"))
			}
			return err
		})
		elsewhere := absent(t, "team-blue", "uncopiable")
		if tc.copied {
			elsewhere = appears(t, "team-blue", "uncopiable")
		}
		if err := elsewhere(); err != nil {
			t.Errorf("%s/%s: %v", tc.phase, tc.reason, err)
		}
		must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "uncopiable", metav1.DeleteOptions{}))
		eventually(t, absent(t, home, "uncopiable"))
	}
	// One that OLM has not looked at yet has no phase.
	csv := olm.CSV("uncopiable", group, "team-blue")
	delete(csv.Object, "status")
	create(t, csv)
	eventually(t, appears(t, home, "uncopiable"))
	if err := absent(t, "team-blue", "uncopiable")(); err != nil {
		t.Error("no phase:", err)
	}
}

// R-000-62: targets come from the OperatorGroup, never from an annotation that whoever edits the CSV can write.
func TestRules_R_000_62_TheAnnotationDecidesNothing(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	create(t, group, olm.CSV("tampered", group, target, "team-green", "kube-system"))
	soon(t, "the group's target", appears(t, target, "tampered"))
	settled(t, absent(t, "team-green", "tampered"), absent(t, "kube-system", "tampered"))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "tampered", func(csv *olm.Object) {
		csv.SetAnnotations(map[string]string{olm.TargetsAnnotation: "", "seen": "yes"})
	}))
	eventually(t, func() error {
		object, err := view(t.Context(), target, "tampered")
		if err == nil && object.GetAnnotations()["seen"] != "yes" {
			err = fmt.Errorf("annotations %v", object.GetAnnotations())
		}
		return err
	})
	if err := absent(t, "team-green", "tampered")(); err != nil {
		t.Error(err)
	}
}

// Whether an uninstall would delete custom resources is said; which ones is not.
func TestRules_CleanupIsAnnouncedNotListed(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	csv := olm.CSV("cleaning", group, target)
	csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
	must(t, unstructured.SetNestedField(csv.Object, true, "spec", "cleanup", "enabled"))
	must(t, unstructured.SetNestedSlice(csv.Object, []any{map[string]any{
		"group": "example.com", "kind": "Secretive",
		"instances": []any{map[string]any{"name": "hidden", "namespace": "team-green"}},
	}}, "status", "cleanup", "pendingDeletion"))
	create(t, group, csv)
	t.Cleanup(func() { // or the namespace could not go
		_ = olm.Mutate(context.Background(), shared.Any, olm.CSVs, home, "cleaning", func(csv *olm.Object) { csv.SetFinalizers(nil) })
	})
	soon(t, "an operator that cleans up", scopeIs(t, target, "cleaning", "cleanupOptedIn", "true"))
	settled(t, func() error {
		for _, namespace := range []string{home, target} {
			object, err := view(t.Context(), namespace, "cleaning")
			if err != nil {
				return err
			}
			if text := asJSON(object.Object); strings.Contains(text, "hidden") || field(object, "status", "cleanup") != "map[]" {
				return fmt.Errorf("%s: %s", namespace, text)
			}
		}
		return nil
	})
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "cleaning", func(csv *olm.Object) { csv.SetFinalizers(nil) }))
	soon(t, "the administrator's half withdrawn", scopeIs(t, target, "cleaning", "cleanupOptedIn", "false"))
}

// Copies that a real OLM has made are in the cluster, too, and must never be taken for originals.
func TestRules_CopiesAreNoOriginals(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	original := olm.CSV("copied", group, target)
	create(t, group, original)
	soon(t, "the original", appears(t, target, "copied"))
	before, err := view(t.Context(), target, "copied")
	must(t, err)

	// In the target namespace, a group of its own would spread whatever counts as an original there.
	spreading := olm.OperatorGroup(target, "spreading", "team-green")
	create(t, spreading, copyOf(original, target), copyOf(olm.CSV("orphan", group, target), target))
	settled(t,
		absent(t, "team-green", "copied"),
		absent(t, "team-green", "orphan"),
		absent(t, target, "orphan"),
		func() error {
			after, err := view(t.Context(), target, "copied")
			if err == nil && after.GetUID() != before.GetUID() {
				err = fmt.Errorf("the copy took the original's place")
			}
			return err
		})
}

// copyOf is a copy as OLM writes it.
func copyOf(csv *olm.Object, namespace string) *olm.Object {
	copied := olm.View(csv, namespace)
	copied.SetAPIVersion(csv.GetAPIVersion())
	copied.SetKind(csv.GetKind())
	return copied
}

// Two operators of one name reach a namespace: its own wins, else the older; the other one is named, not silent.
func TestRules_NameCollisions(t *testing.T) {
	older, younger, target := space(t), space(t), space(t)
	first, second := olm.OperatorGroup(older, "one", target), olm.OperatorGroup(younger, "one", target)
	create(t, first, second, olm.CSV("twin", first, target))
	soon(t, "the first of two", appears(t, target, "twin"))
	nextSecond() // creation times have seconds
	create(t, olm.CSV("twin", second, target))
	soon(t, "a conflict", func() error {
		object, err := view(t.Context(), target, "twin")
		if err != nil {
			return err
		}
		conflicts, _, _ := unstructured.NestedSlice(object.Object, "scope", "conflicts")
		if field(object, "scope", "installNamespace") != older || len(conflicts) != 1 {
			return fmt.Errorf("scope %v", object.Object["scope"])
		}
		return nil
	})
	own := olm.OperatorGroup(target, "own", target)
	create(t, own, olm.CSV("twin", own, target))
	soon(t, "the namespace's own wins", scopeIs(t, target, "twin", "installNamespace", target))
	settled(t, scopeIs(t, older, "twin", "installNamespace", older), scopeIs(t, younger, "twin", "installNamespace", younger))

	must(t, shared.Any.Resource(olm.CSVs).Namespace(target).Delete(t.Context(), "twin", metav1.DeleteOptions{}))
	soon(t, "the older one again", scopeIs(t, target, "twin", "installNamespace", older))
	must(t, shared.Any.Resource(olm.CSVs).Namespace(older).Delete(t.Context(), "twin", metav1.DeleteOptions{}))
	soon(t, "the younger one", scopeIs(t, target, "twin", "installNamespace", younger))
}

func scopeIs(t *testing.T, namespace, name, key, want string) func() error {
	return func() error {
		object, err := view(t.Context(), namespace, name)
		if err == nil && field(object, "scope", key) != want {
			err = fmt.Errorf("%s/%s: scope %v, want %s %s", namespace, name, object.Object["scope"], key, want)
		}
		return err
	}
}

// Two groups that reach a namespace with operators of different names do not disturb one another.
func TestRules_OverlappingGroups(t *testing.T) {
	one, two, target := space(t), space(t), space(t)
	first, second := olm.OperatorGroup(one, "one", target), olm.OperatorGroup(two, "two", target, one)
	create(t, first, second, olm.CSV("left", first, target), olm.CSV("right", second, target, one))
	soon(t, "the one", appears(t, target, "left"))
	soon(t, "the other", appears(t, target, "right"))
	settled(t, appears(t, one, "right"), absent(t, two, "left"), scopeIs(t, two, "right", "targeted", "false"))
}
