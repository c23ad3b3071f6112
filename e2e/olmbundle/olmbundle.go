// Package olmbundle makes Steward's own bundle for OLM of deploy/overlays/beside-olm, so that each right, flag and object of deploy/ is in
// it. A kind of object that it does not know is an error.
package olmbundle

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/overlay"
)

const (
	// Folder is where the bundle is kept in the tree, and Overlay what it is made of.
	Folder  = "deploy/olm"
	Overlay = "deploy/overlays/beside-olm"

	// Namespace is the only one that Steward's admission policies know its accounts in.
	Namespace = "steward-system"

	// PoliciesFile has what no bundle may hold, to be applied before the bundle is installed.
	PoliciesFile = "policies.yaml"

	csvKind    = "ClusterServiceVersion"
	imageName  = "steward"
	channel    = "alpha"
	rbacGroup  = "rbac.authorization.k8s.io"
	packageKey = "operators.operatorframework.io.bundle."
	// guardName is the ClusterRole that owns the APIService: the guard looks for it by this name.
	guardName = "steward-apiservice-guard"
)

type (
	object = unstructured.Unstructured
	fields = map[string]any
)

// Options say how one bundle differs from another. Their zero value is the bundle of this tree.
type Options struct {
	Version  string // "1.2.3"
	Replaces string // the name of a ClusterServiceVersion
	Image    string
}

// Bundle is a bundle in the format registry+v1, and what has to be in the cluster before.
type Bundle struct {
	CSV       *object
	Manifests []*object
	// Policies are of kinds that no bundle may hold: the namespace, admission policies, flow control, network policies, and the OperatorGroup.
	Policies []*object
}

// versionLine is where the program's version stands in its source.
var versionLine = regexp.MustCompile(`kVersion\[\] = "v([^"]+)"`)

func versionOf(root string) (string, error) {
	path := filepath.Join(root, "cmd", "steward", "version.cc")
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	found := versionLine.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%s has no version", path)
	}
	return string(found[1]), nil
}

// Generate makes the bundle of the tree at root.
func Generate(root string, options Options) (*Bundle, error) {
	if options.Version == "" {
		version, err := versionOf(root)
		if err != nil {
			return nil, err
		}
		options.Version = version
	}
	if options.Image == "" {
		options.Image = imageName + ":v" + options.Version
	}
	objects, err := overlay.Render(filepath.Join(root, filepath.FromSlash(Overlay)))
	if err != nil {
		return nil, err
	}
	sorted, err := sortOut(objects)
	if err != nil {
		return nil, err
	}
	bundle := &Bundle{Manifests: sorted.manifests, Policies: append(sorted.policies, operatorGroup(sorted.policies[0].GetLabels()))}
	if bundle.CSV, err = makeCSV(sorted, options); err != nil {
		return nil, err
	}
	for _, each := range bundle.Manifests {
		each.SetNamespace("")
		if each.GetKind() == "ClusterRole" && each.GetName() == guardName {
			markOwned(each, bundle.CSV.GetName())
		}
	}
	return bundle, nil
}

// markOwned adds the labels by which OLM deletes a ClusterRole with its ClusterServiceVersion. OLM adds them only to those that it makes of
// the ClusterServiceVersion itself, and the APIService has to go with the role that owns it.
func markOwned(role *object, csv string) {
	labels := role.GetLabels()
	maps.Copy(labels, map[string]string{"olm.owner": csv, "olm.owner.kind": csvKind, "olm.owner.namespace": Namespace})
	role.SetLabels(labels)
}

// operatorGroup has operators of the namespace work in all namespaces.
func operatorGroup(labels map[string]string) *object {
	group := &object{Object: fields{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "spec": fields{}}}
	group.SetName("steward")
	group.SetNamespace(Namespace)
	group.SetLabels(map[string]string{partOf: labels[partOf], "app.kubernetes.io/name": labels["app.kubernetes.io/name"]})
	return group
}

const partOf = "app.kubernetes.io/part-of"

// annotations say to OLM what the folder is.
func annotations() map[string]string {
	return map[string]string{
		packageKey + "mediatype.v1":       "registry+v1",
		packageKey + "manifests.v1":       "manifests/",
		packageKey + "metadata.v1":        "metadata/",
		packageKey + "package.v1":         "steward",
		packageKey + "channels.v1":        channel,
		packageKey + "channel.default.v1": channel,
	}
}

// dockerfile makes the bundle's image, whose labels repeat the annotations.
func dockerfile() string {
	text := "FROM scratch\n"
	all := annotations()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		text += fmt.Sprintf("LABEL %s=%s\n", key, all[key])
	}
	return text + "COPY manifests /manifests/\nCOPY metadata /metadata/\n"
}

// fileOf names an object's file, one object in each, as OLM reads the first alone.
func fileOf(each *object) string {
	name := strings.ReplaceAll(each.GetName(), ":", "-")
	return fmt.Sprintf("%s.%s.yaml", name, strings.ToLower(each.GetKind()))
}

// Write replaces the bundle in a folder.
func (b *Bundle) Write(folder string) error {
	files := map[string]string{"Dockerfile": dockerfile()}
	add := func(path string, values ...any) error {
		if _, twice := files[path]; twice {
			return fmt.Errorf("two objects are called %s", path)
		}
		var texts []string
		for _, value := range values {
			text, err := yaml.Marshal(value)
			if err != nil {
				return err
			}
			texts = append(texts, string(text))
		}
		files[path] = strings.Join(texts, "---\n")
		return nil
	}
	if err := add("manifests/steward.clusterserviceversion.yaml", b.CSV.Object); err != nil {
		return err
	}
	for _, each := range b.Manifests {
		if err := add("manifests/"+fileOf(each), each.Object); err != nil {
			return err
		}
	}
	var policies []any
	for _, each := range b.Policies {
		policies = append(policies, each.Object)
	}
	if err := add(PoliciesFile, policies...); err != nil {
		return err
	}
	if err := add("metadata/annotations.yaml", fields{"annotations": annotations()}); err != nil {
		return err
	}
	for _, part := range []string{"manifests", "metadata"} {
		if err := os.RemoveAll(filepath.Join(folder, part)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(folder, part), 0o755); err != nil {
			return err
		}
	}
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(path)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
