package deploy

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// One entry of `images` reaches every container of every folder of deploy/, and of every combination that the documents show, as they
// show it: nothing keeps a name of its own.
func TestImages_OneNameReachesAll(t *testing.T) {
	const foreign = "registry.example.com/steward:v9"
	image := map[string]any{"name": "steward", "newName": "registry.example.com/steward", "newTag": "v9"}
	containers := 0
	built := func(what string, kustomization map[string]any) {
		t.Helper()
		for _, container := range containersOf(t, kustomization) {
			containers++
			if container.image != foreign {
				t.Errorf("%s: container %s has the image %q", what, container.name, container.image)
			}
		}
	}
	folders, components := kustomizations(t)
	for _, folder := range folders {
		built(folder, map[string]any{"resources": []any{"../" + folder}, "images": []any{image}})
	}
	// No two complete overlays go together.
	together := slices.DeleteFunc(slices.Clone(folders), func(folder string) bool {
		return folder == "base" || strings.HasPrefix(folder, "base/") || folder == "overlays/standalone/certificates" ||
			slices.Contains([]string{"overlays/beside-olm", "overlays/cert-manager", "overlays/openshift"}, folder)
	})
	built("all at once", map[string]any{"resources": upwards(together), "components": upwards(components), "images": []any{image}})
	shown := combinations(t)
	for where, kustomization := range shown {
		for _, container := range containersOf(t, kustomization) {
			if !strings.HasPrefix(container.image, "registry.example.com/steward:") && kustomization["images"] != nil {
				t.Errorf("%s: container %s has the image %q", where, container.name, container.image)
			}
		}
		kustomization = maps.Clone(kustomization)
		kustomization["images"] = []any{image}
		built(where, kustomization)
	}
	if len(folders) < 10 || len(components) < 5 || len(shown) < 3 || containers < 30 {
		t.Errorf("only %d folders, %d components, %d combinations and %d containers", len(folders), len(components), len(shown), containers)
	}
}

// kustomizations are the folders below deploy/ that build by themselves, and the components.
func kustomizations(t *testing.T) (folders, components []string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	deploy := filepath.Join(root, "deploy")
	must(t, filepath.WalkDir(deploy, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "kustomization.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(deploy, filepath.Dir(path))
		if strings.Contains(string(text), "\nkind: Component\n") {
			components = append(components, folder)
		} else {
			folders = append(folders, folder)
		}
		return err
	}))
	return folders, components
}

func upwards(folders []string) (paths []any) {
	for _, folder := range folders {
		paths = append(paths, "../"+folder)
	}
	return paths
}

// combinations are the kustomizations that the documents show, by where they stand.
func combinations(t *testing.T) map[string]map[string]any {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	must(t, err)
	documents = append(documents, filepath.Join(root, "README.md"), filepath.Join(root, "deploy", "README.md"))
	block := regexp.MustCompile("(?ms)^ *```yaml\n(.*?)^ *```$")
	// Where a folder's own comment shows one, it is indented behind the sign.
	comment := regexp.MustCompile(`(?m)^#   (resources: \[\.\..*\])\n(?:#   (components: .*)\n)?`)
	found := map[string]map[string]any{}
	add := func(where, text string) {
		var kustomization map[string]any
		if yaml.Unmarshal([]byte(text), &kustomization) == nil && kustomization["resources"] != nil && kustomization["kind"] == nil &&
			strings.Contains(fmt.Sprint(kustomization["resources"]), "../") {
			found[fmt.Sprintf("%s %v %v", where, kustomization["resources"], kustomization["components"])] = kustomization
		}
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		must(t, err)
		for _, match := range block.FindAllStringSubmatch(string(text), -1) {
			add(filepath.Base(document), match[1])
		}
	}
	folders, _ := kustomizations(t)
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(root, "deploy", folder, "kustomization.yaml"))
		must(t, err)
		for _, match := range comment.FindAllStringSubmatch(string(text), -1) {
			add(folder, match[1]+"\n"+match[2])
		}
	}
	return found
}

type container struct{ name, image string }

// containersOf are those of what kustomize makes of a kustomization that lies in a folder of deploy/. What `./dev image` leaves in
// bin/image is played.
func containersOf(t *testing.T, kustomization map[string]any) (found []container) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	work, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	deploy, err := filepath.Rel(filepath.Join(work, "mine"), filepath.Join(root, "deploy"))
	must(t, err)
	write := func(folder string, content any) {
		text, err := yaml.Marshal(content)
		must(t, err)
		must(t, os.MkdirAll(filepath.Join(work, folder), 0o755))
		must(t, os.WriteFile(filepath.Join(work, folder, "kustomization.yaml"), text, 0o644))
	}
	write("image", map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component",
		"images": []any{map[string]any{"name": "steward", "newTag": "1.2.3-gabc", "digest": "sha256:" + strings.Repeat("a", 64)}},
	})
	kustomization = maps.Clone(kustomization)
	for _, key := range []string{"resources", "components"} {
		paths, _ := kustomization[key].([]any)
		placed := []any{}
		for _, path := range paths {
			below, inDeploy := strings.CutPrefix(path.(string), "../")
			if strings.HasSuffix(below, "bin/image") {
				placed = append(placed, "../image")
			} else if inDeploy {
				placed = append(placed, filepath.Join(deploy, below))
			}
		}
		kustomization[key] = placed
	}
	write("mine", kustomization)
	// What the documents have whoever installs it bring along.
	for _, file := range []string{"ca.crt", "tls.crt", "tls.key"} {
		must(t, os.WriteFile(filepath.Join(work, "mine", file), nil, 0o600))
	}
	text, err := shared.Kubectl(t.Context(), "kustomize", filepath.Join(work, "mine"))
	must(t, err)
	file := filepath.Join(work, "built.yaml")
	must(t, os.WriteFile(file, []byte(text), 0o644))
	objects, err := olm.Read(file)
	must(t, err)
	for _, object := range objects {
		found = append(found, containersIn(object.Object, object.GetName())...)
	}
	return found
}

// containersIn are those of pods, wherever in an object they are described.
func containersIn(value any, where string) (found []container) {
	switch value := value.(type) {
	case map[string]any:
		for key, each := range value {
			list, isList := each.([]any)
			if !isList || !slices.Contains([]string{"containers", "initContainers", "ephemeralContainers"}, key) {
				found = append(found, containersIn(each, where)...)
				continue
			}
			for _, one := range list {
				fields, _ := one.(map[string]any)
				image, _ := fields["image"].(string)
				found = append(found, container{name: fmt.Sprintf("%s/%v", where, fields["name"]), image: image})
			}
		}
	case []any:
		for _, each := range value {
			found = append(found, containersIn(each, where)...)
		}
	}
	return found
}
