// chart writes deploy/helm, a Helm chart, of the manifests in deploy/base and deploy/overlays.
//
//	chart DEPLOY VERSION OUT
//
// Each combination of settings (settings.go) is an overlay. What kustomize makes of them (render.go) is merged into one set of
// manifests, in which each part knows the combinations that have it (merge.go), and written as templates: what not every combination
// has stands in an `if` (write.go). What values may change besides is named in values.go. The rest of the chart lies in files/.
package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed all:files
var files embed.FS

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: chart DEPLOY VERSION OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(deploy, version, out string) error {
	if err := allFoldersAreNamed(deploy); err != nil {
		return err
	}
	var renderings []rendering
	for _, each := range combinations() {
		objects, err := render(deploy, each)
		if err != nil {
			return err
		}
		renderings = append(renderings, rendering{each, objects})
	}
	merged, err := mergeObjects(renderings)
	if err != nil {
		return err
	}
	w := &writer{out: out, renderings: renderings}
	values, err := w.parameterize(merged)
	if err != nil {
		return err
	}
	if err := w.writeTemplates(merged); err != nil {
		return err
	}
	return copyFiles(out, version, values)
}

// copyFiles writes what files/ has. values.yaml there has places for what the manifests say of each Deployment, and Chart.yaml for the
// version.
func copyFiles(out, version string, values deploymentValues) error {
	fill := template.FuncMap{"version": func() string { return version }, "deployment": values.text}
	return fs.WalkDir(files, "files", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, "files/")
		if name == "values.yaml" || name == "Chart.yaml" {
			parsed, err := template.New(name).Delims("<<", ">>").Funcs(fill).Parse(string(text))
			if err != nil {
				return err
			}
			var filled bytes.Buffer
			if err := parsed.Execute(&filled, nil); err != nil {
				return err
			}
			text = filled.Bytes()
		}
		return write(filepath.Join(out, name), text)
	})
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
