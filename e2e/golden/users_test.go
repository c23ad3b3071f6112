package golden_test

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kinds are those of OLM's API that users have to do with.
var kinds = []string{"clusterserviceversions", "subscriptions", "installplans", "operatorgroups", "catalogsources"}

// aggregate makes a role whose rules become part of Kubernetes' own roles, as OLM's installation and its definitions' owners do.
func aggregate(t *testing.T, name, group string, resources, verbs []string, to ...string) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: resources, Verbs: verbs}},
	}
	for _, each := range to {
		role.Labels["rbac.authorization.k8s.io/aggregate-to-"+each] = "true"
	}
	_, err := shared.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
}

func subject(user string) []rbacv1.Subject {
	return []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: user}}
}

func clusterRole(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: name}
}

// bind gives a user a role in a namespace.
func bind(t *testing.T, user, role, namespace string) {
	t.Helper()
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user + "-" + role}, RoleRef: clusterRole(role), Subjects: subject(user)}
	_, err := shared.Kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
}

// users are kubeconfigs: of who may do everything, but for no group that nobody may impersonate; of who edits in the
// operator's namespaces, and may ask there what would happen; of who views one in which it works.
func users(t *testing.T) map[string]string {
	t.Helper()
	look := []string{"get", "list", "watch"}
	aggregate(t, "aggregate-olm-view", "operators.coreos.com", kinds, look, "view", "edit", "admin")
	aggregate(t, "aggregate-olm-edit", "operators.coreos.com", kinds, []string{"create", "update", "patch", "delete"}, "edit", "admin")
	aggregate(t, "golden-edit", apiGroup, []string{"*"}, append(look, "create", "delete"), "edit", "admin")
	kubeconfigs := map[string]string{}
	for _, role := range []string{"administrator", "editor", "tenant"} {
		kubeconfig, err := shared.User(role + "-of-golden")
		must(t, err)
		kubeconfigs[role] = kubeconfig
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "administrator-of-golden"}, RoleRef: clusterRole("cluster-admin"), Subjects: subject("administrator-of-golden"),
	}
	_, err := shared.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
	for _, each := range append([]string{namespace}, spaces...) {
		bind(t, "editor-of-golden", "edit", each)
	}
	bind(t, "editor-of-golden", "steward-plan-previews", namespace)
	bind(t, "editor-of-golden", "steward-cleanup-inspect", namespace)
	bind(t, "tenant-of-golden", "view", "a-golden")
	for _, right := range [][]string{
		{"tenant", "list", "installedoperators.views.operators.coreos.com", "a-golden"}, {"tenant", "list", "subscriptions.operators.coreos.com", "a-golden"},
		{"editor", "list", "installedoperators.views.operators.coreos.com", namespace}, {"editor", "patch", "subscriptions.operators.coreos.com", "a-golden"},
		{"editor", "get", "installplans.operators.coreos.com", namespace}, {"editor", "delete", "widgets." + apiGroup, "b-golden"},
		{"editor", "create", "planpreviews.views.operators.coreos.com", namespace}, {"editor", "create", "configmaps", namespace},
		{"administrator", "create", "planpreviews.views.operators.coreos.com", "default"},
	} {
		eventually(t, func() error {
			_, err := shared.KubectlAs(t.Context(), kubeconfigs[right[0]], "auth", "can-i", right[1], right[2], "-n", right[3])
			return err
		})
	}
	return kubeconfigs
}
