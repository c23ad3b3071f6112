package cleanup_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

// cleanable gives the controllers the right to clean up custom resources of one API group, as deploy/README.md tells
// administrators to.
func cleanable(t *testing.T, group string) {
	t.Helper()
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{
			"apiGroups": []any{group}, "resources": []any{"*"}, "verbs": []any{"list", "watch", "delete"},
		}},
	}}
	role.SetName("cleanup-" + group)
	role.SetLabels(map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"})
	_, err := shared.Any.Resource(olm.ClusterRoles).Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	eventually(t, func() error { return mayDelete(t.Context(), group, true) })
}

// mayDelete is an error unless the controllers may delete resources of a group, or may not, as wanted.
func mayDelete(ctx context.Context, group string, want bool) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               controllersUser,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: "any", Verb: "delete"},
	}}
	answer, err := shared.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if answer.Status.Allowed != want {
		return fmt.Errorf("deleting resources of %s is allowed: %v", group, answer.Status.Allowed)
	}
	return nil
}

// Without a right to its custom resources an operator waits; where the administrator has chosen the broad overlay, no API
// group has to be named.
func TestRights_AllAPIs(t *testing.T) {
	s := newScene(t, 1)
	uncleanable(t, s.group)
	s.install(t, s.spaces[0])
	s.operands(t, s.spaces[0], "a", "b")
	s.operate(t, 0)
	s.uninstall(t)
	s.says(t, "CleanupUnknown", "forbidden")
	s.untouched(t, s.spaces[0]+"/a", s.spaces[0]+"/b")
	must(t, shared.ApplyManifests(t.Context(), filepath.Join("overlays", "cleanup-all-apis")))
	t.Cleanup(func() { remove(t, "steward-cleanup-all-apis", "any.example.com") })
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/a", s.spaces[0] + "/b"}, nil)
}

// uncleanable takes that right away.
func uncleanable(t *testing.T, group string) {
	t.Helper()
	remove(t, "cleanup-"+group, group)
}

// remove deletes a ClusterRole, and waits until the controllers may no longer delete what it was for.
func remove(t *testing.T, role, group string) {
	t.Helper()
	ctx := context.Background()
	must(t, shared.Any.Resource(olm.ClusterRoles).Delete(ctx, role, metav1.DeleteOptions{}))
	eventually(t, func() error { return mayDelete(ctx, group, false) })
}

// A sweep that cannot hold one operator's rights, whatever refuses that, holds all others', says that it failed, and holds
// these too once it may. (A real policy refuses it here.)
func TestRights_ASweepThatFailsInPart(t *testing.T) {
	t.Parallel()
	stuck, other := newScene(t, 1), newScene(t, 1)
	for _, s := range []*scene{stuck, other} {
		s.install(t, s.spaces[0])
		s.operands(t, s.spaces[0], "some")
		s.operate(t, 0)
	}
	lose := func(s *scene) error {
		return olm.Mutate(t.Context(), shared.Any, olm.ClusterRoles, "", s.namespace, func(role *olm.Object) { role.SetFinalizers(nil) })
	}
	stuck.deny(t, "rbac.authorization.k8s.io", "clusterroles", "UPDATE", fmt.Sprintf(
		"object.metadata.name != %q || !(%q in object.metadata.?finalizers.orValue([]))", stuck.namespace, holdFinalizer), "not here")
	// Until the policy works.
	eventually(t, func() error {
		err := olm.Mutate(t.Context(), shared.Any, olm.ClusterRoles, "", stuck.namespace, func(role *olm.Object) {
			role.SetFinalizers([]string{holdFinalizer})
			role.SetAnnotations(map[string]string{"attempt": rand.String(6)})
		})
		if err == nil || !strings.Contains(err.Error(), "not here") {
			return fmt.Errorf("it is not refused: %v", err)
		}
		return nil
	})
	failing := func(want float64) {
		t.Helper()
		eventually(t, func() error {
			value, err := reconciling.Metric(t.Context(), "steward_cleanup_sweep_failing")
			if err == nil && value != want {
				err = fmt.Errorf("it is %v", value)
			}
			return err
		})
	}
	must(t, lose(stuck))
	must(t, lose(other))
	failing(1)
	eventually(t, func() error { return other.held(t, true) })
	if stuck.held(t, true) == nil {
		t.Error("they are held although it was refused")
	}
	must(t, shared.Any.Resource(policyBindings).Delete(t.Context(), stuck.group, background))
	eventually(t, func() error { return stuck.held(t, true) })
	failing(0)
	for _, s := range []*scene{stuck, other} {
		s.uninstall(t)
		s.gone(t)
		s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
	}
}
