package deploy

import (
	"context"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	leases     = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	dryRun     = []string{metav1.DryRunAll}
)

func plain(apiVersion, kind, namespace, name string) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}

// applies applies the overlay, and waits until its policy has refused something. The account has every right then, until the case
// ends: what is left is the policy.
func applies(t *testing.T) {
	t.Helper()
	must(t, shared.ApplyManifests(t.Context(), filepath.Join("overlays", "payload")))
	everything, err := createRole(t.Context(), rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), everything)) })
	must(t, bind(t.Context(), payloads, everything))
	hasRight(t, payloads)
	eventually(t, func() error {
		return refusal(payloadPolicy, as(t, payloads).Resource(olm.Namespaces).Delete(t.Context(), "kube-node-lease", metav1.DeleteOptions{DryRun: dryRun}))
	})
}

// named is a right to one object, or with "" to all.
func named(does, group, resource, namespace, name string) right {
	wanted := verb(does, group, resource, namespace)
	wanted.Name = name
	return wanted
}

// By itself the account writes what it says of itself, and nothing else: neither what payloads are made of, nor more of its namespace.
func TestPayload_MayDoNothingByItself(t *testing.T) {
	must(t, shared.ApplyManifests(t.Context(), filepath.Join("overlays", "payload")))
	for _, tc := range []struct {
		what    right
		allowed bool
	}{
		{named("create", "", "configmaps", "steward-system", ""), true},
		{named("update", "", "configmaps", "steward-system", "steward-payload-record"), true},
		{named("update", "", "configmaps", "steward-system", "steward-payload"), false},
		{named("delete", "", "configmaps", "steward-system", "steward-payload-record"), false},
		{named("update", "coordination.k8s.io", "leases", "steward-system", "steward-payload"), true},
		{named("update", "coordination.k8s.io", "leases", "steward-system", "steward-controllers"), false},
		{named("create", "", "events", "steward-system", ""), true},
		{named("list", "apps", "deployments", "", "cluster-version-operator"), true},
		{named("list", "apps", "deployments", "", ""), false},
		{named("patch", "config.openshift.io", "clusteroperators", "", "steward-payload"), true},
		{named("patch", "config.openshift.io", "clusteroperators", "", "network"), false},
		{named("delete", "config.openshift.io", "clusteroperators", "", "steward-payload"), false},
		{named("list", "config.openshift.io", "clusteroperators", "", ""), true},
		{named("get", "", "secrets", "default", "some"), false},
		{named("create", "", "configmaps", "default", ""), false},
		{named("delete", "", "namespaces", "", "some"), false},
	} {
		if got := allowed(t, payloads, tc.what); got != tc.allowed {
			t.Errorf("%s %s.%s %q in %q: allowed %v", tc.what.Verb, tc.what.Resource, tc.what.Group, tc.what.Name, tc.what.Namespace, got)
		}
	}
}

// Whatever rights it was given, some things it never does.
func TestPayload_NeverWritesAndDeletes(t *testing.T) {
	applies(t)
	namespace := space(t)
	client := as(t, payloads)
	definition := olm.Definition("steward.operatorframework.io", "Widget", "Namespaced", "v1")
	other := olm.Definition("widgets.example.com", "Widget", "Namespaced", "v1")
	create(t, definition, other)
	t.Cleanup(func() {
		for _, each := range []*olm.Object{definition, other} {
			_ = shared.Any.Resource(olm.Definitions).Delete(context.Background(), each.GetName(), metav1.DeleteOptions{})
		}
	})
	for _, each := range []*olm.Object{
		plain("v1", "ConfigMap", "steward-system", "payload-case"), plain("v1", "ConfigMap", "steward-system", "steward-payload-record"),
		plain("v1", "ConfigMap", namespace, "steward-mine"),
	} {
		must(t, olm.CreateAs(t.Context(), shared.Any, configMaps, each))
		t.Cleanup(func() {
			_ = shared.Any.Resource(configMaps).Namespace(each.GetNamespace()).Delete(context.Background(), each.GetName(), metav1.DeleteOptions{})
		})
	}
	create(t, csv(namespace, "opted-in", optInFinalizer), csv(namespace, "plain"), olm.Namespace("steward-case"))
	t.Cleanup(func() {
		_ = shared.Any.Resource(olm.Namespaces).Delete(context.Background(), "steward-case", metav1.DeleteOptions{})
	})

	creates := func(resource schema.GroupVersionResource, object *olm.Object) func() error {
		return func() error {
			_, err := client.Resource(resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{DryRun: dryRun})
			return err
		}
	}
	changes := func(resource schema.GroupVersionResource, namespace, name string) func() error {
		return func() error {
			_, err := client.Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType,
				[]byte(`{"metadata":{"labels":{"e2e":""}}}`), metav1.PatchOptions{DryRun: dryRun})
			return err
		}
	}
	deletes := func(resource schema.GroupVersionResource, namespace, name string) func() error {
		return func() error {
			return client.Resource(resource).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{DryRun: dryRun})
		}
	}
	generated := plain("v1", "ConfigMap", "steward-system", "")
	generated.SetGenerateName("steward-payload-record")
	role := func(name string) *olm.Object { return plain("rbac.authorization.k8s.io/v1", "ClusterRole", "", name) }
	for name, tc := range map[string]struct {
		do      func() error
		refused bool
	}{
		"another ConfigMap":             {changes(configMaps, "steward-system", "payload-case"), true},
		"a new one":                     {creates(configMaps, plain("v1", "ConfigMap", "steward-system", "payload-new")), true},
		"one of a generated name":       {creates(configMaps, generated), true},
		"the record":                    {changes(configMaps, "steward-system", "steward-payload-record"), false},
		"the record's deletion":         {deletes(configMaps, "steward-system", "steward-payload-record"), true},
		"its Lease":                     {creates(leases, plain("coordination.k8s.io/v1", "Lease", "steward-system", "steward-payload")), false},
		"another Lease":                 {creates(leases, plain("coordination.k8s.io/v1", "Lease", "steward-system", "steward-controllers")), true},
		"a name of Steward's elsewhere": {deletes(configMaps, namespace, "steward-mine"), false},
		"a namespace":                   {deletes(olm.Namespaces, "", namespace), false},
		// Of default, kube-system and kube-public nobody is asked: nobody deletes them.
		"a namespace kube-*":               {deletes(olm.Namespaces, "", "kube-node-lease"), true},
		"a label of default":               {changes(olm.Namespaces, "", "default"), false},
		"steward-system":                   {deletes(olm.Namespaces, "", "steward-system"), true},
		"a label of steward-system":        {changes(olm.Namespaces, "", "steward-system"), true},
		"a namespace of Steward's name":    {deletes(olm.Namespaces, "", "steward-case"), true},
		"an operator that is opted in":     {deletes(olm.CSVs, namespace, "opted-in"), true},
		"an operator":                      {deletes(olm.CSVs, namespace, "plain"), false},
		"a ClusterRole":                    {creates(olm.ClusterRoles, role("payload-case")), false},
		"a ClusterRole of Steward's":       {changes(olm.ClusterRoles, "", "steward-payload"), true},
		"a ClusterRole of Steward's name":  {creates(olm.ClusterRoles, role("steward-new")), true},
		"the deletion of a definition":     {deletes(olm.Definitions, "", other.GetName()), false},
		"the deletion of one of Steward's": {deletes(olm.Definitions, "", definition.GetName()), true},
		"a change of a definition":         {changes(olm.Definitions, "", definition.GetName()), true},
	} {
		err := tc.do()
		if tc.refused {
			err = refusal(payloadPolicy, err)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What is deleted with others is asked about one by one.
	err := client.Resource(configMaps).Namespace("steward-system").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
	if err := refusal(payloadPolicy, err); err != nil {
		t.Errorf("a collection: %v", err)
	}
	if _, err := shared.Any.Resource(configMaps).Namespace("steward-system").Get(t.Context(), "payload-case", getOptions); apierrors.IsNotFound(err) {
		t.Error("a collection was deleted")
	}
}
