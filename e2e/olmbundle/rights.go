package olmbundle

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sorted are the overlay's objects by where they go.
type sorted struct {
	deployments []*object
	accounts    []string
	manifests   []*object
	policies    []*object
	// clusterRules are what OLM is to grant each account in the whole cluster.
	clusterRules map[string][]any
}

// clustersOwn are roles that every cluster has, and no bundle can bind: OLM makes bindings of its own, and in the operator's namespace
// alone. Their rules are granted instead. A ConfigMap of that name is in kube-system only.
var clustersOwn = map[string][]any{
	"ClusterRole system:auth-delegator": {
		rule("authentication.k8s.io", "tokenreviews", nil, "create"),
		rule("authorization.k8s.io", "subjectaccessreviews", nil, "create"),
	},
	"Role kube-system/extension-apiserver-authentication-reader": {
		rule("", "configmaps", []any{"extension-apiserver-authentication"}, "get", "list", "watch"),
	},
}

func rule(group, resource string, names []any, verbs ...any) fields {
	made := fields{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs}
	if names != nil {
		made["resourceNames"] = names
	}
	return made
}

// reviews are groups of which every process of Steward creates reviews.
var reviews = []string{"authentication.k8s.io", "authorization.k8s.io"}

// sortOut says where each object goes.
func sortOut(objects []*object) (*sorted, error) {
	found := &sorted{clusterRules: map[string][]any{}}
	roles := map[string]*object{}
	for _, each := range objects {
		if each.GetKind() == "ClusterRole" {
			roles[each.GetName()] = each
		}
	}
	// Roles whose rules are in the ClusterServiceVersion instead.
	granted := map[string]bool{}
	for _, each := range objects {
		switch each.GetKind() {
		case "ClusterRoleBinding", "RoleBinding":
			role, err := found.bind(each, roles)
			if err != nil {
				return nil, err
			}
			if role != "" {
				granted[role] = true
			}
		case "Deployment":
			found.deployments = append(found.deployments, each)
		case "ServiceAccount":
			// OLM makes the accounts that the ClusterServiceVersion names.
			found.accounts = append(found.accounts, each.GetName())
		case "ClusterRole":
		case "Role", "ConfigMap", "Service", "PodDisruptionBudget", "PriorityClass":
			found.manifests = append(found.manifests, each)
		// OLM installs network policies only since 2025; these are there before the pods.
		case "Namespace", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "FlowSchema", "PriorityLevelConfiguration",
			"NetworkPolicy":
			found.policies = append(found.policies, each)
		default:
			return nil, fmt.Errorf("%s %s: it is not said where in a bundle this kind goes", each.GetKind(), each.GetName())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		if !granted[name] {
			found.manifests = append(found.manifests, roles[name])
		}
	}
	for _, each := range append(slices.Clone(found.manifests), found.deployments...) {
		if each.GetNamespace() != "" && each.GetNamespace() != Namespace {
			return nil, fmt.Errorf("%s %s is in %s, where no bundle can put it", each.GetKind(), each.GetName(), each.GetNamespace())
		}
	}
	for _, account := range found.accounts {
		if len(found.clusterRules[account]) == 0 {
			return nil, fmt.Errorf("account %s has no rights in the cluster, so that OLM would not make it", account)
		}
	}
	return found, nil
}

// bind has what a binding grants granted by OLM, or keeps the binding. It returns the ClusterRole that is not needed any more, if any.
//
// Roles of the namespace stay manifests: those that a ClusterServiceVersion asks for under `permissions` OLM grants in every namespace, as
// the OperatorGroup selects all of them.
func (s *sorted) bind(binding *object, roles map[string]*object) (string, error) {
	kind, _, _ := unstructured.NestedString(binding.Object, "roleRef", "kind")
	name, _, _ := unstructured.NestedString(binding.Object, "roleRef", "name")
	account, err := accountOf(binding)
	if err != nil {
		return "", err
	}
	role, ours := roles[name]
	ours = ours && kind == "ClusterRole"
	switch {
	case binding.GetKind() == "RoleBinding" && binding.GetNamespace() == Namespace:
		s.manifests = append(s.manifests, binding)
		return "", nil
	case binding.GetKind() == "ClusterRoleBinding" && ours && name == guardName:
		// The role keeps its name, and OLM makes the account only if something is granted to it.
		s.manifests = append(s.manifests, binding)
		s.clusterRules[account] = append(s.clusterRules[account], rulesOf(role, reviews...)...)
		return "", nil
	case binding.GetKind() == "ClusterRoleBinding" && ours && role.Object["aggregationRule"] != nil:
		s.manifests = append(s.manifests, binding)
		return "", nil
	case binding.GetKind() == "ClusterRoleBinding" && ours:
		s.clusterRules[account] = append(s.clusterRules[account], rulesOf(role)...)
		return name, nil
	}
	key := kind + " " + name
	if kind == "Role" {
		key = kind + " " + binding.GetNamespace() + "/" + name
	}
	rules, known := clustersOwn[key]
	if !known {
		return "", fmt.Errorf("%s %s binds %s, whose rules are not known", binding.GetKind(), binding.GetName(), key)
	}
	s.clusterRules[account] = append(s.clusterRules[account], rules...)
	return "", nil
}

// accountOf is the one account that a binding is for.
func accountOf(binding *object) (string, error) {
	subjects, _, err := unstructured.NestedSlice(binding.Object, "subjects")
	if err != nil {
		return "", err
	}
	if len(subjects) == 1 {
		subject, _ := subjects[0].(fields)
		if name, ok := subject["name"].(string); ok && subject["kind"] == "ServiceAccount" && subject["namespace"] == Namespace {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s %s is not for one account of %s", binding.GetKind(), binding.GetName(), Namespace)
}

// rulesOf are a role's rules; with groups only those of these groups.
func rulesOf(role *object, groups ...string) (found []any) {
	rules, _, _ := unstructured.NestedSlice(role.Object, "rules")
	for _, each := range rules {
		of, _ := each.(fields)["apiGroups"].([]any)
		if len(groups) == 0 || len(of) == 1 && slices.Contains(groups, of[0].(string)) {
			found = append(found, each)
		}
	}
	return found
}
