package realolm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

const operandFinalizer = "example.com/finish"

// bundle is an operator of our own making: one namespaced kind in a group of its own, and a Deployment that stands for it.
type bundle struct {
	namespace, name, group string
	replaces               string
	// lifted: its rights are for one namespace, and OLM lifts them to the cluster because of its OperatorGroup. Else the
	// bundle asks for the whole cluster.
	lifted bool
	// bytes is how much longer its CSV is made.
	bytes int
}

func (b *bundle) deployment() string { return "deployment-of-" + strings.ReplaceAll(b.name, ".", "-") }

// account is its service account; all versions have the same.
func (b *bundle) account() string { return "account-of-" + b.group }

func (b *bundle) widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: b.group, Version: "v1", Resource: "widgets"}
}

// csv is what a catalog has of it: nobody has opted in, OLM has written nothing.
func (b *bundle) csv() *olm.Object {
	labels := map[string]any{"app": b.deployment()}
	rights := []any{map[string]any{
		"serviceAccountName": b.account(),
		"rules":              []any{map[string]any{"apiGroups": []any{b.group}, "resources": []any{"*"}, "verbs": []any{"*"}}},
	}}
	install := map[string]any{"deployments": []any{map[string]any{"name": b.deployment(), "spec": map[string]any{
		"replicas": int64(1),
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
			"serviceAccountName": b.account(),
			"containers":         []any{map[string]any{"name": "operator", "image": "example.com/operator"}},
		}},
	}}}}
	if b.lifted {
		install["permissions"] = rights
	} else {
		install["clusterPermissions"] = rights
	}
	var modes []any
	for _, mode := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
		modes = append(modes, map[string]any{"type": mode, "supported": true})
	}
	csv := object(olm.CSVs.GroupVersion().String(), "ClusterServiceVersion", b.namespace, b.name)
	csv.SetAnnotations(map[string]string{"alm-examples": "[" + strings.Repeat(" ", b.bytes) + "]"})
	spec := map[string]any{
		"displayName": "Operator " + b.name, "version": "1.0.0", "installModes": modes,
		"cleanup": map[string]any{"enabled": true},
		"install": map[string]any{"strategy": "deployment", "spec": install},
		"customresourcedefinitions": map[string]any{"owned": []any{map[string]any{
			"name": "widgets." + b.group, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "A widget",
		}}},
	}
	if b.replaces != "" {
		spec["replaces"] = b.replaces
	}
	csv.Object["spec"] = spec
	return csv
}

// install does what an InstallPlan does: it makes the CSV, its definitions, and accounts and rights for it. What catalogs
// have is all that is needed, so it installs published CSVs as well.
func (w *world) install(t *testing.T, csv *olm.Object) {
	t.Helper()
	must(t, w.createDefinitions(t, csv))
	made, err := w.Any.Resource(olm.CSVs).Namespace(csv.GetNamespace()).
		Create(t.Context(), csv, metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore})
	must(t, err)
	for _, permission := range permissions(t, csv, "permissions") {
		w.grant(t, made, permission, true)
	}
	for _, permission := range permissions(t, csv, "clusterPermissions") {
		w.grant(t, made, permission, false)
	}
}

// permission is an entry of a CSV's install strategy.
type permission struct {
	id      string
	account string
	rules   []any
}

func permissions(t *testing.T, csv *olm.Object, field string) (found []permission) {
	t.Helper()
	list, _, err := unstructured.NestedSlice(csv.Object, "spec", "install", "spec", field)
	must(t, err)
	for i, each := range list {
		fields := each.(map[string]any)
		account, _ := fields["serviceAccountName"].(string)
		rules, _ := fields["rules"].([]any)
		found = append(found, permission{id: fmt.Sprintf("%s-%s-%d", csv.GetName(), strings.ToLower(field), i), account: account, rules: rules})
	}
	return found
}

// grant makes a service account for a CSV and gives it rights, marked and owned as OLM's catalog operator does.
func (w *world) grant(t *testing.T, csv *olm.Object, p permission, inNamespace bool) {
	t.Helper()
	w.account(t, csv, p.account)
	kind, at, bindingsAt, namespace, id := "ClusterRole", olm.ClusterRoles, olm.ClusterRoleBindings, "", p.id+"-"+csv.GetNamespace()
	if inNamespace {
		kind, at, bindingsAt, namespace, id = "Role", roles, roleBindings, csv.GetNamespace(), p.id
	}
	role := object("rbac.authorization.k8s.io/v1", kind, namespace, id)
	role.Object["rules"] = p.rules
	binding := object("rbac.authorization.k8s.io/v1", kind+"Binding", namespace, id)
	binding.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": id}
	binding.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": p.account, "namespace": csv.GetNamespace()}}
	for _, made := range []*olm.Object{role, binding} {
		made.SetLabels(ownerLabels(csv))
		if inNamespace {
			made.SetOwnerReferences([]metav1.OwnerReference{ownerReference(csv)})
		}
	}
	w.create(t, at, role)
	w.create(t, bindingsAt, binding)
}

// account makes a service account, or adds the CSV to the owners of one that is there: an upgrade keeps it.
func (w *world) account(t *testing.T, csv *olm.Object, name string) {
	t.Helper()
	account := object("v1", "ServiceAccount", csv.GetNamespace(), name)
	account.SetLabels(map[string]string{olm.ManagedLabel: "true"})
	account.SetOwnerReferences([]metav1.OwnerReference{ownerReference(csv)})
	_, err := w.Any.Resource(accounts).Namespace(csv.GetNamespace()).Create(t.Context(), account, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = olm.Mutate(t.Context(), w.Any, accounts, csv.GetNamespace(), name, func(found *olm.Object) {
			found.SetLabels(account.GetLabels())
			if owner := ownerReference(csv); !slices.ContainsFunc(found.GetOwnerReferences(), func(each metav1.OwnerReference) bool { return each.UID == owner.UID }) {
				found.SetOwnerReferences(append(found.GetOwnerReferences(), owner))
			}
		})
	}
	must(t, err)
}

func ownerReference(csv *olm.Object) metav1.OwnerReference {
	no := false
	return metav1.OwnerReference{
		APIVersion: csv.GetAPIVersion(), Kind: csv.GetKind(), Name: csv.GetName(), UID: csv.GetUID(),
		Controller: &no, BlockOwnerDeletion: &no,
	}
}

func ownerLabels(csv *olm.Object) map[string]string {
	return map[string]string{
		"olm.owner": csv.GetName(), "olm.owner.namespace": csv.GetNamespace(), "olm.owner.kind": csv.GetKind(),
		olm.ManagedLabel: "true",
	}
}

// createDefinitions makes the definitions that a CSV owns or requires, those that are not there yet, taking anything.
func (w *world) createDefinitions(t *testing.T, csv *olm.Object) error {
	t.Helper()
	byName := map[string]*olm.Object{}
	for _, field := range []string{"owned", "required"} {
		list, _, err := unstructured.NestedSlice(csv.Object, "spec", "customresourcedefinitions", field)
		if err != nil {
			return err
		}
		for _, each := range list {
			entry := each.(map[string]any)
			name := entry["name"].(string)
			if byName[name] == nil {
				byName[name] = definition(entry)
			}
			addVersion(byName[name], entry["version"].(string))
		}
	}
	var missing []*olm.Object
	for name, made := range byName {
		_, err := w.Any.Resource(olm.Definitions).Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			missing = append(missing, made)
		} else if err != nil {
			return err
		}
	}
	return olm.CreateCRDs(t.Context(), w.Any, missing...)
}

// definition is a namespaced kind without versions, as an InstallPlan would mark it.
func definition(entry map[string]any) *olm.Object {
	plural, group, _ := strings.Cut(entry["name"].(string), ".")
	kind := entry["kind"].(string)
	made := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", entry["name"].(string))
	made.SetLabels(map[string]string{olm.ManagedLabel: "true"})
	made.Object["spec"] = map[string]any{
		"group": group, "scope": "Namespaced", "versions": []any{},
		"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
	}
	return made
}

// addVersion serves one more version of a kind; the first is what is stored.
func addVersion(definition *olm.Object, name string) {
	spec := definition.Object["spec"].(map[string]any)
	versions := spec["versions"].([]any)
	if slices.ContainsFunc(versions, func(each any) bool { return each.(map[string]any)["name"] == name }) {
		return
	}
	spec["versions"] = append(versions, map[string]any{
		"name": name, "served": true, "storage": len(versions) == 0,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
	})
}
