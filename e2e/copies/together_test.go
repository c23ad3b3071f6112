package copies_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/olm"
)

// The family of cleanup works beside that of copies, each under its own account: an operator that is opted in is uninstalled
// while copies are turned off and on, from either state. The custom resources and the rights of the operator, its CSV and its
// copies go; another operator, its copies and its custom resources stay.
func TestTogether_UninstalledWhileCopiesAreToggled(t *testing.T) {
	controllers, err := shared.ServiceAccount(t.Context(), accountNamespace, "steward-controllers")
	must(t, err)
	must(t, olm.DeletionsSettle(t.Context(), shared.Any))
	cleaning, err := shared.RunCleanup(t.Context(), controllers, time.Minute)
	must(t, err)
	t.Cleanup(func() { must(t, cleaning.Stop()) })
	ctx, stop := context.WithCancel(context.Background())
	played := make(chan struct{})
	go func() { defer close(played); olm.Play(ctx, shared.Any) }()
	t.Cleanup(func() { stop(); <-played })

	const other = "together-other.v1"
	newOperator(t, other)
	original, err := get(t, home, other)
	must(t, err)
	spaces := []string{newNamespace(t, "copies-together-1"), newNamespace(t, "copies-together-2")}
	for _, disabled := range []bool{false, true} {
		t.Run(fmt.Sprintf("disabled=%v", disabled), func(t *testing.T) {
			o := installCleanable(t, fmt.Sprintf("together-%v.v1", disabled), fmt.Sprintf("together-%v.example.com", disabled))
			for _, namespace := range spaces {
				for i := range 3 {
					o.operand(t, "Widget", namespace, fmt.Sprint("widget-", i))
					o.operand(t, "Gadget", namespace, fmt.Sprint("gadget-", i)) // which no operator owns
				}
			}
			toggle := func(disabled bool) {
				t.Helper()
				choose(t, map[string]any{"disableCopiedCSVs": disabled})
				if disabled {
					eventually(t, says(t, off))
				} else {
					eventually(t, says(t, enabled))
				}
			}
			toggle(disabled)
			must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), o.name, metav1.DeleteOptions{}))
			// The operator finishes one custom resource after each turn, so that the cleanup lasts over all of them. Meanwhile its copies
			// stay as they are, and the condition says so; those of the other follow.
			for range 3 * len(spaces) {
				disabled = !disabled
				choose(t, map[string]any{"disableCopiedCSVs": disabled})
				if disabled {
					eventually(t, gone(t, spaces[0], other))
				} else {
					eventually(t, copied(t, spaces[0], other))
				}
				o.finishOne(t)
			}
			eventually(t, gone(t, home, o.name))
			for _, disabled := range []bool{disabled, !disabled} {
				toggle(disabled)
				eventually(t, everywhere(t, func(namespace string) error {
					err := gone(t, namespace, o.name)()
					if disabled {
						return errors.Join(err, gone(t, namespace, other)())
					}
					return errors.Join(err, copied(t, namespace, other)())
				}))
			}
			o.nothingIsLeft(t)
			if gadgets := o.list(t, "Gadget"); len(gadgets) != 3*len(spaces) || slices.ContainsFunc(gadgets, isDeleted) {
				t.Errorf("of the custom resources that the operator does not own these are left: %v", names(gadgets))
			}
			now, err := get(t, home, other)
			must(t, err)
			if now.GetUID() != original.GetUID() || now.GetDeletionTimestamp() != nil || now.GetGeneration() != original.GetGeneration() {
				t.Errorf("the other operator was touched: %s", asJSON(now.Object))
			}
		})
	}
}

// cleanable is an operator in `home` that supports cleanup and is opted in. Its Widgets are finished by nobody but itself.
type cleanable struct {
	name, group string
	rights      dynamic.Interface // the operator's own
}

const operandFinalizer = "example.com/finish"

// installCleanable makes definitions, CSV, Deployment and rights, and waits until the rights are held.
func installCleanable(t *testing.T, name, api string) *cleanable {
	t.Helper()
	o := &cleanable{name: name, group: api}
	user := "system:serviceaccount:" + home + ":" + name
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = user
	var err error
	o.rights, err = dynamic.NewForConfig(config)
	must(t, err)
	must(t, olm.CreateCRDs(t.Context(), shared.Any, olm.Definition(api, "Widget", "Namespaced", "v1"), olm.Definition(api, "Gadget", "Namespaced", "v1")))
	for _, each := range []struct {
		name   string
		verbs  []any
		labels map[string]string
	}{
		// deploy/README.md: the right to clean up an API group.
		{"cleanup-" + api, []any{"list", "watch", "delete"}, map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"}},
		{api, []any{"*"}, olm.OwnerLabels(home, name)},
	} {
		role := &olm.Object{Object: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
			"rules": []any{map[string]any{"apiGroups": []any{api}, "resources": []any{"*"}, "verbs": each.verbs}},
		}}
		role.SetName(each.name)
		role.SetLabels(each.labels)
		_, err := shared.Any.Resource(olm.ClusterRoles).Create(t.Context(), role, metav1.CreateOptions{})
		must(t, err)
	}
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": api},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}}
	binding.SetName(api)
	binding.SetLabels(olm.OwnerLabels(home, name))
	_, err = shared.Any.Resource(olm.ClusterRoleBindings).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)

	csv := olm.CSV(name, group, "")
	csv.SetFinalizers([]string{olm.Finalizer, "operatorframework.io/delete-custom-resources"})
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	spec["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
		"name": "widgets." + api, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
	}}}
	olm.Deploys(csv)
	must(t, olm.Confirm(t.Context(), shared.Any, csv))
	must(t, olm.Create(t.Context(), shared.Any, csv))
	made, err := get(t, home, name)
	must(t, err)
	must(t, olm.CreateDeployment(t.Context(), shared.Any, made))
	eventually(t, func() error {
		role, err := shared.Any.Resource(olm.ClusterRoles).Get(t.Context(), api, metav1.GetOptions{})
		if err == nil && !slices.Contains(role.GetFinalizers(), "steward.operatorframework.io/hold-rights") {
			err = fmt.Errorf("the operator's rights are not held: finalizers %q", role.GetFinalizers())
		}
		return err
	})
	return o
}

func (o *cleanable) resource(kind string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: o.group, Version: "v1", Resource: map[string]string{"Widget": "widgets", "Gadget": "gadgets"}[kind]}
}

func (o *cleanable) operand(t *testing.T, kind, namespace, name string) {
	t.Helper()
	object := &olm.Object{Object: map[string]any{"apiVersion": o.group + "/v1", "kind": kind}}
	object.SetName(name)
	if kind == "Widget" {
		object.SetFinalizers([]string{operandFinalizer})
	}
	_, err := shared.Any.Resource(o.resource(kind)).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
}

func (o *cleanable) list(t *testing.T, kind string) []olm.Object {
	t.Helper()
	list, err := shared.Any.Resource(o.resource(kind)).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	return list.Items
}

func isDeleted(object olm.Object) bool { return object.GetDeletionTimestamp() != nil }

func names(objects []olm.Object) (all []string) {
	for _, each := range objects {
		all = append(all, each.GetNamespace()+"/"+each.GetName())
	}
	return all
}

// finishOne waits for a Widget that is being deleted, and finishes it by the operator's own rights.
func (o *cleanable) finishOne(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		list, err := o.rights.Resource(o.resource("Widget")).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.Items, isDeleted)
		if i < 0 {
			return fmt.Errorf("none of %v is being deleted", names(list.Items))
		}
		_, err = o.rights.Resource(o.resource("Widget")).Namespace(list.Items[i].GetNamespace()).Patch(t.Context(), list.Items[i].GetName(),
			types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		return err
	})
}

// nothingIsLeft of what belonged to the operator.
func (o *cleanable) nothingIsLeft(t *testing.T) {
	t.Helper()
	if widgets := o.list(t, "Widget"); len(widgets) > 0 {
		t.Errorf("custom resources are left: %v", names(widgets))
	}
	absent := func(resource schema.GroupVersionResource, namespace, name string) func() error {
		return func() error {
			_, err := shared.Any.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("%s %s/%s is still there: %v", resource.Resource, namespace, name, err)
		}
	}
	eventually(t, absent(olm.ClusterRoles, "", o.group))
	eventually(t, absent(olm.ClusterRoleBindings, "", o.group))
	eventually(t, absent(olm.Deployments, home, olm.OperatorDeployment))
	eventually(t, everywhere(t, func(namespace string) error { return absent(olm.InstalledOperators, namespace, o.name)() }))
}
