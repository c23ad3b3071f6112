package deploy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const clusterRoleLabel = "steward.operators.coreos.com/aggregate-to-cleanup"

// right is one thing that somebody may do.
type right = authorizationv1.ResourceAttributes

func verb(verb, group, resource, namespace string) right {
	resource, subresource, _ := strings.Cut(resource, "/")
	return right{Verb: verb, Group: group, Resource: resource, Subresource: subresource, Namespace: namespace}
}

func may(ctx context.Context, user string, wanted right) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &wanted}}
	if parts := strings.Split(user, ":"); len(parts) == 4 {
		review.Spec.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[2]}
	}
	review.Spec.Groups = append(review.Spec.Groups, "system:authenticated")
	answer, err := shared.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

func allowed(t *testing.T, user string, wanted right) bool {
	t.Helper()
	is, err := may(t.Context(), user, wanted)
	must(t, err)
	return is
}

// hasRight waits until a user's right to opt in has come through.
func hasRight(t *testing.T, user string) { waitFor(t, user, "cleanupstatuses/optin") }

// mayUninstall waits until a user's right to uninstall what is opted in has come through.
func mayUninstall(t *testing.T, user string) { waitFor(t, user, "cleanupstatuses/uninstall") }

func waitFor(t *testing.T, user, resource string) {
	t.Helper()
	eventually(t, func() error {
		if !allowed(t, user, verb("create", "views.operators.coreos.com", resource, "")) {
			return fmt.Errorf("%s may not create %s", user, resource)
		}
		return nil
	})
}

// groupsFor lets the controllers clean up all resources of an API group until the test ends, as deploy/README.md says.
func groupsFor(t *testing.T, groups ...string) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{clusterRoleLabel: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"list", "watch", "delete"}}},
	}
	role, err := shared.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	added := func(want bool) func() error {
		return func() error {
			is, err := may(context.Background(), controllers, verb("delete", groups[0], "anything", "somewhere"))
			if err == nil && is != want {
				err = fmt.Errorf("the right to delete in %s: %v", groups[0], is)
			}
			return err
		}
	}
	t.Cleanup(func() {
		must(t, shared.Kube.RbacV1().ClusterRoles().Delete(context.Background(), role.Name, metav1.DeleteOptions{}))
		eventually(t, added(false))
	})
	eventually(t, added(true))
}

// rightsIn is all that a user's roles grant in a namespace, as "verb group/resource" or "verb group/resource/name", without
// what everybody may do who has an account.
func rightsIn(t *testing.T, user, namespace string) map[string]bool {
	t.Helper()
	rights := grantedIn(t, user, namespace)
	for right := range grantedIn(t, "system:serviceaccount:nowhere:nobody", namespace) {
		delete(rights, right)
	}
	return rights
}

func grantedIn(t *testing.T, user, namespace string) map[string]bool {
	t.Helper()
	client, err := kubernetes.NewForConfig(configOf(user))
	must(t, err)
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}
	review, err = client.AuthorizationV1().SelfSubjectRulesReviews().Create(t.Context(), review, metav1.CreateOptions{})
	must(t, err)
	if review.Status.Incomplete {
		t.Fatalf("the cluster does not know all rights of %s: %s", user, review.Status.EvaluationError)
	}
	rights := map[string]bool{}
	for _, rule := range review.Status.ResourceRules {
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					right := verb + " " + group + "/" + resource
					if len(rule.ResourceNames) == 0 {
						rights[right] = true
					}
					for _, name := range rule.ResourceNames {
						rights[right+"/"+name] = true
					}
				}
			}
		}
	}
	for _, rule := range review.Status.NonResourceRules {
		for _, verb := range rule.Verbs {
			for _, path := range rule.NonResourceURLs {
				rights[verb+" "+path] = true
			}
		}
	}
	return rights
}

// set is every verb on every resource.
func set(verbs, resources string) map[string]bool {
	rights := map[string]bool{}
	for _, resource := range strings.Fields(resources) {
		for _, verb := range strings.Fields(verbs) {
			rights[verb+" "+resource] = true
		}
	}
	return rights
}

// getsNamed is the right to get objects of these names.
func getsNamed(resource string, names ...string) map[string]bool {
	rights := map[string]bool{}
	for _, name := range names {
		rights["get "+resource+"/"+name] = true
	}
	return rights
}

func union(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, each := range sets {
		maps.Copy(all, each)
	}
	return all
}

func without(a, b map[string]bool) (left []string) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if !b[key] {
			left = append(left, key)
		}
	}
	return left
}

// What the controllers may do by deploy/base, in every namespace and in the whole cluster, and in their own.
var (
	baseRights = union(
		set("get list watch patch", "operators.coreos.com/clusterserviceversions"),
		set("patch", "operators.coreos.com/clusterserviceversions/status"),
		set("list watch", "operators.coreos.com/operatorgroups"),
		set("get", "operators.coreos.com/operatorconditions"),
		set("get list watch", "/namespaces"),
		set("get", "apiextensions.k8s.io/customresourcedefinitions apiregistration.k8s.io/apiservices apps/deployments"),
		set("list", "apiextensions.k8s.io/customresourcedefinitions/clusterserviceversions.operators.coreos.com"),
		getsNamed("admissionregistration.k8s.io/validatingadmissionpolicies", optInPolicy, uninstallPolicy, copiedPolicy, foregroundPolicy,
			writesPolicy, deletesPolicy),
		getsNamed("admissionregistration.k8s.io/validatingadmissionpolicybindings", optInPolicy, uninstallPolicy, copiedPolicy,
			foregroundPolicy, writesPolicy, deletesPolicy),
		set("list", "admissionregistration.k8s.io/validatingadmissionpolicybindings"),
		set("list watch patch", `
			rbac.authorization.k8s.io/clusterroles rbac.authorization.k8s.io/clusterrolebindings
			admissionregistration.k8s.io/mutatingwebhookconfigurations admissionregistration.k8s.io/validatingwebhookconfigurations`),
		set("create", "authorization.k8s.io/subjectaccessreviews authentication.k8s.io/tokenreviews"),
		set("create patch", "/events"),
	)
	ownRights = union(
		set("create", "coordination.k8s.io/leases"),
		set("get update", "coordination.k8s.io/leases/steward-controllers"),
	)
)

// hasExactly waits until the controllers have these rights and no others: what another case had granted may still be in
// the authorizer's cache.
func hasExactly(t *testing.T, namespace string, want map[string]bool) {
	t.Helper()
	eventually(t, func() error {
		got := rightsIn(t, controllers, namespace)
		if maps.Equal(got, want) {
			return nil
		}
		return fmt.Errorf("in %s: more: %q; missing: %q", namespace, without(got, want), without(want, got))
	})
}

// The controllers may do what is listed above, and nothing else.
func TestRights_BaseIsExactlyThis(t *testing.T) {
	hasExactly(t, "steward-system", union(baseRights, ownRights))
	for _, namespace := range []string{"somewhere", "default", "kube-system", "olm"} {
		hasExactly(t, namespace, baseRights)
	}
}

// What would be dangerous, asked for one by one, in the whole cluster and in namespaces.
func TestRights_NothingDangerous(t *testing.T) {
	hasExactly(t, "somewhere", baseRights) // what other cases had granted is gone
	for _, wanted := range []right{
		{Verb: "escalate", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
		{Verb: "escalate", Group: "rbac.authorization.k8s.io", Resource: "roles"},
		{Verb: "bind", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
		{Verb: "create", Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"},
		{Verb: "update", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
		{Verb: "delete", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
		{Verb: "patch", Group: "rbac.authorization.k8s.io", Resource: "roles"},
		{Verb: "impersonate", Resource: "users"},
		{Verb: "impersonate", Resource: "groups"},
		{Verb: "impersonate", Resource: "serviceaccounts"},
		{Verb: "create", Resource: "serviceaccounts", Subresource: "token"},
		{Verb: "get", Resource: "secrets"},
		{Verb: "list", Resource: "secrets"},
		{Verb: "watch", Resource: "secrets"},
		{Verb: "create", Resource: "pods"},
		{Verb: "create", Resource: "pods", Subresource: "exec"},
		{Verb: "get", Resource: "configmaps"},
		{Verb: "delete", Resource: "namespaces"},
		{Verb: "delete", Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		{Verb: "patch", Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		{Verb: "delete", Group: "apps", Resource: "deployments"},
		{Verb: "patch", Group: "apps", Resource: "deployments"},
		{Verb: "delete", Group: "operators.coreos.com", Resource: "clusterserviceversions"},
		{Verb: "create", Group: "operators.coreos.com", Resource: "clusterserviceversions"},
		{Verb: "patch", Group: "operators.coreos.com", Resource: "operatorgroups"},
		{Verb: "patch", Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies", Name: optInPolicy},
		{Verb: "delete", Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"},
		{Verb: "create", Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"},
		{Verb: "delete", Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"},
		{Verb: "create", Group: "certificates.k8s.io", Resource: "certificatesigningrequests"},
		{Verb: "create", Group: "views.operators.coreos.com", Resource: "cleanupstatuses", Subresource: "optin"},
		{Verb: "create", Group: "views.operators.coreos.com", Resource: "cleanupstatuses", Subresource: "uninstall"},
		{Verb: "delete", Group: "example.com", Resource: "widgets"},
		{Verb: "*", Group: "*", Resource: "*"},
	} {
		for _, wanted.Namespace = range []string{"", "kube-system", "steward-system", "somewhere"} {
			if allowed(t, controllers, wanted) {
				t.Errorf("%s", wanted.String())
			}
		}
	}
}

// Rights to objects of one name are to no other.
func TestRights_NamedObjectsOnly(t *testing.T) {
	named := func(right right, name string) right {
		right.Name = name
		return right
	}
	lease := func(verb_, name, namespace string) right {
		return named(verb(verb_, "coordination.k8s.io", "leases", namespace), name)
	}
	policy := verb("get", "admissionregistration.k8s.io", "validatingadmissionpolicies", "")
	for _, tc := range []struct {
		right right
		want  bool
	}{
		{lease("get", "steward-controllers", "steward-system"), true},
		{lease("update", "steward-controllers", "steward-system"), true},
		{lease("patch", "steward-controllers", "steward-system"), false},
		{lease("delete", "steward-controllers", "steward-system"), false},
		{lease("get", "another", "steward-system"), false},
		{lease("update", "another", "steward-system"), false},
		{lease("update", "steward-controllers", "kube-system"), false},
		{lease("create", "steward-controllers", "kube-system"), false},
		{named(policy, optInPolicy), true},
		{named(policy, uninstallPolicy), true},
		{named(policy, copiedPolicy), true},
		{named(policy, foregroundPolicy), true},
		{named(policy, "another"), false},
		{policy, false},
	} {
		if got := allowed(t, controllers, tc.right); got != tc.want {
			t.Errorf("%s: %v", tc.right.String(), got)
		}
	}
	nonResource := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: controllers, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: "get", Path: "/metrics"},
	}}
	answer, err := shared.Kube.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), nonResource, metav1.CreateOptions{})
	must(t, err)
	if answer.Status.Allowed {
		t.Error("they may read the API server's metrics")
	}
}

// An API group that the administrator adds can be cleaned up, and no other.
func TestRights_GroupsAreAdded(t *testing.T) {
	groupsFor(t, "widgets.example.com")
	for _, tc := range []struct {
		right right
		want  bool
	}{
		{verb("get", "widgets.example.com", "widgets", "somewhere"), false},
		{verb("list", "widgets.example.com", "widgets", ""), true},
		{verb("watch", "widgets.example.com", "widgets", ""), true},
		{verb("delete", "widgets.example.com", "widgets", "somewhere"), true},
		{verb("deletecollection", "widgets.example.com", "widgets", "somewhere"), false},
		{verb("update", "widgets.example.com", "widgets", "somewhere"), false},
		{verb("delete", "gadgets.example.com", "gadgets", "somewhere"), false},
		{verb("get", "", "secrets", "somewhere"), false},
	} {
		if got := allowed(t, controllers, tc.right); got != tc.want {
			t.Errorf("%s: %v", tc.right.String(), got)
		}
	}
}

// The broad overlay adds list, watch and delete on everything, and no other verb: get would be the right to run commands in
// pods, and on nodes past the API server.
func TestRights_AllAPIsOverlay(t *testing.T) {
	allAPIs(t)
	more := set("list watch delete", "*/*")
	hasExactly(t, "somewhere", union(baseRights, more))
	hasExactly(t, "steward-system", union(baseRights, ownRights, more))
}

// allAPIs applies the broad overlay until the test ends.
func allAPIs(t *testing.T) {
	t.Helper()
	_, file, err := rendered(t.Context(), "overlays/cleanup-all-apis")
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "apply", "--server-side", "-f", file)
	must(t, err)
	right := verb("delete", "any.example.com", "anything", "somewhere")
	t.Cleanup(func() {
		_, err := shared.Kubectl(context.Background(), "delete", "-f", file)
		must(t, err)
		eventually(t, func() error {
			if is, err := may(context.Background(), controllers, right); err != nil || is {
				return fmt.Errorf("the right is still there: %v", err)
			}
			return nil
		})
	})
	eventually(t, func() error {
		if !allowed(t, controllers, right) {
			return fmt.Errorf("the right is not there yet")
		}
		return nil
	})
}
