package cleanup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// another is a CSV of other kinds in the same cluster, in a namespace of its own, and in this phase.
func (s *scene) another(t *testing.T, namespace, name, phase string, change func(spec map[string]any)) {
	t.Helper()
	if namespace != s.namespace {
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(namespace), synced(namespace, "group", namespace)))
	}
	csv := olm.CSV(name, olm.OperatorGroup(namespace, "group"), namespace)
	change(csv.Object["spec"].(map[string]any))
	csv.Object["status"].(map[string]any)["phase"] = phase
	must(t, olm.Create(t.Context(), shared.Any, csv))
}

func owning(entries ...any) func(map[string]any) {
	return func(spec map[string]any) { spec["customresourcedefinitions"] = map[string]any{"owned": entries} }
}

// What is refused is let go of without cleanup, at once, and an event says why.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		prepare func(*testing.T, *scene)
		reason  string
	}{
		{"R_000_59_AnotherOwner", func(t *testing.T, s *scene) {
			s.another(t, s.namespace+"-other", "other.v1", "Succeeded", owning(s.described("Widget")))
		}, "SharedOwner"},
		{"R_000_60_AnotherOwnerThatNeverSucceeded", func(t *testing.T, s *scene) {
			s.another(t, s.namespace+"-other", "other.v1", "Failed", owning(s.described("Widget")))
		}, "SharedOwner"},
		{"R_000_61_RequiredByAnother", func(t *testing.T, s *scene) {
			s.another(t, s.namespace+"-other", "other.v1", "Succeeded", func(spec map[string]any) {
				spec["customresourcedefinitions"] = map[string]any{"required": []any{s.described("Widget")}}
			})
		}, "RequiredByOther"},
		{"R_000_63_SeveralGroups", func(t *testing.T, s *scene) {
			must(t, olm.Create(t.Context(), shared.Any, synced(s.namespace, "second", s.spaces[0])))
		}, "OperatorGroupNotUnique"},
		{"R_000_63_NoGroup", func(t *testing.T, s *scene) {
			must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(s.namespace).Delete(t.Context(), "group", background))
		}, "OperatorGroupGone"},
		{"R_000_46_NotSucceeded", func(t *testing.T, s *scene) { s.phase(t, "Failed") }, "PhaseNotSucceeded"},
		{"R_000_54_Replaced", func(t *testing.T, s *scene) {
			// As OLM upgrades from A1 to A2; at the end it deletes A1.
			s.another(t, s.namespace, "operator.v2", "Succeeded", func(spec map[string]any) {
				owning(s.described("Widget"))(spec)
				spec["replaces"] = csvName
			})
			s.phase(t, "Deleting")
		}, "PhaseNotSucceeded"},
		{"R_000_54_ReplacedBeforeOLMSaysSo", func(t *testing.T, s *scene) {
			// A2 has dropped the API.
			s.another(t, s.namespace, "operator.v2", "Pending", func(spec map[string]any) { spec["replaces"] = csvName })
		}, "BeingReplaced"},
		{"R_000_73b_OperatorGone", func(t *testing.T, s *scene) {
			must(t, shared.Any.Resource(olm.Deployments).Namespace(s.namespace).Delete(t.Context(), olm.OperatorDeployment, background))
		}, "OperatorGone"},
		{"OperandDeleteDisabled", func(t *testing.T, s *scene) {
			s.patch(t, `{"metadata":{"annotations":{"`+optOutAnnotation+`":"true"}}}`)
		}, "OperandDeleteDisabled"},
		{"R_000_62_NoRoomForTheRecord", func(t *testing.T, s *scene) {
			// Nor is there for what says that the rights are let go of.
			s.patch(t, `{"metadata":{"annotations":{"alm-examples":"`+strings.Repeat("x", 255<<10)+`"}}}`)
		}, "RecordTooLarge"},
		{"R_000_72_Copied", func(t *testing.T, s *scene) {
			must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
				csv.Object["status"].(map[string]any)["reason"] = "Copied"
			}))
		}, "Copied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			s.install(t, s.spaces[0])
			s.operands(t, s.spaces[0], "a", "b")
			s.operate(t, 0)
			tc.prepare(t, s)
			s.uninstall(t)
			s.gone(t)
			s.cleaned(t, nil, []string{s.spaces[0] + "/a", s.spaces[0] + "/b"})
			s.tells(t, "Warning", "CleanupRefused", tc.reason)
			eventually(t, func() error {
				if err := s.held(t, false); !apierrors.IsNotFound(err) {
					return fmt.Errorf("the rights: %v", err)
				}
				return nil
			})
		})
	}
}

// phase writes status.phase, as OLM does.
func (s *scene) phase(t *testing.T, phase string) {
	t.Helper()
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.Object["status"].(map[string]any)["phase"] = phase
	}))
}

// R-000-60: two owners of one definition that are uninstalled together are both released.
func TestRefused_R_000_60_OwnersUninstalledTogether(t *testing.T) {
	t.Parallel()
	one := newScene(t, 1)
	two := one.beside(t)
	for _, s := range []*scene{one, two} {
		s.install(t, one.spaces[0])
	}
	one.operands(t, one.spaces[0], "some")
	// Neither is gone before the other one is deleted, too.
	const together = "example.com/together"
	for _, s := range []*scene{one, two} {
		s.operate(t, 0)
		s.patch(t, `{"metadata":{"finalizers":["`+olm.Finalizer+`","`+optInFinalizer+`","`+together+`"]}}`)
	}
	for _, s := range []*scene{one, two} {
		s.uninstall(t)
	}
	for _, s := range []*scene{one, two} {
		eventually(t, func() error {
			if finalizers := s.see(t).GetFinalizers(); slices.Contains(finalizers, optInFinalizer) {
				return fmt.Errorf("finalizers %q", finalizers)
			}
			return nil
		})
	}
	for _, s := range []*scene{one, two} {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
			csv.SetFinalizers(slices.DeleteFunc(csv.GetFinalizers(), func(name string) bool { return name == together }))
		}))
		s.gone(t)
	}
	one.cleaned(t, nil, []string{one.spaces[0] + "/some"})
}

// R-000-73b: nobody deletes an operator that is opted in under the feet of its custom resources. The way out that the
// message names cleans up.
func TestRefused_R_000_73b_Foreground(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Delete(t.Context(), csvName, foreground)
	if !apierrors.IsForbidden(err) {
		t.Errorf("foreground deletion: %v", err)
	}
	if csv := s.see(t); csv.GetDeletionTimestamp() != nil {
		t.Error("it is being deleted")
	}
	s.untouched(t, s.spaces[0]+"/some")
	s.uninstall(t)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}

// R-000-75: deleting the operator's namespace cleans up nothing elsewhere, and does not hang.
func TestRefused_R_000_75_NamespaceDeleted(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.install(t)
	s.operands(t, s.spaces[0], "some")
	s.operands(t, s.spaces[1], "some")
	s.operate(t, 0)
	must(t, shared.Any.Resource(olm.Namespaces).Delete(t.Context(), s.namespace, metav1.DeleteOptions{}))
	eventually(t, func() error {
		namespace, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), s.namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is there: %v, %v", namespace, err)
	})
	s.cleaned(t, nil, []string{s.spaces[0] + "/some", s.spaces[1] + "/some"})
}
