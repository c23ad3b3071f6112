package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

const (
	optInFinalizer      = "operatorframework.io/delete-custom-resources"
	legacyFinalizer     = "operatorframework.io/cleanup-apis"
	holdFinalizer       = "steward.operatorframework.io/hold-rights"
	foregroundFinalizer = "foregroundDeletion"
	optOutAnnotation    = "console.openshift.io/disable-operand-delete"

	marks = "steward.operatorframework.io/" // what the names of Steward's own annotations begin with

	optInPolicy      = "steward-cleanup-opt-in"
	foregroundPolicy = "steward-cleanup-foreground"
	uninstallPolicy  = "steward-cleanup-uninstall"
	copiedPolicy     = "steward-cleanup-copied-from"
	writesPolicy     = "steward-controllers-writes"
	deletesPolicy    = "steward-controllers-deletes"
	installsPolicy   = "steward-install-plans-writes"
	payloadPolicy    = "steward-payload-writes"
)

var (
	must       = check.Must
	eventually = check.Eventually
)

// Who writes here. Users are impersonated by the administrator: admission and RBAC see them as if they had come.
const (
	clusterAdmin = ""      // the administrator of the test cluster, of group system:masters
	wideUser     = "wilma" // ClusterRole cluster-admin, bound by name
	grantedUser  = "greta" // administers all namespaces, and may opt in and uninstall
	uninstaller  = "uwe"   // administers all namespaces, and may uninstall
	tenant       = "tom"   // administers all namespaces, and every ClusterServiceVersion in them
	editor       = "edna"  // edits all namespaces, as OLM has it: deletes ClusterServiceVersions, and cannot write them
	halfGranted  = "hugo"  // the same, and the right to opt in bound in namespaces only
	controllers  = "system:serviceaccount:steward-system:steward-controllers"
	apiServer    = "system:serviceaccount:steward-system:steward-apiserver"
	copier       = "system:serviceaccount:steward-system:steward-copied-csvs"   // would make copies instead of OLM
	installer    = "system:serviceaccount:steward-system:steward-install-plans" // executes InstallPlans
	payloads     = "system:serviceaccount:steward-system:steward-payload"       // applies a payload
	gitOps       = "system:serviceaccount:argocd:application-controller"        // cluster-admin
	olmAccount   = "system:serviceaccount:olm:olm-operator-serviceaccount"      // cluster-admin, as each of these:
	olmHelper    = "system:serviceaccount:openshift-operator-lifecycle-manager:collect-profiles"
	olmElsewhere = "system:serviceaccount:my-olm:olm-operator-serviceaccount"
	olmNarrow    = "system:serviceaccount:openshift-operator-lifecycle-manager:olm-operator-serviceaccount" // without Steward's rights

	// What the controller manager deletes as; without Steward's rights here.
	namespaceController = "system:serviceaccount:kube-system:namespace-controller"
	garbageCollector    = "system:serviceaccount:kube-system:generic-garbage-collector"
)

var (
	policies   = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	getOptions metav1.GetOptions
)

// createUsers gives everybody their rights.
func createUsers(ctx context.Context) error {
	everything, err := createRole(ctx, rbacv1.PolicyRule{
		APIGroups: []string{"operators.coreos.com"}, Resources: []string{"*"}, Verbs: []string{"*"},
	})
	if err != nil {
		return err
	}
	deletes, err := createRole(ctx, rbacv1.PolicyRule{
		APIGroups: []string{"operators.coreos.com"}, Resources: []string{"clusterserviceversions"},
		Verbs: []string{"get", "list", "watch", "delete", "deletecollection"},
	})
	if err != nil {
		return err
	}
	for _, binding := range []struct{ user, role string }{
		{wideUser, "cluster-admin"},
		{grantedUser, "admin"}, {grantedUser, everything},
		{grantedUser, "steward-cleanup-opt-in"}, {grantedUser, "steward-cleanup-uninstall"},
		{uninstaller, "admin"}, {uninstaller, everything}, {uninstaller, "steward-cleanup-uninstall"},
		{tenant, "admin"}, {tenant, everything},
		{editor, "edit"}, {editor, deletes},
		{halfGranted, "admin"}, {halfGranted, everything},
		{gitOps, "cluster-admin"},
		{olmAccount, "cluster-admin"}, {olmHelper, "cluster-admin"}, {olmElsewhere, "cluster-admin"},
		{copier, everything}, {olmNarrow, everything}, {namespaceController, everything}, {garbageCollector, everything},
	} {
		if err := bind(ctx, binding.user, binding.role); err != nil {
			return err
		}
	}
	return nil
}

// createRole makes a ClusterRole and returns its name; deleteRole takes it back, with every binding to it.
func createRole(ctx context.Context, rules ...rbacv1.PolicyRule) (string, error) {
	role, err := shared.Kube.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}, Rules: rules,
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return role.Name, nil
}

func deleteRole(ctx context.Context, name string) error {
	return errors.Join(
		shared.Kube.RbacV1().ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{}),
		shared.Kube.RbacV1().ClusterRoleBindings().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "e2e-role=" + name}))
}

// bind gives a user a role in the whole cluster.
func bind(ctx context.Context, user, role string) error {
	_, err := shared.Kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{"e2e-role": role}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}, metav1.CreateOptions{})
	return err
}

func configOf(user string) *rest.Config {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = user
	return config
}

// as is a client of a user.
func as(t *testing.T, user string) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(configOf(user))
	must(t, err)
	return client
}

// waitForPolicies waits until every policy has refused something: the API server takes up new ones after a moment.
func waitForPolicies(ctx context.Context) error {
	const namespace = "policies"
	if err := olm.Create(ctx, shared.Any, olm.Namespace(namespace), csv(namespace, "opted-in", optInFinalizer)); err != nil {
		return err
	}
	// The controllers have no right to delete namespaces, so nobody would ask the policy.
	role, err := createRole(ctx, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"delete"}})
	if err != nil {
		return err
	}
	defer deleteRole(ctx, role)
	if err := bind(ctx, controllers, role); err != nil {
		return err
	}
	dryRun := []string{metav1.DryRunAll}
	foreground := metav1.DeletePropagationForeground
	for _, attempt := range []struct {
		policy, user string
		do           func(dynamic.Interface) error
	}{
		{optInPolicy, olmAccount, func(client dynamic.Interface) error {
			_, err := client.Resource(olm.CSVs).Namespace(namespace).Create(ctx, csv(namespace, "another", optInFinalizer), metav1.CreateOptions{DryRun: dryRun})
			return err
		}},
		{foregroundPolicy, clusterAdmin, func(client dynamic.Interface) error {
			return client.Resource(olm.CSVs).Namespace(namespace).Delete(ctx, "opted-in", metav1.DeleteOptions{DryRun: dryRun, PropagationPolicy: &foreground})
		}},
		{uninstallPolicy, tenant, func(client dynamic.Interface) error {
			return client.Resource(olm.CSVs).Namespace(namespace).Delete(ctx, "opted-in", metav1.DeleteOptions{DryRun: dryRun})
		}},
		{copiedPolicy, clusterAdmin, func(client dynamic.Interface) error {
			_, err := client.Resource(olm.CSVs).Namespace(namespace).Patch(ctx, "opted-in", types.MergePatchType,
				[]byte(`{"metadata":{"labels":{"`+olm.CopiedFromLabel+`":"elsewhere"}}}`), metav1.PatchOptions{DryRun: dryRun})
			return err
		}},
		{writesPolicy, controllers, func(client dynamic.Interface) error {
			_, err := client.Resource(olm.ClusterRoles).Patch(ctx, role, types.MergePatchType, []byte(`{"metadata":{"labels":{"e2e":""}}}`), metav1.PatchOptions{DryRun: dryRun})
			return err
		}},
		{deletesPolicy, controllers, func(client dynamic.Interface) error {
			return client.Resource(olm.Namespaces).Delete(ctx, namespace, metav1.DeleteOptions{DryRun: dryRun})
		}},
	} {
		client, err := dynamic.NewForConfig(configOf(attempt.user))
		if err != nil {
			return err
		}
		if err := check.Poll(func() error { return refusal(attempt.policy, attempt.do(client)) }); err != nil {
			return err
		}
	}
	return nil
}

// refusal is nil if the error is a policy's refusal, and else says what it is.
func refusal(policy string, err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("%s lets it through", policy)
	case !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'"):
		return fmt.Errorf("want a refusal by %s, got: %w", policy, err)
	}
	return nil
}

// space makes a namespace for one case and returns its name. At the end it goes with all its ClusterServiceVersions.
func space(t *testing.T) string {
	t.Helper()
	name := "case-" + rand.String(6)
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	t.Cleanup(func() {
		ctx := context.Background()
		csvs := shared.Any.Resource(olm.CSVs).Namespace(name)
		if err := shared.Any.Resource(olm.Namespaces).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
		list, err := csvs.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		for _, each := range list.Items {
			_, err := csvs.Patch(ctx, each.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				t.Error(err)
			}
		}
	})
	return name
}

// csv is a ClusterServiceVersion that supports cleanup and owns widgets.example.com, with finalizers.
func csv(namespace, name string, finalizers ...string) *olm.Object {
	object := olm.CSV(name, olm.OperatorGroup(namespace, "own", namespace), namespace)
	spec := object.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	spec["customresourcedefinitions"] = map[string]any{"owned": []any{owned("widgets.example.com")}}
	object.SetFinalizers(finalizers)
	return object
}

func owned(name string) map[string]any {
	return map[string]any{"name": name, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "A widget"}
}

// create writes objects as the administrator.
func create(t *testing.T, objects ...*olm.Object) {
	t.Helper()
	must(t, olm.Create(t.Context(), shared.Any, objects...))
}
