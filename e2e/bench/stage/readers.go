package stage

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// AllowViews lets a group read virtual objects, by RBAC: who is of it is asked about as most users are.
func (c *Cluster) AllowViews(ctx context.Context, group string) error {
	role := &olm.Object{Object: map[string]any{
		"apiVersion": rbacVersion, "kind": "ClusterRole",
		"rules": []any{rule([]any{"views.operators.coreos.com"}, []any{"installedoperators"}, "get", "list", "watch")},
	}}
	role.SetName(group)
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": rbacVersion, "kind": "ClusterRoleBinding",
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": group},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}},
	}}
	binding.SetName(group)
	_, err := c.Any.Resource(olm.ClusterRoles).Create(ctx, role, metav1.CreateOptions{})
	if err == nil || apierrors.IsAlreadyExists(err) {
		_, err = c.Any.Resource(olm.ClusterRoleBindings).Create(ctx, binding, metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
