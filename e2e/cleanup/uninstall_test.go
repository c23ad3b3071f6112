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

	"steward.dev/e2e/olm"
)

// R-000-51, R-000-40, R-000-41, R-000-43, R-000-72: without both words, the author's and the administrator's, nothing is
// deleted, nobody waits, and nobody adds the missing one.
func TestPreserved(t *testing.T) {
	t.Parallel()
	spec := func(csv *olm.Object) map[string]any { return csv.Object["spec"].(map[string]any) }
	for _, tc := range []struct {
		name    string
		change  func(*olm.Object)
		optedIn bool // the finalizer is there until the CSV is deleted
	}{
		{"R_000_51_Unspecified", func(csv *olm.Object) { delete(spec(csv), "cleanup") }, true},
		{"R_000_51_False", func(csv *olm.Object) { spec(csv)["cleanup"] = map[string]any{"enabled": false} }, true},
		{"R_000_43_NotOptedIn", func(csv *olm.Object) { csv.SetFinalizers([]string{olm.Finalizer}) }, false},
		{"R_001_33_OptedInByTheOldName", func(csv *olm.Object) {
			csv.SetFinalizers([]string{olm.Finalizer, "operatorframework.io/cleanup-apis"})
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			csv := s.csv(s.spaces[0])
			tc.change(csv)
			must(t, olm.Create(t.Context(), shared.Any, synced(s.namespace, "group", s.spaces[0]), csv))
			s.grant(t)
			s.operands(t, s.spaces[0], "a", "b")
			settled(t)
			if slices.Contains(s.see(t).GetFinalizers(), optInFinalizer) != tc.optedIn {
				t.Errorf("finalizers %q", s.see(t).GetFinalizers())
			}
			must(t, s.held(t, false))
			s.uninstall(t)
			s.gone(t)
			s.cleaned(t, nil, []string{s.spaces[0] + "/a", s.spaces[0] + "/b"})
			for _, one := range writes(t, "operators.coreos.com", "clusterserviceversions") {
				if one.ObjectRef.Namespace == s.namespace && slices.Contains(one.RequestObject.Metadata.Finalizers, optInFinalizer) {
					t.Errorf("the controllers opted in: %+v", one)
				}
			}
		})
	}
}

// settled waits until the controllers have acted on an operator that came later than all that was written before.
func settled(t *testing.T) {
	t.Helper()
	s := newScene(t, 0)
	s.install(t)
	s.uninstall(t)
	s.gone(t)
}

// R-000-52, R-000-53, R-000-39, R-000-30, R-000-73: with both words, all custom resources go before the operator does,
// finished by it, and the status tells how far that is.
func TestRemoved_R_000_52_53_BeforeTheOperator(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		pace time.Duration
	}{
		{"AtOnce", 0},
		{"Slowly", 300 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 2)
			s.install(t, s.spaces...)
			// As OLM does once it has made the rights.
			must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
				csv.Object["status"].(map[string]any)["message"] = "all is well"
			}))
			s.says(t, "RightsHeld", "")
			s.operands(t, s.spaces[0], "a", "b")
			s.operands(t, s.spaces[1], "a")
			out, err := shared.Kubectl(t.Context(), "delete", "csv", csvName, "-n", s.namespace, "--wait=false")
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			// Nobody finishes anything yet.
			csv := s.says(t, "WaitingOnCleanup", "waiting for operator to finish cleanup for 3 CRs")
			s.pendingIs(t, csv, s.spaces[0]+"/a", s.spaces[0]+"/b", s.spaces[1]+"/a")
			if phase := conditions(csv)["WaitingOnCleanup"]["phase"]; phase != "Deleting" || phaseOf(csv) != "Succeeded" {
				t.Errorf("phase of the condition %v, of the CSV %v", phase, phaseOf(csv))
			}
			// OLM has asked for the rights' deletion by now.
			eventually(t, func() error {
				role, err := shared.Any.Resource(olm.ClusterRoles).Get(t.Context(), s.namespace, metav1.GetOptions{})
				if err == nil && role.GetDeletionTimestamp() == nil {
					err = fmt.Errorf("the role is not being deleted")
				}
				return err
			})
			o := s.operate(t, tc.pace)
			s.gone(t)
			if failed := o.failures(); len(failed) > 0 {
				t.Errorf("the operator could not: %v", failed)
			}
			s.cleaned(t, []string{s.spaces[0] + "/a", s.spaces[0] + "/b", s.spaces[1] + "/a"}, nil)
			s.tells(t, "Normal", "CleanupStarted", "")
			s.tells(t, "Normal", "CleanupCompleted", "")
			s.swept(t)
		})
	}
}

// swept waits until what belonged to the operator is gone: its rights by OLM, its Deployment by the garbage collector.
func (s *scene) swept(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if err := s.held(t, false); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the rights: %v", err)
		}
		_, err := shared.Any.Resource(olm.Deployments).Namespace(s.namespace).Get(t.Context(), olm.OperatorDeployment, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Deployment: %v", err)
		}
		return nil
	})
}

// pendingIs checks status.cleanup.pendingDeletion of a CSV.
func (s *scene) pendingIs(t *testing.T, csv *olm.Object, want ...string) {
	t.Helper()
	var got []string
	list, _, _ := unstructured.NestedSlice(csv.Object, "status", "cleanup", "pendingDeletion")
	for _, each := range list {
		entry := each.(map[string]any)
		if entry["group"] != s.group || entry["kind"] != "Widget" {
			t.Errorf("pending: %v", entry)
		}
		for _, instance := range entry["instances"].([]any) {
			fields := instance.(map[string]any)
			got = append(got, fmt.Sprintf("%v/%v", fields["namespace"], fields["name"]))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pending: %q, want %q", got, want)
	}
}

// R-000-55, R-000-56, R-000-57, R-000-62, R-000-68, R-000-69: custom resources go where the OperatorGroup's spec says, and
// nowhere else.
func TestTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		group   func(*scene) *olm.Object
		targets func(*scene) []string // as OLM annotates them
		// What is deleted, of a widget in each space (0, 1, 2), one in the operator's namespace (3) and a gadget (4).
		want []int
	}{
		{
			name:  "R_000_55_68_AllNamespaces",
			group: func(s *scene) *olm.Object { return synced(s.namespace, "group") },
			want:  []int{0, 1, 2, 3, 4},
		},
		{
			name:    "R_000_56_68_SingleNamespace",
			group:   func(s *scene) *olm.Object { return synced(s.namespace, "group", s.spaces[1]) },
			targets: func(s *scene) []string { return s.spaces[1:2] },
			want:    []int{1},
		},
		{
			name:    "R_000_56_OwnNamespace",
			group:   func(s *scene) *olm.Object { return synced(s.namespace, "group", s.namespace) },
			targets: func(s *scene) []string { return []string{s.namespace} },
			want:    []int{3},
		},
		{
			name:    "R_000_57_MultiNamespace",
			group:   func(s *scene) *olm.Object { return synced(s.namespace, "group", s.spaces[0], s.spaces[2]) },
			targets: func(s *scene) []string { return []string{s.spaces[0], s.spaces[2]} },
			want:    []int{0, 2},
		},
		{
			name: "R_000_69_Selector",
			group: func(s *scene) *olm.Object {
				id := s.group[:6]
				return olm.Synced(olm.SelectorGroup(s.namespace, "group", "e2e", id), s.spaces...)
			},
			targets: func(s *scene) []string { return s.spaces },
			want:    []int{0, 1, 2},
		},
		{
			name:    "R_000_62_TheAnnotationSaysMore",
			group:   func(s *scene) *olm.Object { return synced(s.namespace, "group", s.spaces[0]) },
			targets: func(s *scene) []string { return nil },
			want:    []int{0},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 3, "Gadget")
			var targets []string
			if tc.targets != nil {
				targets = tc.targets(s)
			}
			s.installWith(t, tc.group(s), s.csv(targets...))
			var all []string
			for _, namespace := range append(slices.Clone(s.spaces), s.namespace) {
				s.operands(t, namespace, "some")
				all = append(all, namespace+"/some")
			}
			s.operand(t, s.gadgets(), "Gadget", "", "some")
			all = append(all, "some")
			var want, kept []string
			for i, name := range all {
				if slices.Contains(tc.want, i) {
					want = append(want, name)
				} else {
					kept = append(kept, name)
				}
			}
			s.operate(t, 0)
			s.uninstall(t)
			s.gone(t)
			s.cleaned(t, want, kept)
		})
	}
}

// R-000-28, R-000-29: custom resources of required definitions are never touched, and no definition is.
func TestRemoved_R_000_28_NothingRequired(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1, "Gadget")
	csv := s.csv()
	csv.Object["spec"].(map[string]any)["customresourcedefinitions"] = map[string]any{
		"owned": []any{s.described("Widget")}, "required": []any{s.described("Gadget")},
	}
	s.installWith(t, synced(s.namespace, "group"), csv)
	s.operands(t, s.spaces[0], "some")
	s.operand(t, s.gadgets(), "Gadget", "", "some")
	s.operate(t, 0)
	s.uninstall(t)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, []string{"some"})
	for _, name := range []string{"widgets.", "gadgets."} {
		definition, err := shared.Any.Resource(olm.Definitions).Get(t.Context(), name+s.group, metav1.GetOptions{})
		must(t, err)
		if definition.GetDeletionTimestamp() != nil {
			t.Errorf("%s is being deleted", definition.GetName())
		}
	}
}

// R-000-62: targets only ever shrink. What an OperatorGroup or the record gains while a cleanup runs is not cleaned up.
func TestTargets_R_000_62_OnlyShrink(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operands(t, s.spaces[1], "other")
	s.uninstall(t)
	s.recorded(t)
	widen := func(group *olm.Object) {
		group.Object["spec"] = map[string]any{"targetNamespaces": []any{s.spaces[0], s.spaces[1]}}
		olm.Synced(group, s.spaces...)
	}
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OperatorGroups, s.namespace, "group", widen))
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.OperatorGroups, s.namespace, "group", widen))
	record := s.see(t).GetAnnotations()[recordAnnotation]
	wider := strings.Replace(record, `["`+s.spaces[0]+`"]`, `["`+s.spaces[0]+`","`+s.spaces[1]+`"]`, 1)
	if wider == record {
		t.Fatalf("the record is %s", record)
	}
	s.patch(t, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, recordAnnotation, wider))
	s.operate(t, 0)
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, []string{s.spaces[1] + "/other"})
}

// R-000-70: what a definition is decides how its custom resources are listed, and whether there can be any.
func TestDefinitions_R_000_70(t *testing.T) {
	t.Parallel()
	const name = "widgets."
	definition := func(t *testing.T, s *scene, change func(spec map[string]any)) {
		t.Helper()
		must(t, olm.Mutate(t.Context(), shared.Any, olm.Definitions, "", name+s.group, func(definition *olm.Object) {
			change(definition.Object["spec"].(map[string]any))
		}))
	}
	for _, tc := range []struct {
		name    string
		prepare func(*testing.T, *scene)
		sent    bool
	}{
		{"Gone", func(t *testing.T, s *scene) {
			must(t, shared.Any.Resource(olm.Definitions).Delete(t.Context(), name+s.group, background))
		}, false},
		{"DeadConversionWebhook", func(t *testing.T, s *scene) {
			s.operands(t, s.spaces[0], "some")
			definition(t, s, func(spec map[string]any) {
				versions := spec["versions"].([]any)
				second := map[string]any{"name": "v2", "served": true, "storage": false, "schema": versions[0].(map[string]any)["schema"]}
				spec["versions"] = append(versions, second)
				spec["conversion"] = map[string]any{"strategy": "Webhook", "webhook": map[string]any{
					"clientConfig": map[string]any{"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": []any{"v1"},
				}}
			})
			second := s.widgets()
			second.Version = "v2"
			eventually(t, func() error {
				_, err := shared.Any.Resource(second).List(t.Context(), metav1.ListOptions{})
				if err == nil || apierrors.IsNotFound(err) {
					return fmt.Errorf("listing by v2: %v", err)
				}
				return nil
			})
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, 1)
			s.install(t, s.spaces[0])
			tc.prepare(t, s)
			s.operate(t, 0)
			s.uninstall(t)
			s.gone(t)
			var want []string
			if tc.sent {
				want = []string{s.spaces[0] + "/some"}
				s.untouched(t)
			}
			if sent := s.sent(t); !slices.Equal(sent, want) {
				t.Errorf("deletions sent: %q, want %q", sent, want)
			}
		})
	}
}

// R-000-70: a definition that is deleted midway takes its custom resources along; the operator has to finish those, too.
func TestDefinitions_R_000_70_DeletedMidway(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "some")
	s.operands(t, s.spaces[1], "elsewhere")
	s.uninstall(t)
	s.says(t, "WaitingOnCleanup", "for 1 CR")
	s.deleting(t, 1) // what it waits for is said before it is deleted
	must(t, shared.Any.Resource(olm.Definitions).Delete(t.Context(), "widgets."+s.group, background))
	s.deleting(t, 2)
	if !slices.Contains(s.see(t).GetFinalizers(), optInFinalizer) {
		t.Error("it did not wait")
	}
	must(t, s.held(t, true))
	s.operate(t, 0)
	s.gone(t)
	_, err := shared.Any.Resource(olm.Definitions).Get(t.Context(), "widgets."+s.group, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the CSV went before its definition: %v", err)
	}
	if want := []string{s.spaces[0] + "/some"}; !slices.Equal(s.sent(t), want) {
		t.Errorf("deletions sent: %q", s.sent(t))
	}
}

// R-000-73: an administrator who revokes an operator's rights while it is installed is not held up.
func TestHeld_R_000_73_RevokedByAnAdministrator(t *testing.T) {
	t.Parallel()
	s := newScene(t, 0)
	s.install(t)
	for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
		must(t, shared.Any.Resource(resource).Delete(t.Context(), s.namespace, background))
	}
	eventually(t, func() error {
		for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
			_, err := shared.Any.Resource(resource).Get(t.Context(), s.namespace, metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s is still there: %v", resource.Resource, err)
			}
		}
		return nil
	})
	// No longer opted in, and so no longer held.
	s.grant(t)
	eventually(t, func() error { return s.held(t, true) })
	s.patch(t, `{"metadata":{"finalizers":["`+olm.Finalizer+`"]}}`)
	eventually(t, func() error { return s.held(t, false) })
}
