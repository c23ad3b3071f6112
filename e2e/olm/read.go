// Package olm plays the part of OLM where there is none: it puts CSVs, OperatorGroups and namespaces into a cluster,
// with the annotations and the status that OLM would write, and knows what OLM's copies of a CSV look like.
package olm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Object is what everything here reads and writes.
type Object = unstructured.Unstructured

// Read returns the objects of YAML files, several per file, in order. A folder stands for its YAML files by name.
func Read(paths ...string) ([]*Object, error) {
	var objects []*Object
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			files, _ = filepath.Glob(filepath.Join(path, "*.yaml"))
		}
		for _, file := range files {
			found, err := readFile(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			objects = append(objects, found...)
		}
	}
	return objects, nil
}

func readFile(path string) ([]*Object, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []*Object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &Object{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, err
		case len(object.Object) > 0:
			// Numbers as a client of the API reads them: int64 where possible.
			text, err := object.MarshalJSON()
			if err != nil {
				return nil, err
			}
			if err := object.UnmarshalJSON(text); err != nil {
				return nil, err
			}
			objects = append(objects, object)
		}
	}
}

// Examples reads the project's own objects: namespaces, then OperatorGroups, then CSVs.
func Examples(root string) ([]*Object, error) {
	dir := filepath.Join(root, "examples")
	return Read(filepath.Join(dir, "namespaces.yaml"), filepath.Join(dir, "operatorgroups.yaml"), filepath.Join(dir, "operators"))
}

// CRDs reads the definitions of OLM's APIs: OLM's own, where ../shared has them, else the small ones of examples/.
func CRDs(root string) ([]*Object, error) {
	if dir, exists := Published(root, PublishedCRDs); exists {
		return Read(dir)
	}
	return Read(filepath.Join(root, "examples", "crds"))
}

// RealCSVs reads CSVs of published operators, where ../shared has them; none otherwise.
func RealCSVs(root string) ([]*Object, error) {
	if dir, exists := Published(root, PublishedCSVs); exists {
		return Read(dir)
	}
	return nil, nil
}

// Folders of what others have published.
const (
	PublishedCRDs = "olm-crds"
	PublishedCSVs = "csvs"
)

// Published is where a folder of ../shared would be, and says whether it is there.
func Published(root, folder string) (path string, exists bool) {
	path = filepath.Join(root, "..", "shared", folder)
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

// Supports says whether a CSV can be installed in an install mode.
func Supports(csv *Object, mode string) bool {
	modes, _, _ := unstructured.NestedSlice(csv.Object, "spec", "installModes")
	for _, each := range modes {
		fields, _ := each.(map[string]any)
		if fields["type"] == mode && fields["supported"] == true {
			return true
		}
	}
	return false
}

// text is a string field of an object, "" where absent.
func text(object *Object, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return strings.TrimSpace(value)
}
