package deploy

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

func propagation(policy metav1.DeletionPropagation) metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: &policy}
}

func orphaning(orphan bool) metav1.DeleteOptions {
	return metav1.DeleteOptions{OrphanDependents: &orphan}
}

var (
	foreground = propagation(metav1.DeletePropagationForeground)
	background = propagation(metav1.DeletePropagationBackground)
)

// isDeleting says whether an object is there, and if so whether it is being deleted.
func isDeleting(t *testing.T, namespace, name string) (there, deleting bool) {
	t.Helper()
	object, err := shared.Any.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, false
	}
	must(t, err)
	return true, object.GetDeletionTimestamp() != nil
}

// R-000-73b: an operator that is opted in is not deleted in the foreground, by nobody. Nor with the wish to keep what it owns,
// which would be forgotten once the garbage collector has acted on it.
func TestForeground_R_000_73b_IsRefusedOnlyWhereItWouldDoHarm(t *testing.T) {
	namespace := space(t)
	mayUninstall(t, uninstaller)
	for number, tc := range []struct {
		name    string
		object  func(*olm.Object)
		options metav1.DeleteOptions
		refused bool
	}{
		{"foreground", nil, foreground, true},
		{"background", nil, background, false},
		{"orphan", nil, propagation(metav1.DeletePropagationOrphan), true},
		{"no word", nil, metav1.DeleteOptions{}, false},
		{"orphan, in the old way", nil, orphaning(true), true},
		{"orphan written into the object", withFinalizer("orphan"), metav1.DeleteOptions{}, true},
		{"orphan written into the object, but background asked for", withFinalizer("orphan"), background, false},
		{"orphan, not opted in", withoutFinalizers, propagation(metav1.DeletePropagationOrphan), false},
		{"orphan, cleanup not supported", unsupported, propagation(metav1.DeletePropagationOrphan), false},
		{"not orphan, in the old way", nil, orphaning(false), false},
		{"foreground written into the object", withFinalizer(foregroundFinalizer), metav1.DeleteOptions{}, true},
		{"foreground written into the object, but background asked for", withFinalizer(foregroundFinalizer), background, false},
		{"foreground written into the object, but asked for in the old way", withFinalizer(foregroundFinalizer), orphaning(false), false},
		{"foreground, not opted in", withoutFinalizers, foreground, false},
		{"foreground, cleanup not supported", unsupported, foreground, false},
		{"foreground, cleanup not mentioned", unmentioned, foreground, true},
		{"foreground, another phase", phase("Failed"), foreground, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, user := range []string{clusterAdmin, uninstaller, namespaceController} {
				name := fmt.Sprintf("csv-%d-%d", number, len(user))
				object := csv(namespace, name, optInFinalizer)
				if tc.object != nil {
					tc.object(object)
				}
				create(t, object)
				err := as(t, user).Resource(olm.CSVs).Namespace(namespace).Delete(t.Context(), name, tc.options)
				there, deleting := isDeleting(t, namespace, name)
				if !tc.refused {
					if err != nil || there && !deleting {
						t.Errorf("%q: %v; there %v, deleting %v", user, err, there, deleting)
					}
					continue
				}
				if refused := refusal(foregroundPolicy, err); refused != nil {
					t.Errorf("%q: %v", user, refused)
				}
				if !there || deleting {
					t.Errorf("%q: refused, but there %v, deleting %v", user, there, deleting)
				}
			}
		})
	}
}

// The garbage collector would take the operator of an object that is being deleted already, too.
func TestForeground_R_000_73b_AlsoWhenItIsBeingDeletedAlready(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "going", optInFinalizer))
	csvs := shared.Any.Resource(olm.CSVs).Namespace(namespace)
	must(t, csvs.Delete(t.Context(), "going", background))
	must(t, refusal(foregroundPolicy, csvs.Delete(t.Context(), "going", foreground)))
	must(t, csvs.Delete(t.Context(), "going", background))
	object, err := csvs.Get(t.Context(), "going", metav1.GetOptions{})
	must(t, err)
	if finalizers := object.GetFinalizers(); len(finalizers) != 1 || finalizers[0] != optInFinalizer {
		t.Errorf("finalizers %q", finalizers)
	}
}

// The message is all that the user of a console sees: it names the way out, and the way works.
func TestForeground_R_000_73b_TheMessageNamesTheWayOut(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "shown", optInFinalizer))
	out, err := shared.Kubectl(t.Context(), "delete", "clusterserviceversion", "shown", "-n", namespace, "--cascade=foreground", "--wait=false")
	if err == nil {
		t.Fatalf("it was allowed: %s", out)
	}
	_, command, found := strings.Cut(err.Error(), "Uninstall it with: kubectl ")
	command, _, ends := strings.Cut(command, ";")
	if !found || !ends || !strings.Contains(err.Error(), optInFinalizer) {
		t.Fatalf("no way out: %v", err)
	}
	_, err = shared.Kubectl(t.Context(), append(strings.Fields(command), "--wait=false")...)
	must(t, err)
	if there, deleting := isDeleting(t, namespace, "shown"); !there || !deleting {
		t.Errorf("there %v, deleting %v", there, deleting)
	}
}

// Deleting all of a namespace's asks the policy for each.
func TestForeground_R_000_73b_DeleteCollection(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "opted-in", optInFinalizer), csv(namespace, "plain"))
	csvs := as(t, uninstaller).Resource(olm.CSVs).Namespace(namespace)
	must(t, refusal(foregroundPolicy, csvs.DeleteCollection(t.Context(), foreground, metav1.ListOptions{})))
	if there, deleting := isDeleting(t, namespace, "opted-in"); !there || deleting {
		t.Errorf("opted in: there %v, deleting %v", there, deleting)
	}
	must(t, csvs.DeleteCollection(t.Context(), background, metav1.ListOptions{}))
	if there, deleting := isDeleting(t, namespace, "opted-in"); !there || !deleting {
		t.Errorf("opted in: there %v, deleting %v", there, deleting)
	}
	if there, _ := isDeleting(t, namespace, "plain"); there {
		t.Error("the other one is still there")
	}
}

// R-000-75: the namespace controller deletes in the background, so policies don't stop the deletion of a namespace.
func TestForeground_R_000_75_NamespacesCanBeDeleted(t *testing.T) {
	namespace := space(t)
	create(t, csv(namespace, "opted-in", optInFinalizer), csv(namespace, "plain"))
	must(t, shared.Any.Resource(olm.Namespaces).Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	eventually(t, func() error {
		if there, deleting := isDeleting(t, namespace, "opted-in"); there && !deleting {
			return fmt.Errorf("it is not being deleted")
		}
		return nil
	})
}

func withFinalizer(name string) func(*olm.Object) {
	return func(object *olm.Object) { object.SetFinalizers(append(object.GetFinalizers(), name)) }
}

func withoutFinalizers(object *olm.Object) { object.SetFinalizers(nil) }

func unsupported(object *olm.Object) {
	object.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": false}
}

func unmentioned(object *olm.Object) { delete(object.Object["spec"].(map[string]any), "cleanup") }

func phase(name string) func(*olm.Object) {
	return func(object *olm.Object) { object.Object["status"].(map[string]any)["phase"] = name }
}
