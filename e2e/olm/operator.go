package olm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Finalizer is OLM's own on every CSV.
const Finalizer = "operators.coreos.com/csv-cleanup"

// OperatorDeployment is the name of the Deployment of an operator that has one.
const OperatorDeployment = "operator"

// The resources that OLM makes for an operator.
var (
	Deployments         = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	ClusterRoles        = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	ClusterRoleBindings = ClusterRoles.GroupVersion().WithResource("clusterrolebindings")
)

// Definition is of a kind that takes anything, as OLM installs it.
func Definition(group, kind, scope, version string) *Object {
	singular := strings.ToLower(kind)
	definition := &Object{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"labels": map[string]any{ManagedLabel: "true"}},
		"spec": map[string]any{
			"group": group, "scope": scope,
			"names": map[string]any{"kind": kind, "singular": singular, "plural": singular + "s", "listKind": kind + "List"},
			"versions": []any{map[string]any{
				"name": version, "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	definition.SetName(singular + "s." + group)
	return definition
}

// Deploys has a CSV's install strategy name the operator's Deployment.
func Deploys(csv *Object) {
	csv.Object["spec"].(map[string]any)["install"].(map[string]any)["spec"] = map[string]any{"deployments": []any{
		map[string]any{"name": OperatorDeployment, "spec": deploymentSpec()},
	}}
}

// CreateDeployment makes the operator's Deployment, which a CSV that is there owns.
func CreateDeployment(ctx context.Context, client dynamic.Interface, csv *Object) error {
	deployment := &Object{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": deploymentSpec()}}
	deployment.SetName(OperatorDeployment)
	deployment.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: csv.GetAPIVersion(), Kind: csv.GetKind(), Name: csv.GetName(), UID: csv.GetUID(),
	}})
	_, err := client.Resource(Deployments).Namespace(csv.GetNamespace()).Create(ctx, deployment, metav1.CreateOptions{})
	return err
}

func deploymentSpec() map[string]any {
	labels := map[string]any{"app": OperatorDeployment}
	return map[string]any{
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": OperatorDeployment, "image": "example.com/operator"}}},
		},
	}
}

// OwnerLabels mark what OLM makes for a CSV in the whole cluster.
func OwnerLabels(namespace, csv string) map[string]string {
	return map[string]string{"olm.owner": csv, "olm.owner.namespace": namespace, "olm.owner.kind": "ClusterServiceVersion"}
}

// Play does what OLM does for its finalizer until the context ends: as soon as a CSV is being deleted, it deletes the
// cluster-wide rights that it gave the operator, and when those are gone it removes the finalizer.
func Play(ctx context.Context, client dynamic.Interface) {
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		list, err := client.Resource(CSVs).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		// Several at a time, so that none waits for all the others.
		var all sync.WaitGroup
		slots := make(chan struct{}, 8)
		for _, csv := range list.Items {
			if csv.GetDeletionTimestamp() == nil || !slices.Contains(csv.GetFinalizers(), Finalizer) {
				continue
			}
			slots <- struct{}{}
			all.Go(func() {
				_ = takeRights(ctx, client, &csv)
				<-slots
			})
		}
		all.Wait()
	}
}

func takeRights(ctx context.Context, client dynamic.Interface, csv *Object) error {
	mine := metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(metav1.SetAsLabelSelector(OwnerLabels(csv.GetNamespace(), csv.GetName())))}
	left := 0
	for _, resource := range []schema.GroupVersionResource{ClusterRoleBindings, ClusterRoles} {
		at := client.Resource(resource)
		if err := at.DeleteCollection(ctx, metav1.DeleteOptions{}, mine); err != nil {
			return err
		}
		list, err := at.List(ctx, mine)
		if err != nil {
			return err
		}
		left += len(list.Items)
	}
	if left > 0 {
		return nil
	}
	return Mutate(ctx, client, CSVs, csv.GetNamespace(), csv.GetName(), func(csv *Object) {
		csv.SetFinalizers(slices.DeleteFunc(csv.GetFinalizers(), func(name string) bool { return name == Finalizer }))
	})
}
