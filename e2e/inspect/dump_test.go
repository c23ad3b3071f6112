package inspect_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"
)

// layout writes the objects of one resource in one namespace, or of the cluster, below a folder.
type layout func(t *testing.T, folder string, resource schema.GroupVersionResource, list *unstructured.UnstructuredList)

// asLists writes RESOURCE.yaml, a list.
func asLists(t *testing.T, folder string, resource schema.GroupVersionResource, list *unstructured.UnstructuredList) {
	t.Helper()
	content := list.UnstructuredContent()
	write(t, filepath.Join(folder, groupFolder(resource), resource.Resource+".yaml"), content)
}

// asObjects writes RESOURCE/NAME.yaml for each.
func asObjects(t *testing.T, folder string, resource schema.GroupVersionResource, list *unstructured.UnstructuredList) {
	t.Helper()
	for _, item := range list.Items {
		write(t, filepath.Join(folder, groupFolder(resource), resource.Resource, item.GetName()+".yaml"), item.Object)
	}
}

func groupFolder(resource schema.GroupVersionResource) string {
	if resource.Group == "" {
		return "core"
	}
	return resource.Group
}

// write writes a file as `oc adm inspect` does.
func write(t *testing.T, path string, content map[string]any) {
	t.Helper()
	text, err := yaml.Marshal(content)
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, append([]byte("---\n"), text...), 0o644))
}

// gather writes everything that the cluster stores below a folder, and some of what else a must-gather has.
func gather(t *testing.T, folder string, lay layout) {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(shared.Config)
	must(t, err)
	lists, err := client.ServerPreferredResources()
	must(t, err)
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		must(t, err)
		for _, resource := range list.APIResources {
			// Events of the present and what Steward computes are no part of a dump.
			if !slices.Contains(resource.Verbs, "list") || gv.Group == "events.k8s.io" || gv.Group == "views.operators.coreos.com" {
				continue
			}
			gatherResource(t, folder, lay, gv.WithResource(resource.Name), resource.Namespaced)
		}
	}
	for _, name := range []string{"timestamp", "event-filter.html", "version"} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("kind: [broken\n"), 0o644))
	}
	logs := filepath.Join(folder, "namespaces", "ins-red", "pods", "web-0", "web", "web", "logs")
	must(t, os.MkdirAll(logs, 0o755))
	must(t, os.WriteFile(filepath.Join(logs, "current.log"), []byte("apiVersion: no\n"), 0o644))
	write(t, filepath.Join(folder, "namespaces", "ins-red", "pods", "web-0", "web-0.yaml"), map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web-0", "namespace": "ins-red"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "web"}}},
	})
}

func gatherResource(t *testing.T, folder string, lay layout, resource schema.GroupVersionResource, namespaced bool) {
	t.Helper()
	all, err := shared.Any.Resource(resource).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if !namespaced {
		if len(all.Items) > 0 {
			lay(t, filepath.Join(folder, "cluster-scoped-resources"), resource, all)
		}
		if resource.Group == "" && resource.Resource == "namespaces" {
			for _, item := range all.Items {
				write(t, filepath.Join(folder, "namespaces", item.GetName(), item.GetName()+".yaml"), item.Object)
			}
		}
		return
	}
	of := map[string]*unstructured.UnstructuredList{}
	for _, item := range all.Items {
		if of[item.GetNamespace()] == nil {
			of[item.GetNamespace()] = &unstructured.UnstructuredList{Object: all.Object}
		}
		of[item.GetNamespace()].Items = append(of[item.GetNamespace()].Items, item)
	}
	for namespace, list := range of {
		lay(t, filepath.Join(folder, "namespaces", namespace), resource, list)
	}
}

// dumps are the same cluster in each form, by name.
func dumps(t *testing.T) map[string]string {
	t.Helper()
	top := t.TempDir()
	lists, objects := filepath.Join(top, "lists"), filepath.Join(top, "must-gather.local.123")
	gather(t, lists, asLists)
	gather(t, filepath.Join(objects, "quay-io-example-must-gather-sha256-0123456789abcdef"), asObjects)
	found := map[string]string{"lists": lists, "objects": objects}
	for _, name := range []string{"lists", "objects"} {
		for form, flag := range map[string]string{".tar": "-cf", ".tar.gz": "-czf"} {
			path := filepath.Join(top, name+form)
			out, err := exec.Command("tar", "-C", top, flag, path, filepath.Base(found[name])).CombinedOutput()
			if err != nil {
				t.Fatalf("tar: %v: %s", err, out)
			}
			found[name+form] = path
		}
	}
	return found
}

// lineOf is the number of the first line of a file that has a text.
func lineOf(t *testing.T, path, text string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	before, _, found := strings.Cut(string(content), text)
	if !found {
		t.Fatalf("%s has no %q", path, text)
	}
	return 1 + strings.Count(before, "\n")
}
