package cluster

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Objects are all of a cluster that stay, but for some kinds: none that is being deleted, alone or with its namespace.
func Objects(ctx context.Context, config *rest.Config, but ...string) (found []string, err error) {
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	lists, err := kinds.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	going := map[string]bool{}
	namespaces, err := objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, each := range namespaces.Items {
		going[each.GetName()] = each.GetDeletionTimestamp() != nil
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || slices.Contains(but, resource.Name) {
				continue
			}
			all, err := objects.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", resource.Name, err)
			}
			for _, each := range all.Items {
				if each.GetDeletionTimestamp() == nil && !going[each.GetNamespace()] {
					found = append(found, fmt.Sprintf("%s.%s %s/%s", resource.Name, version.Group, each.GetNamespace(), each.GetName()))
				}
			}
		}
	}
	slices.Sort(found)
	return found, nil
}
