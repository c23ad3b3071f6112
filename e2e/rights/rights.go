// Package rights says what ServiceAccounts may do, one verb on one resource at a time, as roles and bindings grant it.
package rights

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/olm"
)

// Rights are those of the accounts of one namespace, by the account's name, as "everywhere: get pods" or "some-namespace: get pods/name".
type Rights map[string]map[string]bool

// Of is the reader of roles and bindings. Objects without a namespace whose kind has one are in the accounts' namespace, as those of a bundle are.
// Only roles that are bound to one of the accounts have to be there.
func Of(namespace string, objects []*olm.Object) (Rights, error) {
	found := Rights{}
	roles := map[string]*olm.Object{}
	in := func(object *olm.Object) string {
		if object.GetNamespace() == "" {
			return namespace
		}
		return object.GetNamespace()
	}
	for _, each := range objects {
		switch each.GetKind() {
		case "ClusterRole":
			roles["ClusterRole "+each.GetName()] = each
		case "Role":
			roles["Role "+in(each)+"/"+each.GetName()] = each
		}
	}
	for _, each := range objects {
		where := ""
		switch each.GetKind() {
		case "ClusterRoleBinding":
		case "RoleBinding":
			where = in(each)
		default:
			continue
		}
		kind, _, _ := unstructured.NestedString(each.Object, "roleRef", "kind")
		name, _, _ := unstructured.NestedString(each.Object, "roleRef", "name")
		if kind == "Role" {
			name = where + "/" + name
		}
		subjects, _, err := unstructured.NestedSlice(each.Object, "subjects")
		if err != nil {
			return nil, err
		}
		for _, subject := range subjects {
			fields := subject.(map[string]any)
			if fields["kind"] != "ServiceAccount" || fields["namespace"] != namespace {
				continue
			}
			role := roles[kind+" "+name]
			if role == nil {
				return nil, fmt.Errorf("%s %s binds %s %s, which is not there", each.GetKind(), each.GetName(), kind, name)
			}
			// Those of an aggregated role may be null.
			rules, _ := role.Object["rules"].([]any)
			found.Add(fields["name"].(string), where, rules)
		}
	}
	return found, nil
}

// Add adds what the rules of a role grant an account, in a namespace or, if that is "", everywhere.
func (r Rights) Add(account, namespace string, rules []any) {
	if r[account] == nil {
		r[account] = map[string]bool{}
	}
	where := "everywhere"
	if namespace != "" {
		where = namespace
	}
	for _, each := range rules {
		texts := func(field string) []string {
			list, _, _ := unstructured.NestedStringSlice(each.(map[string]any), field)
			return list
		}
		names := texts("resourceNames")
		if len(names) == 0 {
			names = []string{""}
		}
		for _, verb := range texts("verbs") {
			for _, group := range texts("apiGroups") {
				for _, resource := range texts("resources") {
					for _, name := range names {
						r[account][where+": "+verb+" "+withDot(resource, group)+withSlash(name)] = true
					}
				}
			}
			for _, path := range texts("nonResourceURLs") {
				r[account][where+": "+verb+" "+path] = true
			}
		}
	}
}

func withDot(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

func withSlash(name string) string {
	if name == "" {
		return ""
	}
	return "/" + name
}

// Beyond are the rights that other does not have, as "account everywhere: get pods".
func (r Rights) Beyond(other Rights) (found []string) {
	for _, account := range slices.Sorted(maps.Keys(r)) {
		for _, right := range slices.Sorted(maps.Keys(r[account])) {
			if !other[account][right] {
				found = append(found, account+" "+right)
			}
		}
	}
	return found
}
