// Package overlay renders kustomizations with kustomize's own library, as `kubectl kustomize` does.
package overlay

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Render returns the objects of a folder with a kustomization, in the order in which kubectl applies them.
func Render(folder string) ([]*unstructured.Unstructured, error) {
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy
	rendered, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, each := range rendered.Resources() {
		text, err := each.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", each.CurId(), err)
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(text); err != nil {
			return nil, fmt.Errorf("%s: %w", each.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}
