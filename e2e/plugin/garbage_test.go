package plugin_test

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// R-004-46: the garbage collector works beside virtual objects, which are there for it when they are owners, and of which
// it deletes none.
func TestGarbageCollector_R_004_46(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.known(t, "NotOptedIn")
	configMaps := olm.Namespaces.GroupVersion().WithResource("configmaps")
	create := func(name string, owner metav1.OwnerReference) types.UID {
		t.Helper()
		object := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}}}
		if owner.Name != "" {
			object.SetOwnerReferences([]metav1.OwnerReference{owner})
		}
		return s.create(t, configMaps, s.namespace, object).GetUID()
	}
	installed, err := shared.Any.Resource(olm.InstalledOperators).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	virtual := metav1.OwnerReference{
		APIVersion: installed.GetAPIVersion(), Kind: installed.GetKind(), Name: installed.GetName(), UID: installed.GetUID(),
	}
	nobody := virtual
	nobody.Name, nobody.UID = "never-was", "5b0dbf57-5b4c-4d3f-8d0f-3a1f4f0c9d11"

	owner := create("owner", metav1.OwnerReference{})
	create("of-the-owner", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner})
	create("of-the-operator", virtual)
	create("of-nobody", nobody)
	must(t, shared.Any.Resource(configMaps).Namespace(s.namespace).Delete(t.Context(), "owner", metav1.DeleteOptions{}))
	eventually(t, func() error {
		list, err := shared.Any.Resource(configMaps).Namespace(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var names []string
		for _, item := range list.Items {
			if item.GetName() != "kube-root-ca.crt" {
				names = append(names, item.GetName())
			}
		}
		if !slices.Equal(names, []string{"of-the-operator"}) {
			return fmt.Errorf("there are %q", names)
		}
		return nil
	})
	after, err := shared.Any.Resource(olm.InstalledOperators).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	if after.GetUID() != installed.GetUID() {
		t.Errorf("the operator's UID was %s and is %s", installed.GetUID(), after.GetUID())
	}
}
