// Package bundles_test takes bundles as they are published, out of a folder that STEWARD_BUNDLES names, through lint, preview,
// installation and uninstallation on `steward up`. What ought to be there is read from the bundle's files by what OLM reads them
// with, and shares no code with Steward.
package bundles_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// bundle is a folder with manifests/ and metadata/.
type bundle struct {
	path string
	csv  *unstructured.Unstructured
	// objects are those that OLM installs beside the ClusterServiceVersion.
	objects []*unstructured.Unstructured
}

// findBundles are the bundles below a folder, sorted by path.
func findBundles(root string) (paths []string, err error) {
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

// read is what operator-registry makes of the files: the first document of each, and nothing of those that it cannot decode. Of
// objects of one name the last one is what is left behind.
func read(path string) (*bundle, error) {
	b := &bundle{path: path}
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
		object := &unstructured.Unstructured{}
		if yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 30).Decode(object) != nil || object.Object == nil {
			continue
		}
		if object.GetKind() == "ClusterServiceVersion" {
			b.csv = object
			continue
		}
		for i, each := range b.objects {
			if each.GetKind() == object.GetKind() && each.GetName() == object.GetName() {
				b.objects = append(b.objects[:i], b.objects[i+1:]...)
				break
			}
		}
		b.objects = append(b.objects, object)
	}
	return b, nil
}

// modes are the namespaces that a group may target so that the operator can run: its own ("own"), another ("other"), or all ("").
func (b *bundle) mode() string {
	modes, _, _ := unstructured.NestedSlice(b.csv.Object, "spec", "installModes")
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

// typed are the kinds that OLM writes by clients of one version.
var typed = map[string]schema.GroupVersionResource{
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

// resourceOf is where an object is read, and in which namespace.
func resourceOf(object *unstructured.Unstructured, namespace string) (schema.GroupVersionResource, string) {
	if inCluster[object.GetKind()] {
		namespace = ""
	}
	if resource, isTyped := typed[object.GetKind()]; isTyped {
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

// servedFromTheStart are the APIs that `steward up` has; others of kinds that OLM installs are defined before.
func servedFromTheStart(kind schema.GroupVersionKind) bool {
	switch kind.Group {
	case "", "rbac.authorization.k8s.io", "apiextensions.k8s.io":
		return true
	case "policy", "networking.k8s.io", "scheduling.k8s.io":
		return kind.Version == "v1"
	}
	return false
}
