package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// R-000-74, R-000-77: where no policy says who may opt in, or who may delete what is opted in, whoever may edit a CSV could
// have caused it; so nothing is deleted.
func TestUnprotected_R_000_74_NothingIsDeleted(t *testing.T) {
	t.Run("OptIn", func(t *testing.T) { unprotected(t, olm.OptInPolicy, "OptInNotProtected") })
	t.Run("Deletion", func(t *testing.T) { unprotected(t, olm.UninstallPolicy, "DeletionNotProtected") })
}

func unprotected(t *testing.T, policy, reason string) {
	at := shared.Any.Resource(policyBindings)
	restore := binding(t, policy)
	for _, tc := range []struct {
		name  string
		unset func() error
	}{
		{"NotBound", func() error { return at.Delete(t.Context(), policy, background) }},
		{"BoundToWarnOnly", func() error {
			_, err := at.Patch(t.Context(), policy, types.MergePatchType, []byte(`{"spec":{"validationActions":["Warn"]}}`), metav1.PatchOptions{})
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, 1)
			s.install(t, s.spaces[0])
			s.operands(t, s.spaces[0], "some")
			s.operate(t, 0)
			must(t, tc.unset())
			defer func() {
				must(t, restore())
				must(t, olm.DeletionsSettle(t.Context(), shared.Any))
			}()
			s.uninstall(t)
			s.gone(t)
			s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
			s.tells(t, "Warning", "CleanupRefused", reason)
		})
	}
}

// binding makes the policy's binding again as it is now, whether it is there by then or not.
func binding(t *testing.T, policy string) (restore func() error) {
	t.Helper()
	at := shared.Any.Resource(policyBindings)
	bound, err := at.Get(t.Context(), policy, metav1.GetOptions{})
	must(t, err)
	bound.SetResourceVersion("")
	bound.SetUID("")
	return func() error {
		_ = at.Delete(t.Context(), policy, background)
		_, err := at.Create(t.Context(), bound, metav1.CreateOptions{})
		return err
	}
}

// R-000-77: what was deleted while nothing said who may was deleted by anybody, also when the policy is in force again by the
// time that it is looked at.
func TestUnprotected_R_000_77_NorWhatWasDeletedMeanwhile(t *testing.T) {
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	restore := binding(t, olm.UninstallPolicy)
	must(t, reconciling.Pause())
	must(t, shared.Any.Resource(policyBindings).Delete(t.Context(), olm.UninstallPolicy, background))
	s.uninstall(t)
	must(t, errors.Join(restore(), reconciling.Resume()))
	defer func() { must(t, olm.DeletionsSettle(t.Context(), shared.Any)) }()
	s.gone(t)
	s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
	s.tells(t, "Warning", "CleanupRefused", "DeletionNotProtected")
}

// R-000-73b: with --allow-unprotected-opt-in no policy refuses --cascade=orphan and =foreground, and the garbage collector takes its
// finalizer off at once. Whatever the order of its steps and Steward's, only a plain deletion deletes custom resources.
func TestUnprotected_R_000_73b_DeleteModes(t *testing.T) {
	const policy = "steward-cleanup-foreground"
	orphan := metav1.DeleteOptions{PropagationPolicy: of(metav1.DeletePropagationOrphan)}
	start := func() error { // without policies
		controllers, err := shared.RunControllersAs(t.Context(), account, "unprotected-"+time.Now().Format("150405.000"), "--reconcilers=cleanup",
			"--allow-unprotected-opt-in", "--cleanup-stall-timeout="+stallTimeout.String(), "--leader-elect-lease-duration=6s",
			"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms")
		if err == nil {
			reconciling = controllers
		}
		return err
	}
	restore := binding(t, policy)
	must(t, errors.Join(shared.Any.Resource(policyBindings).Delete(t.Context(), policy, background), reconciling.Stop(), start()))
	defer func() {
		must(t, errors.Join(restore(), reconciling.Stop(), startControllers(context.Background()), waitForPolicies(context.Background())))
	}()
	for _, tc := range []struct {
		name          string
		how           metav1.DeleteOptions
		before, after func() error
		cleaned       bool
	}{
		{"Plain", background, nil, nil, true},
		{"Orphan", orphan, nil, nil, false},
		{"Foreground", foreground, nil, nil, false},
		{"OrphanWhilePaused", orphan, func() error { return reconciling.Pause() }, func() error { return reconciling.Resume() }, false},
		{"ForegroundWhilePaused", foreground, func() error { return reconciling.Pause() }, func() error { return reconciling.Resume() }, false},
		{"OrphanWhileAway", orphan, func() error { return reconciling.Stop() }, start, false},
		{"ForegroundWhileAway", foreground, func() error { return reconciling.Stop() }, start, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, 1)
			s.install(t, s.spaces[0])
			s.operands(t, s.spaces[0], "some")
			s.operate(t, 0)
			s.aged(t)
			if tc.before != nil {
				must(t, tc.before())
			}
			eventually(t, func() error { // until the policy is out of force
				return shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Delete(t.Context(), csvName, tc.how)
			})
			if tc.after != nil {
				eventually(t, func() error {
					for _, finalizer := range s.see(t).GetFinalizers() {
						if finalizer == "orphan" || finalizer == "foregroundDeletion" {
							return errors.New("the garbage collector has not come yet")
						}
					}
					return nil
				})
				must(t, tc.after())
			}
			s.gone(t)
			if tc.cleaned {
				s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
			} else {
				s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
			}
		})
	}
}

// R-000-76, finding 1: an opt-in from before the policy is nobody's word; and so is one that says that it is confirmed by a
// policy that was there before.
func TestUnconfirmed_R_000_76_OlderThanThePolicy(t *testing.T) {
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	at := shared.Any.Resource(policyBindings.GroupVersion().WithResource("validatingadmissionpolicies"))
	policy, err := at.Get(t.Context(), olm.OptInPolicy, metav1.GetOptions{})
	must(t, err)
	must(t, at.Delete(t.Context(), olm.OptInPolicy, background))
	policy.SetResourceVersion("")
	policy.SetUID("")
	eventually(t, func() error {
		_, err := at.Create(t.Context(), policy, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
	s.uninstall(t)
	s.gone(t)
	s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
	s.tells(t, "Warning", "CleanupRefused", "OptInUnconfirmed")
}

// Finding 1, R-000-76: while the policy is away, a bundle opts in by itself, confirmation and all: it knows what was in the label
// before. Once there is a policy again it is shown as nobody's word, nothing is deleted by it, and the remedy that is shown
// works.
func TestUnconfirmed_R_000_76_ByABundleBeforeThePolicy(t *testing.T) {
	_, client := replica(t, "unconfirmed")
	left, remedied := newScene(t, 1), newScene(t, 1)
	both := []*scene{left, remedied}
	at := shared.Any.Resource(policies)
	policy, err := at.Get(t.Context(), olm.OptInPolicy, metav1.GetOptions{})
	must(t, err)
	proof, err := olm.OptInProof(t.Context(), shared.Any)
	must(t, err)
	restore := func() error {
		made := policy.DeepCopy()
		made.SetResourceVersion("")
		made.SetUID("")
		_, err := at.Create(context.Background(), made, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	t.Cleanup(func() { must(t, restore()) })
	bundles := left.as(t, olmAccount).Resource(olm.CSVs)
	bundled := func(s *scene, options metav1.CreateOptions) error {
		csv := s.csv(s.spaces[0])
		csv.SetLabels(map[string]string{olm.ManagedLabel: "true", olm.ConfirmedLabel: proof})
		_, err := bundles.Namespace(s.namespace).Create(t.Context(), csv, options)
		return err
	}
	// Until the API server knows the policy, which another test may have put back a moment ago.
	eventually(t, func() error {
		return refusedBy(olm.OptInPolicy, bundled(left, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
	})
	must(t, at.Delete(t.Context(), olm.OptInPolicy, background))
	for _, s := range both {
		// Until the API server knows that it is gone.
		eventually(t, func() error { return bundled(s, metav1.CreateOptions{}) })
		s.complete(t)
	}
	must(t, restore())
	eventually(t, func() error {
		another := &scene{group: left.group, namespace: left.namespace, spaces: left.spaces}
		csv := another.csv()
		csv.SetName("another.v1")
		_, err := bundles.Namespace(left.namespace).Create(t.Context(), csv, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return refusedBy(olm.OptInPolicy, err)
	})
	unconfirmed := func(status map[string]any) bool {
		blockers, _, _ := unstructured.NestedSlice(status, "blockers")
		return status["phase"] == "Refused" && slices.ContainsFunc(blockers, func(each any) bool {
			return each.(map[string]any)["reason"] == "OptInUnconfirmed"
		})
	}
	for _, s := range both {
		s.says(t, "OptInUnconfirmed", "take it off and add it again")
		s.shown(t, client, unconfirmed)
	}
	left.uninstall(t)
	left.gone(t)
	left.cleaned(t, nil, []string{left.spaces[0] + "/some"})
	left.tells(t, "Warning", "CleanupRefused", "OptInUnconfirmed")

	remedied.patch(t, `{"metadata":{"finalizers":["`+olm.Finalizer+`"]}}`)
	eventually(t, func() error {
		if conditions(remedied.see(t))["OptInUnconfirmed"] != nil {
			return errors.New("it is still said")
		}
		return remedied.held(t, false)
	})
	remedied.optIn(t)
	remedied.shown(t, client, func(status map[string]any) bool { return status["phase"] == "Ready" })
	remedied.uninstall(t)
	remedied.gone(t)
	remedied.cleaned(t, []string{remedied.spaces[0] + "/some"}, nil)
}

// complete makes what an operator has besides its CSV, as if OLM had installed that: status, OperatorGroup, Deployment and
// rights, and a custom resource that the operator finishes.
func (s *scene) complete(t *testing.T) {
	t.Helper()
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.Object["status"] = s.csv(s.spaces[0]).Object["status"]
	}))
	must(t, olm.Create(t.Context(), shared.Any, synced(s.namespace, "group", s.spaces[0])))
	must(t, olm.CreateDeployment(t.Context(), shared.Any, s.see(t)))
	s.grant(t)
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
}

// R-000-76: while the policy is not bound, or bound to warn, anybody can opt in and write what the label held: of what was
// confirmed before that nobody knows any more who meant it.
func TestUnconfirmed_R_000_76_WhileThePolicyWasNotBound(t *testing.T) {
	at := shared.Any.Resource(policyBindings)
	acts := func(action string) error {
		_, err := at.Patch(t.Context(), olm.OptInPolicy, types.MergePatchType, []byte(`{"spec":{"validationActions":["`+action+`"]}}`), metav1.PatchOptions{})
		return err
	}
	for _, tc := range []struct {
		name        string
		unset, back func() error
	}{
		{"Away", func() error { return at.Delete(t.Context(), olm.OptInPolicy, background) }, binding(t, olm.OptInPolicy)},
		{"WarnsOnly", func() error { return acts("Warn") }, func() error { return acts("Deny") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proof, err := olm.OptInProof(t.Context(), shared.Any)
			must(t, err)
			s := newScene(t, 1)
			csv := s.csv(s.spaces[0])
			csv.SetLabels(map[string]string{olm.ManagedLabel: "true", olm.ConfirmedLabel: proof})
			must(t, tc.unset())
			made := s.as(t, olmAccount).Resource(olm.CSVs).Namespace(s.namespace)
			eventually(t, func() error {
				_, err := made.Create(t.Context(), csv, metav1.CreateOptions{})
				return err
			})
			must(t, tc.back())
			s.complete(t)
			s.says(t, "OptInUnconfirmed", "take it off and add it again")
			s.uninstall(t)
			s.gone(t)
			s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
			s.tells(t, "Warning", "CleanupRefused", "OptInUnconfirmed")
		})
	}
}

// R-000-77: with OLM's definition of them all CSVs are deleted, and no policy is asked about any. One that outlives its
// definition, since somebody took that one's finalizer away, is there again once OLM is installed anew.
func TestDefinitionOfCSVs_R_000_77_NothingIsDeletedWithIt(t *testing.T) {
	definitions := shared.Any.Resource(olm.Definitions)
	name := olm.CSVs.GroupResource().String()
	absent := func() error {
		_, err := definitions.Get(t.Context(), name, metav1.GetOptions{})
		if err == nil {
			err = errors.New("the definition is there")
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	root, err := cluster.Root()
	must(t, err)
	all, err := olm.CRDs(root)
	must(t, err)
	all = slices.DeleteFunc(all, func(definition *olm.Object) bool { return definition.GetName() != name })
	t.Run("Deleted", func(t *testing.T) {
		s := newScene(t, 1)
		s.install(t, s.spaces[0])
		s.operands(t, s.spaces[0], "some")
		s.operate(t, 0)
		must(t, definitions.Delete(t.Context(), name, background))
		eventually(t, absent)
		must(t, olm.CreateCRDs(t.Context(), shared.Any, all...))
		s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
		s.tells(t, "Warning", "CleanupRefused", "CSVDefinitionTerminating")
	})
	t.Run("MadeAnewByForce", func(t *testing.T) {
		s := newScene(t, 1)
		s.install(t, s.spaces[0])
		s.operands(t, s.spaces[0], "some")
		s.operate(t, 0)
		must(t, reconciling.Stop())
		must(t, definitions.Delete(t.Context(), name, background))
		eventually(t, func() error {
			if s.see(t).GetDeletionTimestamp() == nil {
				return errors.New("the CSV is not being deleted")
			}
			return nil
		})
		_, err := definitions.Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		must(t, err)
		eventually(t, absent)
		must(t, olm.CreateCRDs(t.Context(), shared.Any, all...))
		if s.see(t).GetDeletionTimestamp() == nil {
			t.Fatal("the CSV is another one")
		}
		must(t, startControllers(t.Context()))
		s.gone(t)
		s.cleaned(t, nil, []string{s.spaces[0] + "/some"})
		s.tells(t, "Warning", "CleanupRefused", "CSVDefinitionTerminating")
	})
}

// A process that is killed in the middle of a cleanup is followed by one that completes it; meanwhile nothing is let go of.
func TestKilled_R_000_33_TheNextOneCompletes(t *testing.T) {
	s := newScene(t, 2)
	s.install(t, s.spaces...)
	const count = 40
	var all []string
	for i := range count {
		name := fmt.Sprintf("widget-%02d", i)
		s.operands(t, s.spaces[i%2], name)
		all = append(all, s.spaces[i%2]+"/"+name)
	}
	s.uninstall(t)
	for _, moment := range []struct {
		name     string
		finished []string // by the operator; not all, so that it cannot be done before it is killed
		reached  func() error
	}{
		{"once it has recorded what it may delete", nil, func() error {
			if s.see(t).GetAnnotations()[recordAnnotation] == "" {
				return errors.New("nothing is recorded")
			}
			return nil
		}},
		{"once half of them are gone", s.spaces[:1], func() error {
			if there, _ := s.list(t); len(there) > count/2 {
				return fmt.Errorf("%d are there", len(there))
			}
			return nil
		}},
	} {
		s.operateIn(t, 20*time.Millisecond, glance, moment.finished...)
		eventually(t, moment.reached)
		reconciling.Kill()
		there, deleting := s.list(t)
		t.Logf("killed %s: %d are there, %d being deleted", moment.name, len(there), len(deleting))
		if s.see(t).GetDeletionTimestamp() == nil || s.held(t, true) != nil {
			t.Errorf("killed %s: %v", moment.name, s.held(t, true))
		}
		must(t, startControllers(t.Context()))
	}
	s.operateIn(t, 20*time.Millisecond, glance, s.spaces[1])
	s.gone(t)
	s.cleaned(t, all, nil)
}

// R-000-73: before Steward is uninstalled, everything that it holds can be let go of; opt-ins stay.
func TestReleaseAll_R_000_73_LetsGoOfWhatIsHeld(t *testing.T) {
	s := newScene(t, 1)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	must(t, reconciling.Stop())
	binary, err := cluster.Binary()
	must(t, err)
	out, err := exec.CommandContext(t.Context(), binary, "controllers", "--kubeconfig="+account, "--release-all").CombinedOutput()
	t.Logf("%s", out)
	must(t, err)
	must(t, s.held(t, false))
	s.untouched(t, s.spaces[0]+"/some")
	if csv := s.see(t); csv.GetDeletionTimestamp() != nil || len(csv.GetFinalizers()) != 2 {
		t.Errorf("the CSV: %v", csv.GetFinalizers())
	}
	// Not uninstalled after all.
	must(t, startControllers(t.Context()))
	eventually(t, func() error { return s.held(t, true) })
	s.operate(t, 0)
	s.uninstall(t)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}
