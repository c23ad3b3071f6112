package cleanup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// The schedules of a review of the deletion path, as somebody outside can make them happen.

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Finding 2, R-000-60: of owners in a chain that are uninstalled together none is cleaned up, also those at its ends, which
// share nothing with one another.
func TestRefused_R_000_60_AChainOfOwners(t *testing.T) {
	t.Parallel()
	first, last := newScene(t, 1), newScene(t, 1)
	between := first.beside(t)
	all := []*scene{first, between, last}
	const together = "example.com/together"
	for _, s := range all {
		csv := s.csv(s.spaces[0])
		csv.SetFinalizers(append(csv.GetFinalizers(), together))
		if s == between {
			owning(first.described("Widget"), last.described("Widget"))(csv.Object["spec"].(map[string]any))
		}
		s.installWith(t, synced(s.namespace, "group", s.spaces[0]), csv)
	}
	for _, s := range []*scene{first, last} {
		s.operands(t, s.spaces[0], "some")
		s.operate(t, 0)
	}
	for _, s := range all {
		s.uninstall(t)
	}
	for _, s := range all {
		eventually(t, func() error {
			if finalizers := s.see(t).GetFinalizers(); slices.Contains(finalizers, optInFinalizer) {
				return fmt.Errorf("finalizers %q", finalizers)
			}
			return nil
		})
	}
	for _, s := range all {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
			csv.SetFinalizers(slices.DeleteFunc(csv.GetFinalizers(), func(name string) bool { return name == together }))
		}))
		s.gone(t)
	}
	for _, s := range []*scene{first, last} {
		s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
	}
}

// R-000-85: an owner that says that it is a copy counts: the original that it names owns less.
func TestRefused_R_000_85_AnOwnerThatLooksLikeACopy(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	s.another(t, s.namespace, "other.v1", "Succeeded", func(map[string]any) {})
	elsewhere := s.namespace + "-other"
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(elsewhere)))
	hidden := olm.CSV("other.v1", olm.OperatorGroup(elsewhere, "group"), elsewhere)
	owning(s.described("Widget"))(hidden.Object["spec"].(map[string]any))
	hidden.SetLabels(map[string]string{olm.CopiedFromLabel: s.namespace})
	hidden.Object["status"].(map[string]any)["reason"] = "Copied"
	must(t, olm.Create(t.Context(), shared.Any, hidden))
	s.uninstall(t)
	s.gone(t)
	s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
	s.tells(t, "Warning", "CleanupRefused", "SharedOwner")
}

// Finding 7, R-000-62: whoever may edit the CSV may have it own less, and ends nothing by that: what was begun is waited for,
// and finished by an operator that still has its rights.
func TestTargets_R_000_62_OwningLessEndsNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "begun")
	s.uninstall(t)
	s.says(t, "WaitingOnCleanup", "for 1 CR")
	s.deleting(t, 1)
	_, err := s.as(t, tenant).Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType,
		[]byte(`{"spec":{"customresourcedefinitions":{"owned":[]}}}`), metav1.PatchOptions{})
	must(t, err)
	patched := time.Now()
	settled(t)
	if finalizers := s.see(t).GetFinalizers(); !slices.Contains(finalizers, optInFinalizer) {
		t.Errorf("it did not wait: %q", finalizers)
	}
	must(t, s.held(t, true))
	// What comes once guards of before are too old to delete anything by stays.
	eventually(t, func() error {
		if since := time.Since(patched); since < 2*guardAge {
			return fmt.Errorf("only %s since", since)
		}
		return nil
	})
	s.operands(t, s.spaces[0], "late")
	s.operate(t, 0)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/begun"}, []string{s.spaces[0] + "/late"})
	s.tells(t, "Normal", "CleanupCompleted", "widgets."+s.group+" (NoLongerOwned)")
}

// Finding 12, R-000-86: the operator's namespace is deleted midway, and its Deployment with it. Nobody can finish what was
// begun, so it is told of, and the namespace does not hang.
func TestRefused_R_000_86_NamespaceDeletedMidway(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "begun")
	s.uninstall(t)
	s.says(t, "WaitingOnCleanup", "for 1 CR")
	s.deleting(t, 1)
	must(t, shared.Any.Resource(olm.Namespaces).Delete(t.Context(), s.namespace, metav1.DeleteOptions{}))
	eventually(t, func() error {
		namespace, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), s.namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is there: %v, %v", namespace, err)
	})
	if there, deleting := s.list(t); len(there) != 1 || len(deleting) != 1 {
		t.Errorf("there %q, deleting %q", there, deleting)
	}
	if sent := s.sent(t); !slices.Equal(sent, []string{s.spaces[0] + "/begun"}) {
		t.Errorf("sent %q", sent)
	}
	// An event cannot be recorded there; this counts it, and nothing else here is given up.
	eventually(t, func() error {
		value, err := reconciling.Metric(t.Context(), `steward_cleanup_finished_total{result="abandoned"}`)
		if err == nil && value < 1 {
			err = fmt.Errorf("it is %v", value)
		}
		return err
	})
}

// Finding 14: no label can have such a name, so nothing is held, and nothing hangs.
func TestRemoved_NamesOverALabelsLength(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	csv := s.csv(s.spaces[0])
	csv.SetName("operator-" + strings.Repeat("x", 60) + ".v1")
	csv.SetFinalizers([]string{optInFinalizer}) // OLM's own would stay: here it is played by labels
	must(t, olm.Confirm(t.Context(), shared.Any, csv))
	must(t, olm.Create(t.Context(), shared.Any, synced(s.namespace, "group", s.spaces[0]), csv))
	at := shared.Any.Resource(olm.CSVs).Namespace(s.namespace)
	made, err := at.Get(t.Context(), csv.GetName(), metav1.GetOptions{})
	must(t, err)
	must(t, olm.CreateDeployment(t.Context(), shared.Any, made))
	s.grant(t)
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	s.aged(t)
	must(t, at.Delete(t.Context(), csv.GetName(), background))
	eventually(t, func() error {
		csv, err := at.Get(t.Context(), csv.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("finalizers %q, conditions %v", csv.GetFinalizers(), conditions(csv))
		}
		return err
	})
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}

// By the end of an owner that the CSV had before it was opted in, the garbage collector uninstalls the operator, whoever ended
// it: nothing is cleaned up then. An owner that comes later is refused, and so is taking one off to have it cleaned up.
func TestOwners_R_000_77_OfBeforeTheOptIn(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.bundled(t, s.described("Widget"))
	user := s.as(t, tenant)
	plant := func(name string) error {
		owner := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		owner.SetName(name)
		made, err := user.Resource(configMaps).Namespace(s.namespace).Create(t.Context(), owner, metav1.CreateOptions{})
		must(t, err)
		_, err = user.Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType, []byte(fmt.Sprintf(
			`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q}]}}`, name, made.GetUID())), metav1.PatchOptions{})
		return err
	}
	must(t, plant("before"))
	s.optIn(t)
	must(t, refusedBy(olm.OptInPolicy, plant("after")))
	_, err := user.Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType,
		[]byte(`{"metadata":{"ownerReferences":null}}`), metav1.PatchOptions{})
	must(t, refusedBy(olm.OptInPolicy, err))
	_, client := replica(t, "owners")
	s.shown(t, client, func(status map[string]any) bool {
		blockers, _, _ := unstructured.NestedSlice(status, "blockers")
		return len(blockers) == 1 && blockers[0].(map[string]any)["reason"] == "HasOwners"
	})
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	s.aged(t)
	must(t, user.Resource(configMaps).Namespace(s.namespace).Delete(t.Context(), "before", background))
	s.gone(t)
	s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
	s.tells(t, "Warning", "CleanupRefused", "HasOwners")
}
