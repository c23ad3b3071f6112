package cleanup_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// series is the CSV's series of a metric.
func (s *scene) series(metric, more string) string {
	return fmt.Sprintf(`%s{name="%s",namespace="%s"%s}`, metric, csvName, s.namespace, more)
}

// R-000-34, R-000-67: an operator that never finishes stays alive for ever, which is seen; and what is shown has a bound.
func TestStalled_R_000_34_67_OperatorThatDoesNothing(t *testing.T) {
	t.Parallel()
	const count = 130
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	var all []string
	for i := range count {
		name := fmt.Sprintf("widget-%03d", i)
		s.operands(t, s.spaces[0], name)
		all = append(all, s.spaces[0]+"/"+name)
	}
	s.uninstall(t)
	csv := s.says(t, "WaitingOnCleanup", fmt.Sprintf("for %d CRs", count))
	s.pendingIs(t, csv, all[:100]...)
	csv = s.says(t, "CleanupStalled", "NoProgress: waiting longest for ")
	if message := conditions(csv)["CleanupStalled"]["message"].(string); !strings.Contains(message, operandFinalizer) {
		t.Errorf("the condition does not name the finalizer: %s", message)
	}
	s.tells(t, "Warning", "CleanupStalled", operandFinalizer)
	for series, want := range map[string]float64{
		s.series("steward_cleanup_pending_operands", ""):            count,
		s.series("steward_cleanup_stalled", `,reason="NoProgress"`): 1,
	} {
		eventually(t, func() error {
			value, err := reconciling.Metric(t.Context(), series)
			if err == nil && value != want {
				err = fmt.Errorf("%s = %v, want %v", series, value, want)
			}
			return err
		})
	}
	if finalizers := s.see(t).GetFinalizers(); !slices.Contains(finalizers, optInFinalizer) {
		t.Errorf("finalizers %q", finalizers)
	}
	must(t, s.held(t, true))
	s.operate(t, 0)
	s.gone(t)
	s.cleaned(t, all, nil)
	eventually(t, func() error {
		if value, err := reconciling.Metric(t.Context(), s.series("steward_cleanup_stalled", `,reason="NoProgress"`)); err == nil {
			return fmt.Errorf("still stalled: %v", value)
		}
		return nil
	})
}

// R-000-42: switching cleanup off while it waits lets go of the CSV at once; what is being deleted by then stays so.
func TestAborted_R_000_42_Midway(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "a", "b")
	s.uninstall(t)
	s.says(t, "WaitingOnCleanup", "for 2 CRs")
	s.deleting(t, 2)
	s.patch(t, `{"spec":{"cleanup":{"enabled":false}}}`)
	s.gone(t)
	s.tells(t, "Normal", "CleanupAborted", "")
	there, deleting := s.list(t)
	slices.Sort(deleting)
	if want := []string{s.spaces[0] + "/a", s.spaces[0] + "/b"}; !slices.Equal(there, want) || !slices.Equal(deleting, want) {
		t.Errorf("there %q, deleting %q", there, deleting)
	}
	if want := []string{s.spaces[0] + "/a", s.spaces[0] + "/b"}; !slices.Equal(s.sent(t), want) {
		t.Errorf("sent %q", s.sent(t))
	}
}

// R-000-66: a refusal midway stops the deletions, and waits for what was begun before it lets go.
func TestRefusedMidway(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, reason string
		change       func(*testing.T, *scene)
	}{
		{"R_000_59_66_AnotherOwner", "SharedOwner", func(t *testing.T, s *scene) {
			s.another(t, s.namespace+"-other", "other.v1", "Pending", owning(s.described("Widget")))
		}},
		{"R_000_46_66_NotSucceeded", "PhaseNotSucceeded", func(t *testing.T, s *scene) { s.phase(t, "Failed") }},
		{"R_000_62_66_AnotherOperatorGroup", "OperatorGroupChanged", func(t *testing.T, s *scene) {
			must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(s.namespace).Delete(t.Context(), "group", background))
			must(t, olm.Create(t.Context(), shared.Any, synced(s.namespace, "group", s.spaces[0])))
		}},
		{"R_000_62_66_RecordRemoved", "RecordRemoved", func(t *testing.T, s *scene) {
			s.patch(t, `{"metadata":{"annotations":{"`+recordAnnotation+`":null}}}`)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			s.install(t, s.spaces[0])
			s.operands(t, s.spaces[0], "begun")
			s.uninstall(t)
			s.says(t, "WaitingOnCleanup", "for 1 CR")
			s.deleting(t, 1)
			tc.change(t, s)
			s.says(t, "CleanupRefused", tc.reason)
			// Guards may be two seconds old when something is deleted; but these ones refuse.
			s.operands(t, s.spaces[0], "late")
			if !slices.Contains(s.see(t).GetFinalizers(), optInFinalizer) {
				t.Error("it did not wait")
			}
			s.operate(t, 0)
			s.gone(t)
			s.cleaned(t, []string{s.spaces[0] + "/begun"}, []string{s.spaces[0] + "/late"})
		})
	}
}

// R-000-71: what somebody creates again is deleted three times, then that is said, and left to the administrator.
func TestStalled_R_000_71_Recreated(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.install(t, s.spaces...)
	s.operands(t, s.spaces[0], "some")
	// However long it takes until it is created again: there is something left to wait for.
	s.operands(t, s.spaces[1], "unfinished")
	s.operateIn(t, 0, glance, s.spaces[0])
	at := shared.Any.Resource(s.widgets()).Namespace(s.spaces[0])
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		made := 0
		for ; ctx.Err() == nil; time.Sleep(glance) {
			operand := &olm.Object{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Widget"}}
			operand.SetName("some")
			if _, err := at.Create(ctx, operand, metav1.CreateOptions{}); err == nil {
				made++
			}
		}
		done <- made
	}()
	defer stop()
	s.uninstall(t)
	s.says(t, "CleanupStalled", "OperandsRecreated: ")
	stop()
	if made := <-done; made != 3 {
		t.Errorf("deleted %d times", made)
	}
	if there, deleting := s.list(t); len(there) != 2 || !slices.Equal(deleting, []string{s.spaces[1] + "/unfinished"}) {
		t.Errorf("there %q, deleting %q", there, deleting)
	}
	must(t, at.Delete(t.Context(), "some", background))
	s.operate(t, 0)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some", s.spaces[1] + "/unfinished"}, nil)
}

// deny has the API server refuse what an operation does to resources of a group unless a CEL expression is true, until the
// binding of the scene's name is deleted, as it is at the end.
func (s *scene) deny(t *testing.T, group, resource, operation, unless, message string) {
	t.Helper()
	policy := &olm.Object{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
		"spec": map[string]any{
			"failurePolicy": "Fail",
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []any{group}, "apiVersions": []any{"*"}, "resources": []any{resource}, "operations": []any{operation},
			}}},
			"validations": []any{map[string]any{"expression": unless, "message": message}},
		},
	}}
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
		"spec": map[string]any{"policyName": s.group, "validationActions": []any{"Deny"}},
	}}
	policy.SetName(s.group)
	binding.SetName(s.group)
	_, err := shared.Any.Resource(policies).Create(t.Context(), policy, metav1.CreateOptions{})
	must(t, err)
	_, err = shared.Any.Resource(policyBindings).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		_ = shared.Any.Resource(policyBindings).Delete(context.Background(), s.group, background)
	})
}

// R-000-71: an operator whose admission denies deletions has its reasons: they are shown, and it is asked again.
func TestStalled_R_000_71_AdmissionDenies(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	at := shared.Any.Resource(s.widgets()).Namespace(s.spaces[0])
	s.deny(t, s.group, "*", "DELETE", "false", "this widget holds data")
	dryRun := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	eventually(t, func() error {
		if at.Delete(t.Context(), "some", dryRun) == nil {
			return fmt.Errorf("the policy does not work yet")
		}
		return nil
	})
	s.uninstall(t)
	csv := s.says(t, "CleanupStalled", "DeletionDenied: ")
	if message := conditions(csv)["CleanupStalled"]["message"].(string); !strings.Contains(message, "this widget holds data") {
		t.Errorf("the condition does not say why: %s", message)
	}
	s.untouched(t, s.spaces[0]+"/some")
	must(t, shared.Any.Resource(policyBindings).Delete(t.Context(), s.group, background))
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}

// R-000-66: while something cannot be read nothing is deleted and nothing let go of. Here it is what OLM has not written.
func TestUnknown_R_000_62_66_OperatorGroupNotSynced(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.installWith(t, olm.OperatorGroup(s.namespace, "group", s.spaces[0]), s.csv(s.spaces[0]))
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	s.uninstall(t)
	s.says(t, "CleanupUnknown", "OperatorGroupNotSynced")
	s.untouched(t, s.spaces[0]+"/some")
	_, err := shared.Any.Resource(olm.OperatorGroups).Namespace(s.namespace).Patch(t.Context(), "group", types.MergePatchType,
		[]byte(fmt.Sprintf(`{"status":{"lastUpdated":"2026-01-01T00:00:00Z","namespaces":[%q]}}`, s.spaces[0])), metav1.PatchOptions{}, "status")
	must(t, err)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}

// R-000-88: what the status lacks as yet would be lost for good, so nothing is begun before it says what the spec says.
func TestUnknown_R_000_88_StatusSaysLess(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	group := olm.OperatorGroup(s.namespace, "group", s.spaces...)
	s.installWith(t, olm.Synced(group, s.spaces[1]), s.csv(s.spaces...))
	for _, namespace := range s.spaces {
		s.operands(t, namespace, "some")
	}
	s.operate(t, 0)
	s.uninstall(t)
	s.says(t, "CleanupUnknown", "OperatorGroupNotSynced")
	s.untouched(t, s.spaces[0]+"/some", s.spaces[1]+"/some")
	_, err := shared.Any.Resource(olm.OperatorGroups).Namespace(s.namespace).Patch(t.Context(), "group", types.MergePatchType,
		[]byte(fmt.Sprintf(`{"status":{"namespaces":[%q,%q]}}`, s.spaces[0], s.spaces[1])), metav1.PatchOptions{}, "status")
	must(t, err)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some", s.spaces[1] + "/some"}, nil)
}
