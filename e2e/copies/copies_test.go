package copies_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Each case has an operator and namespaces of its own; all are installed for all namespaces, but where a case says other.

// newOperator installs an operator in `home`.
func newOperator(t *testing.T, name string) *olm.Object {
	t.Helper()
	csv := olm.CSV(name, group, "")
	annotations := csv.GetAnnotations()
	annotations["alm-examples"] = "[]"
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
	csv.SetAnnotations(annotations)
	csv.SetLabels(map[string]string{olm.ManagedLabel: "true", "operators.coreos.com/" + name + "." + home: "", "team": "x"})
	must(t, olm.Create(t.Context(), shared.Any, csv))
	t.Cleanup(func() { remove(t, home, name) })
	return csv
}

// remove may be called when the test's own context has ended.
func remove(t *testing.T, namespace, name string) {
	t.Helper()
	err := shared.Any.Resource(olm.CSVs).Namespace(namespace).Delete(context.Background(), name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}

func newNamespace(t *testing.T, name string) string {
	t.Helper()
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	return name
}

func get(t *testing.T, namespace, name string) (*olm.Object, error) {
	t.Helper()
	return shared.Any.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
}

// activeNamespaces are those that are not being deleted.
func activeNamespaces(t *testing.T) (names []string) {
	t.Helper()
	all, err := shared.Any.Resource(olm.Namespaces).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, each := range all.Items {
		if each.GetDeletionTimestamp() == nil {
			names = append(names, each.GetName())
		}
	}
	return names
}

// content is what copies carry, of a ClusterServiceVersion or an InstalledOperator.
func content(object *olm.Object) map[string]any {
	return map[string]any{
		"labels": object.GetLabels(), "annotations": object.GetAnnotations(),
		"spec": object.Object["spec"], "status": object.Object["status"],
	}
}

// copied is satisfied when the copy in a namespace is there, and equals what OLM would make.
func copied(t *testing.T, namespace, name string) func() error {
	return copiedFrom(t, home, namespace, name)
}

// copiedFrom says it of an operator of any namespace. Nothing writes to a copy any more then: its status comes last.
func copiedFrom(t *testing.T, source, namespace, name string) func() error {
	return func() error {
		original, err := get(t, source, name)
		if err != nil {
			return err
		}
		found, err := get(t, namespace, name)
		if err != nil {
			return err
		}
		if want, got := content(olm.View(original, namespace)), content(found); !reflect.DeepEqual(want, got) {
			return fmt.Errorf("%s: the copy is %s, want %s", namespace, asJSON(got), asJSON(want))
		}
		return nil
	}
}

// gone is satisfied when there is nothing of this name in a namespace.
func gone(t *testing.T, namespace, name string) func() error {
	return func() error {
		_, err := get(t, namespace, name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s/%s is still there: %v", namespace, name, err)
	}
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// told is satisfied when an Event with this reason, about this object, says something.
func told(t *testing.T, namespace, name, reason, text string) func() error {
	return func() error {
		events, err := shared.Kube.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.InvolvedObject.Name == name && event.Reason == reason && strings.Contains(event.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("no Event %s about %s/%s says %q", reason, namespace, name, text)
	}
}

// Upstream's first case of disabling_copied_csv_e2e_test.go: an operator of AllNamespaces mode has a copy in each namespace
// that is not Terminating but its own, and nowhere else.
func TestCopies_R_004_18_InEachNamespace(t *testing.T) {
	const name = "everywhere.v1"
	newOperator(t, name)
	newNamespace(t, "copies-everywhere-1")
	newNamespace(t, "copies-everywhere-2")
	for _, namespace := range activeNamespaces(t) {
		if namespace != home {
			eventually(t, copied(t, namespace, name))
		}
	}
	original, err := get(t, home, name)
	must(t, err)
	if _, labelled := original.GetLabels()[olm.CopiedFromLabel]; labelled {
		t.Error("the original has become a copy")
	}
}

// R-004-43: what a copy says and what the virtual resource says is the same.
func TestCopies_R_004_43_SayWhatTheViewSays(t *testing.T) {
	const name = "equal.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-equal")
	eventually(t, copied(t, namespace, name))
	eventually(t, func() error {
		view, err := shared.Any.Resource(olm.InstalledOperators).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		found, err := get(t, namespace, name)
		if err != nil {
			return err
		}
		if view, found := content(view), content(found); !reflect.DeepEqual(view, found) {
			return fmt.Errorf("the view says %s, the copy %s", asJSON(view), asJSON(found))
		}
		return nil
	})
}

// Published operators, where they are at hand: large, and as their authors wrote them.
func TestCopies_OfPublishedOperators(t *testing.T) {
	const source = "copies-published"
	root, err := cluster.Root()
	must(t, err)
	published, err := olm.RealCSVs(root)
	must(t, err)
	if len(published) == 0 {
		t.Skip("no published ClusterServiceVersions are at hand")
	}
	target := newNamespace(t, "copies-published-target")
	newNamespace(t, source)
	few := olm.OperatorGroup(source, "few", target)
	must(t, olm.Create(t.Context(), shared.Any, few))
	for _, csv := range published {
		must(t, olm.Create(t.Context(), shared.Any, olm.Installed(csv, few, target)))
	}
	for _, csv := range published {
		eventually(t, func() error {
			view, err := shared.Any.Resource(olm.InstalledOperators).Namespace(target).Get(t.Context(), csv.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			found, err := get(t, target, csv.GetName())
			if err != nil {
				return err
			}
			if view, found := content(view), content(found); !reflect.DeepEqual(view, found) {
				return fmt.Errorf("%s: the view and the copy differ", csv.GetName())
			}
			return nil
		})
	}
}

func TestCopies_ANewNamespaceIsServed(t *testing.T) {
	const name = "new.v1"
	newOperator(t, name)
	eventually(t, copied(t, newNamespace(t, "copies-new"), name))
}

// Upstream's "a copied csv exists / is synchronized with the original csv", and every other way to change a copy.
func TestCopies_DriftIsRepaired(t *testing.T) {
	const name = "drift.v1"
	newOperator(t, name)
	for _, row := range []struct {
		name   string
		status bool
		edit   func(*olm.Object)
	}{
		{"time", true, func(csv *olm.Object) {
			_ = unstructured.SetNestedField(csv.Object, time.Unix(1, 0).UTC().Format(time.RFC3339), "status", "lastUpdateTime")
		}},
		{"label", false, func(csv *olm.Object) {
			labels := csv.GetLabels()
			labels["theirs"] = "x"
			csv.SetLabels(labels)
		}},
		{"annotation", false, func(csv *olm.Object) { csv.SetAnnotations(map[string]string{"theirs": "x"}) }},
		{"spec", false, func(csv *olm.Object) {
			_ = unstructured.SetNestedField(csv.Object, "Theirs", "spec", "displayName")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			namespace := newNamespace(t, "copies-drift-"+row.name)
			eventually(t, copied(t, namespace, name))
			mutate := olm.Mutate
			if row.status {
				mutate = olm.MutateStatus
			}
			must(t, mutate(t.Context(), shared.Any, olm.CSVs, namespace, name, row.edit))
			eventually(t, copied(t, namespace, name))
		})
	}
	t.Run("deleted", func(t *testing.T) {
		namespace := newNamespace(t, "copies-drift-deleted")
		eventually(t, copied(t, namespace, name))
		remove(t, namespace, name)
		eventually(t, copied(t, namespace, name))
	})
}

func TestCopies_FollowTheOriginal(t *testing.T) {
	const name = "follow.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-follow")
	eventually(t, copied(t, namespace, name))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, name, func(csv *olm.Object) {
		_ = unstructured.SetNestedField(csv.Object, "2.0.0", "spec", "version")
	}))
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, home, name, func(csv *olm.Object) {
		_ = unstructured.SetNestedField(csv.Object, "Failed", "status", "phase")
		_ = unstructured.SetNestedField(csv.Object, "ComponentUnhealthy", "status", "reason")
	}))
	eventually(t, copied(t, namespace, name))
	eventually(t, func() error {
		found, err := get(t, namespace, name)
		if err != nil {
			return err
		}
		version, _, _ := unstructured.NestedString(found.Object, "spec", "version")
		phase, _, _ := unstructured.NestedString(found.Object, "status", "phase")
		if version != "2.0.0" || phase != "Failed" {
			return fmt.Errorf("version %s, phase %s", version, phase)
		}
		return nil
	})
}

func TestCopies_OfADeletedOriginalArePruned(t *testing.T) {
	const name = "pruned.v1"
	newOperator(t, name)
	namespaces := []string{newNamespace(t, "copies-pruned-1"), newNamespace(t, "copies-pruned-2"), "default"}
	for _, namespace := range namespaces {
		eventually(t, copied(t, namespace, name))
	}
	// While a finalizer holds the original its copies stay.
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, name, func(csv *olm.Object) { csv.SetFinalizers([]string{"e2e.example.com/hold"}) }))
	remove(t, home, name)
	late := newNamespace(t, "copies-pruned-late")
	// By the time that another operator has its copy there, this one has been looked at, too.
	const other = "pruned-other.v1"
	newOperator(t, other)
	eventually(t, copied(t, late, other))
	for _, namespace := range namespaces {
		if _, err := get(t, namespace, name); err != nil {
			t.Errorf("%s: while the original is being deleted: %v", namespace, err)
		}
	}
	must(t, gone(t, late, name)())
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, name, func(csv *olm.Object) { csv.SetFinalizers(nil) }))
	for _, namespace := range namespaces {
		eventually(t, gone(t, namespace, name))
	}
}

// Upstream's "CSV copy watching all namespaces", its last step.
func TestCopies_AGroupThatShrinksIsFollowed(t *testing.T) {
	const source, name = "copies-shrinks", "shrinks.v1"
	newNamespace(t, source)
	all := olm.OperatorGroup(source, "group")
	must(t, olm.Create(t.Context(), shared.Any, all, olm.CSV(name, all, "")))
	kept, left := newNamespace(t, "copies-shrinks-kept"), newNamespace(t, "copies-shrinks-left")
	there := func(namespace string) func() error {
		return func() error { _, err := get(t, namespace, name); return err }
	}
	eventually(t, there(kept))
	eventually(t, there(left))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, source, "group", func(group *olm.Object) {
		_ = unstructured.SetNestedStringSlice(group.Object, []string{kept}, "spec", "targetNamespaces")
	}))
	eventually(t, gone(t, left, name))
	must(t, there(kept)())
}

// A name that is taken is reported in both namespaces, and never overwritten.
func TestCopies_ATakenNameIsReportedAndNotOverwritten(t *testing.T) {
	const name = "taken.v1"
	namespace := newNamespace(t, "copies-taken")
	own := olm.OperatorGroup(namespace, "own", namespace)
	tenants := olm.CSV(name, own, namespace)
	must(t, olm.Create(t.Context(), shared.Any, own, tenants))
	before, err := get(t, namespace, name)
	must(t, err)
	newOperator(t, name)
	eventually(t, copied(t, "default", name))
	eventually(t, told(t, home, name, "CopyNameTaken", "namespace "+namespace))
	eventually(t, told(t, namespace, name, "CopyNameTaken", "namespace "+home))
	after, err := get(t, namespace, name)
	must(t, err)
	if before.GetResourceVersion() != after.GetResourceVersion() {
		t.Errorf("it was written: %s, before %s", asJSON(after.Object), asJSON(before.Object))
	}
	remove(t, namespace, name)
	eventually(t, copied(t, namespace, name))
}

// A Terminating namespace is left alone, and served again when there is a new one of its name.
func TestCopies_ANamespaceMadeAnewIsServed(t *testing.T) {
	const name = "anew.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-anew")
	eventually(t, copied(t, namespace, name))
	client := shared.Any.Resource(olm.Namespaces)
	must(t, client.Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	eventually(t, func() error {
		_, err := client.Get(t.Context(), namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s is still there: %v", namespace, err)
	})
	newNamespace(t, namespace)
	eventually(t, copied(t, namespace, name))
}

// After a restart what is right is not written: every copy keeps its resourceVersion.
func TestCopies_ARestartWritesNothing(t *testing.T) {
	const name = "restart.v1"
	newOperator(t, name)
	var namespaces []string
	for i := range 5 {
		namespaces = append(namespaces, newNamespace(t, fmt.Sprintf("copies-restart-%d", i)))
	}
	versions := map[string]string{}
	for _, namespace := range namespaces {
		eventually(t, copied(t, namespace, name))
		found, err := get(t, namespace, name)
		must(t, err)
		versions[namespace] = found.GetResourceVersion()
	}
	must(t, copying.Stop())
	// Meanwhile one copy goes; when it is back, the look at all of them is over.
	remove(t, namespaces[0], name)
	must(t, startCopying(t.Context()))
	eventually(t, copied(t, namespaces[0], name))
	for _, namespace := range namespaces[1:] {
		found, err := get(t, namespace, name)
		must(t, err)
		if found.GetResourceVersion() != versions[namespace] {
			t.Errorf("%s: it was written", namespace)
		}
	}
}

// Whoever has the account's token can write copies, and nothing else.
func TestAccount_WritesCopiesOnly(t *testing.T) {
	const name = "account.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-account")
	eventually(t, copied(t, namespace, name))
	as, err := asAccount()
	must(t, err)
	csvs := as.Resource(olm.CSVs)
	labelled := func(name, source string, change func(*olm.Object)) *olm.Object {
		csv := olm.CSV(name, olm.OperatorGroup(namespace, "g"), "")
		delete(csv.Object, "status")
		if source != "" {
			csv.SetLabels(map[string]string{olm.CopiedFromLabel: source})
		}
		if change != nil {
			change(csv)
		}
		return csv
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	for _, row := range []struct {
		name string
		csv  *olm.Object
	}{
		{"an operator", labelled("x", "", nil)},
		{"a copy of its own namespace", labelled("x", namespace, nil)},
		{"a finalizer", labelled("x", home, func(csv *olm.Object) { csv.SetFinalizers([]string{"e2e.example.com/x"}) })},
		{"an owner", labelled("x", home, func(csv *olm.Object) {
			csv.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "x"}})
		})},
	} {
		if _, err := csvs.Namespace(namespace).Create(t.Context(), row.csv, dry); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v, want it forbidden", row.name, err)
		}
	}
	if _, err := csvs.Namespace(namespace).Create(t.Context(), labelled("x", home, nil), dry); err != nil {
		t.Errorf("a copy: %v", err)
	}
	// The original can be neither changed nor deleted.
	original, err := get(t, home, name)
	must(t, err)
	original.SetAnnotations(map[string]string{"x": "y"})
	if _, err := csvs.Namespace(home).Update(t.Context(), original, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("an update of the original: %v", err)
	}
	if _, err := csvs.Namespace(home).UpdateStatus(t.Context(), original, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a status of the original: %v", err)
	}
	if err := csvs.Namespace(home).Delete(t.Context(), name, metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a deletion of the original: %v", err)
	}
	patch := []byte(`{"metadata":{"labels":{"` + olm.CopiedFromLabel + `":null}}}`)
	if _, err := csvs.Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a copy that becomes an operator: %v", err)
	}
	for _, resource := range []string{"secrets", "pods"} {
		_, err := as.Resource(olm.Namespaces.GroupVersion().WithResource(resource)).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", resource, err)
		}
	}
}

// Beside olm-operator nothing is written, and the reason is said once; when it has gone, work begins.
func TestCopies_NotBesideOLM(t *testing.T) {
	const name = "beside.v1"
	must(t, copying.Stop())
	namespace := newNamespace(t, "copies-beside")
	deployments := shared.Kube.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "olm-operator"}
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "olm-operator"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "olm-operator", Image: "example.com/olm"}}},
			},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	made.Status.Replicas, made.Status.ReadyReplicas, made.Status.AvailableReplicas = 1, 1, 1
	_, err = deployments.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	must(t, startCopying(t.Context()))
	newOperator(t, name)
	eventually(t, func() error {
		value, err := copying.Metric(t.Context(), `steward_peer_conflict{controller="copied-csvs"}`)
		if err == nil && value != 1 {
			err = fmt.Errorf("steward_peer_conflict is %v", value)
		}
		return err
	})
	must(t, gone(t, namespace, name)())
	must(t, deployments.Delete(t.Context(), "olm-operator", metav1.DeleteOptions{}))
	must(t, copying.Stop())
	must(t, startCopying(t.Context()))
	eventually(t, copied(t, namespace, name))
}
