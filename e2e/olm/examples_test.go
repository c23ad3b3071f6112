package olm_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The examples claim to be what OLM leaves behind: annotations, labels and status must follow from the specs.
func TestExamplesAreWhatOLMWouldHaveWritten(t *testing.T) {
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := olm.Examples(root)
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string][]*olm.Object{}
	for _, object := range objects {
		byKind[object.GetKind()] = append(byKind[object.GetKind()], object)
	}
	groups := map[string]*olm.Object{} // by namespace: there is one in each
	for _, group := range byKind["OperatorGroup"] {
		groups[group.GetNamespace()] = group
		targets, err := olm.Targets(group, byKind["Namespace"])
		if err != nil {
			t.Fatal(err)
		}
		written, _, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces")
		if slices.Sort(written); !slices.Equal(written, targets) {
			t.Errorf("OperatorGroup %s: status.namespaces is %q, its spec means %q", group.GetName(), written, targets)
		}
	}
	for _, csv := range byKind["ClusterServiceVersion"] {
		t.Run(csv.GetName(), func(t *testing.T) { checkExample(t, csv, groups[csv.GetNamespace()]) })
	}
}

// What the operators own is defined, version and all, and what people made is of a defined kind, where its operator works;
// what is cluster-scoped is nowhere.
func TestExamplesAreOfDefinedKinds(t *testing.T) {
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	definitions, err := olm.Read(filepath.Join(root, "examples", "apis"))
	if err != nil {
		t.Fatal(err)
	}
	type version struct{ name, version, kind string }
	defined := map[version]bool{}
	names := map[string]string{} // apiVersion/kind → definition
	for _, definition := range definitions {
		group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
		for _, each := range versions {
			name := each.(map[string]any)["name"].(string)
			defined[version{definition.GetName(), name, kind}] = true
			names[group+"/"+name+"/"+kind] = definition.GetName()
		}
	}
	objects, err := olm.Examples(root)
	if err != nil {
		t.Fatal(err)
	}
	works := map[string][]string{} // definition → namespaces; "" for all
	for _, object := range objects {
		owned, _, _ := unstructured.NestedSlice(object.Object, "spec", "customresourcedefinitions", "owned")
		for _, each := range owned {
			crd := each.(map[string]any)
			one := version{crd["name"].(string), crd["version"].(string), crd["kind"].(string)}
			if !defined[one] {
				t.Errorf("%s owns %v, which examples/apis does not define", object.GetName(), one)
			}
			works[one.name] = strings.Split(object.GetAnnotations()[olm.TargetsAnnotation], ",")
		}
	}
	resources, err := olm.Read(filepath.Join(root, "examples", "resources"))
	if err != nil || len(resources) == 0 {
		t.Fatalf("%d resources, %v", len(resources), err)
	}
	for _, object := range resources {
		targets := works[names[object.GetAPIVersion()+"/"+object.GetKind()]]
		isForAll := object.GetNamespace() == "" && len(targets) > 0
		if !isForAll && !slices.Contains(targets, "") && !slices.Contains(targets, object.GetNamespace()) {
			t.Errorf("nobody works on %s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
		}
	}
}

func checkExample(t *testing.T, csv, group *olm.Object) {
	if group == nil {
		t.Fatalf("no OperatorGroup in %s", csv.GetNamespace())
	}
	targets, _, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces")
	slices.Sort(targets)
	annotations := csv.GetAnnotations()
	for key, want := range map[string]string{
		olm.GroupAnnotation:          group.GetName(),
		olm.GroupNamespaceAnnotation: group.GetNamespace(),
		olm.TargetsAnnotation:        strings.Join(targets, ","),
	} {
		if annotations[key] != want {
			t.Errorf("annotation %s is %q, want %q", key, annotations[key], want)
		}
	}
	var examples []map[string]any
	if err := json.Unmarshal([]byte(annotations["alm-examples"]), &examples); err != nil || len(examples) == 0 {
		t.Errorf("alm-examples: %v", err)
	}
	for _, side := range []struct{ field, label string }{{"owned", "provided"}, {"required", "required"}} {
		kinds, _, _ := unstructured.NestedSlice(csv.Object, "spec", "customresourcedefinitions", side.field)
		for _, each := range kinds {
			crd := each.(map[string]any)
			_, group, _ := strings.Cut(crd["name"].(string), ".")
			hash := fnv.New64a()
			fmt.Fprintf(hash, "%s.%s.%s", crd["kind"], crd["version"], group)
			key := fmt.Sprintf("olm.api.%x", hash.Sum64())
			if csv.GetLabels()[key] != side.label {
				t.Errorf("label %s for %s is %q, want %q", key, crd["name"], csv.GetLabels()[key], side.label)
			}
		}
	}
	mode := "MultiNamespace"
	switch {
	case slices.Equal(targets, []string{""}):
		mode = "AllNamespaces"
	case slices.Equal(targets, []string{csv.GetNamespace()}):
		mode = "OwnNamespace"
	case len(targets) == 1:
		mode = "SingleNamespace"
	}
	if !olm.Supports(csv, mode) {
		t.Errorf("it is installed in mode %s, which it does not support", mode)
	}
	icons, _, _ := unstructured.NestedSlice(csv.Object, "spec", "icon")
	for _, each := range icons {
		image, err := base64.StdEncoding.DecodeString(each.(map[string]any)["base64data"].(string))
		if err != nil || xml.Unmarshal(image, new(struct{})) != nil {
			t.Errorf("the icon is not a base64 SVG: %v", err)
		}
	}
}
