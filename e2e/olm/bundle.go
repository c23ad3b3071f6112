package olm

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BundleAnnotations is metadata/annotations.yaml of some bundle.
const BundleAnnotations = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: operator
  operators.operatorframework.io.bundle.channels.v1: stable
`

// DefinitionsOf are small definitions of what an operator owns.
func DefinitionsOf(csv *Object) (definitions []*Object) {
	owned, _, _ := unstructured.NestedSlice(csv.Object, "spec", "customresourcedefinitions", "owned")
	byName := map[string]*Object{}
	for _, each := range owned {
		entry := each.(map[string]any)
		name, version, kind := entry["name"].(string), entry["version"].(string), entry["kind"].(string)
		plural, group, _ := strings.Cut(name, ".")
		if made := byName[name]; made != nil {
			versions, _, _ := unstructured.NestedSlice(made.Object, "spec", "versions")
			more, _, _ := unstructured.NestedMap(versions[0].(map[string]any))
			more["name"], more["storage"] = version, false
			_ = unstructured.SetNestedSlice(made.Object, append(versions, more), "spec", "versions")
			continue
		}
		made := Definition(group, kind, "Namespaced", version)
		made.SetName(name)
		_ = unstructured.SetNestedField(made.Object, plural, "spec", "names", "plural")
		byName[name] = made
		definitions = append(definitions, made)
	}
	return definitions
}
