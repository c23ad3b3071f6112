package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// rendering is what kustomize makes of the settings.
type rendering struct {
	settings settings
	objects  []object
}

// object is one of the manifests.
type object struct {
	source           string // its file, below deploy/
	kind, namespace  string
	name, apiVersion string
	node             *yaml.Node
}

func (o object) String() string {
	return fmt.Sprintf("%s %s %s/%s", o.apiVersion, o.kind, o.namespace, o.name)
}

const originAnnotation = "config.kubernetes.io/origin"

func render(deploy string, s settings) (objects []object, err error) {
	dir, err := os.MkdirTemp("", "steward-chart-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// kustomize takes relative paths only, and resolves links first.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	root, err := filepath.Abs(deploy)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	way, err := filepath.Rel(dir, root)
	if err != nil {
		return nil, err
	}
	o := s.overlay()
	var text strings.Builder
	text.WriteString("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nbuildMetadata: [originAnnotations]\n")
	for name, folders := range map[string][]string{"resources": o.resources, "components": o.components} {
		fmt.Fprintf(&text, "%s:\n", name)
		for _, each := range folders {
			fmt.Fprintf(&text, "- %s\n", filepath.Join(way, each))
		}
	}
	if o.patches != "" {
		fmt.Fprintf(&text, "patches:%s", o.patches)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	for _, each := range built.Resources() {
		// Helm keeps its own record in the namespace, which is there before the chart.
		if each.GetKind() == "Namespace" {
			continue
		}
		origin, err := each.GetOrigin()
		if err != nil {
			return nil, err
		}
		path := origin.Path
		if path == "" {
			path = origin.ConfiguredIn
		}
		source, err := filepath.Rel(root, filepath.Join(dir, path))
		if err != nil {
			return nil, err
		}
		annotations := each.GetAnnotations()
		delete(annotations, originAnnotation)
		if err := each.SetAnnotations(annotations); err != nil {
			return nil, err
		}
		// As it is printed: kustomize has some line breaks of folded texts twice then, and so have clusters.
		text, err := each.AsYAML()
		if err != nil {
			return nil, err
		}
		printed, err := yaml.Parse(string(text))
		if err != nil {
			return nil, err
		}
		objects = append(objects, object{source, each.GetKind(), each.GetNamespace(), each.GetName(), each.GetApiVersion(), printed.YNode()})
	}
	return objects, nil
}
