package cleanup_test

import (
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/olm"
)

// Who writes here beside the administrator. What each may write is tried for all in e2e/deploy; here it is tried what comes
// of it.
const (
	olmAccount = "system:serviceaccount:olm:olm-operator-serviceaccount" // may do everything: a bundle's word is written by it
	gitOps     = "system:serviceaccount:argocd:application-controller"   // may do everything
	tenant     = "tenant"                                                // writes and deletes ClusterServiceVersions of the operator's namespace
	editor     = "editor"                                                // deletes them, as OLM has it for whoever edits the namespace
)

// as is a client of one of them, who has the rights by then.
func (s *scene) as(t *testing.T, user string) dynamic.Interface {
	t.Helper()
	name := user
	if user == olmAccount || user == gitOps {
		s.mayAll(t, user)
	} else {
		name += "-of-" + s.namespace
		s.mayHere(t, user, name)
	}
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = name
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	eventually(t, func() error {
		err := client.Resource(olm.CSVs).Namespace(s.namespace).Delete(t.Context(), "nobody", metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s deletes nobody: %v", name, err)
	})
	return client
}

func (s *scene) mayAll(t *testing.T, user string) {
	t.Helper()
	_, err := shared.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "all-" + strings.ReplaceAll(user, ":", "-")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
}

func (s *scene) mayHere(t *testing.T, user, name string) {
	t.Helper()
	verbs := []string{"*"}
	if user == editor {
		verbs = []string{"get", "list", "watch", "delete", "deletecollection"}
	}
	_, err := shared.Kube.RbacV1().Roles(s.namespace).Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{olm.CSVs.Group}, Resources: []string{olm.CSVs.Resource}, Verbs: verbs},
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}},
		},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
	_, err = shared.Kube.RbacV1().RoleBindings(s.namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
}

// refusedBy is nil if the error is this policy's refusal, and else says what it is.
func refusedBy(policy string, err error) error {
	if err == nil {
		return fmt.Errorf("%s lets it through", policy)
	}
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'") {
		return fmt.Errorf("want a refusal by %s, got: %w", policy, err)
	}
	return nil
}
