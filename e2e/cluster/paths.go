package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// paths is where things are, from the environment or beside the repository.
type paths struct {
	root    string // the repository
	tools   string // etcd, kube-apiserver, kube-controller-manager, kubectl
	steward string // the binary under test
}

func findPaths() (paths, error) {
	root, err := Root()
	if err != nil {
		return paths{}, err
	}
	p := paths{
		root:    root,
		tools:   fromEnv("STEWARD_TOOLS", filepath.Join(root, "bin", "tools")),
		steward: binary(root),
	}
	if _, err := os.Stat(filepath.Join(p.tools, "kube-apiserver")); err != nil {
		return p, fmt.Errorf("no Kubernetes to run (e2e/build-tools.sh builds it, or point STEWARD_TOOLS at one): %w", err)
	}
	return p, nil
}

// Binary is the program under test.
func Binary() (string, error) {
	root, err := Root()
	return binary(root), err
}

func binary(root string) string { return fromEnv("STEWARD_BIN", filepath.Join(root, "bin", "steward")) }

// Root is the repository's folder: the nearest one upwards that holds e2e/go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "e2e", "go.mod")); err == nil {
			return filepath.EvalSymlinks(dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("not inside the repository: no e2e/go.mod here or above")
		}
		dir = parent
	}
}

func fromEnv(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		if abs, err := filepath.Abs(value); err == nil {
			return abs
		}
		return value
	}
	return otherwise
}
