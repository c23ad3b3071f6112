// Package bundles reads bundles as they are published: what of them OLM installs, by what OLM reads them with. It shares no code
// with Steward.
package bundles

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"steward.dev/e2e/olm"
)

// Bundle is a folder with manifests/ and metadata/.
type Bundle struct {
	Path string
	CSV  *olm.Object
	// Objects are those that OLM installs beside the ClusterServiceVersion.
	Objects []*olm.Object
}

// Mirrored are the bundles in the folder that STEWARD_BUNDLES names, sorted by path; without it there are none.
func Mirrored() ([]string, error) {
	root := os.Getenv("STEWARD_BUNDLES")
	if root == "" {
		return nil, nil
	}
	return find(root)
}

// NewestOfEach package, as far as folders say so: PACKAGE/VERSION.
func NewestOfEach(paths []string) (newest []string) {
	for i, path := range paths {
		if i+1 == len(paths) || filepath.Dir(paths[i+1]) != filepath.Dir(path) {
			newest = append(newest, path)
		}
	}
	return newest
}

// find is the bundles below a folder, sorted by path.
func find(root string) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "manifests" {
			paths = append(paths, filepath.Dir(path))
			return fs.SkipDir
		}
		return err
	})
	sort.Strings(paths)
	return paths, err
}

// Read is what operator-registry makes of the files: the first document of each, and nothing of those that it cannot decode. Of
// objects of one name the last one is what is left behind.
func Read(path string) (*Bundle, error) {
	b := &Bundle{Path: path}
	entries, err := os.ReadDir(filepath.Join(path, "manifests"))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(path, "manifests", entry.Name()))
		if err != nil {
			return nil, err
		}
		object := &olm.Object{}
		if yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 30).Decode(object) != nil || object.Object == nil {
			continue
		}
		if object.GetKind() == "ClusterServiceVersion" {
			b.CSV = object
			continue
		}
		for i, each := range b.Objects {
			if each.GetKind() == object.GetKind() && each.GetName() == object.GetName() {
				b.Objects = append(b.Objects[:i], b.Objects[i+1:]...)
				break
			}
		}
		b.Objects = append(b.Objects, object)
	}
	return b, nil
}

// Mode says which namespaces a group may target so that the operator can run: its own ("own"), another ("other"), or all ("").
func (b *Bundle) Mode() string {
	modes, _, _ := unstructured.NestedSlice(b.CSV.Object, "spec", "installModes")
	supported := map[string]bool{}
	for _, each := range modes {
		if mode, isMap := each.(map[string]any); isMap && mode["supported"] == true {
			kind, _ := mode["type"].(string)
			supported[kind] = true
		}
	}
	switch {
	case supported["AllNamespaces"]:
		return ""
	case supported["OwnNamespace"]:
		return "own"
	}
	return "other"
}

// Typed are the kinds that OLM writes by clients of one version.
var Typed = map[string]schema.GroupVersionResource{
	"ServiceAccount":     {Version: "v1", Resource: "serviceaccounts"},
	"Service":            {Version: "v1", Resource: "services"},
	"ConfigMap":          {Version: "v1", Resource: "configmaps"},
	"Secret":             {Version: "v1", Resource: "secrets"},
	"Role":               {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":        {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"ClusterRole":        {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding": {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
}

// inCluster are the kinds without a namespace.
var inCluster = map[string]bool{
	"ClusterRole": true, "ClusterRoleBinding": true, "CustomResourceDefinition": true, "PriorityClass": true, "ConsoleYAMLSample": true,
	"ConsoleQuickStart": true, "ConsoleCLIDownload": true, "ConsoleLink": true, "ConsolePlugin": true,
}

// ResourceOf is where an object is read, and in which namespace.
func ResourceOf(object *olm.Object, namespace string) (schema.GroupVersionResource, string) {
	if inCluster[object.GetKind()] {
		namespace = ""
	}
	if resource, isTyped := Typed[object.GetKind()]; isTyped {
		return resource, namespace
	}
	kind := object.GroupVersionKind()
	return schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: pluralOf(kind.Kind)}, namespace
}

func pluralOf(kind string) string {
	lower := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(lower, "y"):
		return strings.TrimSuffix(lower, "y") + "ies"
	case strings.HasSuffix(lower, "ss"):
		return lower + "es"
	}
	return lower + "s"
}

// Missing are definitions of the kinds that a bundle has objects of, and that neither it brings nor the server serves, as `served` says.
func (b *Bundle) Missing(served func(schema.GroupVersionKind) bool) (definitions []*olm.Object) {
	defined := map[string]bool{}
	for _, object := range b.Objects {
		kind := object.GroupVersionKind()
		_, isTyped := Typed[kind.Kind]
		if isTyped || kind.Kind == "CustomResourceDefinition" || served(kind) || kind.Version == "" {
			continue
		}
		scope := "Namespaced"
		if inCluster[kind.Kind] {
			scope = "Cluster"
		}
		definition := olm.Definition(kind.Group, kind.Kind, scope, kind.Version)
		if !defined[definition.GetName()] {
			definitions = append(definitions, definition)
		}
		defined[definition.GetName()] = true
	}
	return definitions
}

// ServedEmbedded says which APIs `steward up` has from the start.
func ServedEmbedded(kind schema.GroupVersionKind) bool {
	switch kind.Group {
	case "", "rbac.authorization.k8s.io", "apiextensions.k8s.io":
		return true
	case "policy", "networking.k8s.io", "scheduling.k8s.io":
		return kind.Version == "v1"
	}
	return false
}

// Write makes the folder of a bundle.
func Write(folder string, csv *olm.Object, objects []*olm.Object) error {
	manifests, metadata := filepath.Join(folder, "manifests"), filepath.Join(folder, "metadata")
	for _, each := range []string{manifests, metadata} {
		if err := os.MkdirAll(each, 0o755); err != nil {
			return err
		}
	}
	bundled := csv.DeepCopy()
	unstructured.RemoveNestedField(bundled.Object, "status")
	bundled.SetNamespace("")
	for i, each := range append(slices.Clone(objects), bundled) {
		text, err := sigsyaml.Marshal(each.Object)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(manifests, fmt.Sprintf("%02d.yaml", i)), text, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(metadata, "annotations.yaml"), []byte(olm.BundleAnnotations), 0o644)
}
