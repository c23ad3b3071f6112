package cleanup_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
