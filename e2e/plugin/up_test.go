package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
)

// An operator with two custom resources, one of them outside of where it works.
const upManifests = `apiVersion: v1
kind: Namespace
metadata: {name: ops}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.example.com, labels: {olm.managed: "true"}}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: carts, kind: Cart}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: group, namespace: ops}
spec: {targetNamespaces: [shop]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: carts.v1, namespace: ops}
spec:
  displayName: Carts
  cleanup: {enabled: true}
  install: {strategy: deployment, spec: {deployments: []}}
  customresourcedefinitions:
    owned: [{name: carts.example.com, version: v1, kind: Cart}]
status: {phase: Succeeded, reason: InstallSucceeded}
---
apiVersion: example.com/v1
kind: Cart
metadata: {name: one, namespace: shop}
spec: {wheels: 4}
---
apiVersion: example.com/v1
kind: Cart
metadata: {name: two, namespace: ops}
`

// The same on a store of its own, without a cluster.
func TestUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := cluster.Root()
	must(t, err)
	manifests := filepath.Join(dir, "manifests.yaml")
	must(t, os.WriteFile(manifests, []byte(upManifests), 0o644))
	up, err := embedded.Start(filepath.Join(dir, "data"), "--load", filepath.Join(root, "examples", "crds"), "--load", manifests)
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(patience)) })

	stdout, _, code := run(t, up.Kubeconfig, "status", "-A")
	ends(t, code, 0, stdout, "carts.v1")
	folder := filepath.Join(dir, "saved")
	stdout, _, code = run(t, up.Kubeconfig, "uninstall", "carts.v1", "-n", "ops", "--cleanup", "--yes", "--save", folder)
	ends(t, code, 0, stdout, "and so is the custom resource that was to be deleted; 1 was kept")
	carts, err := cluster.RunKubectl(t.Context(), dir, up.Kubeconfig, nil, "get", "carts.example.com", "-A", "-o", "name")
	must(t, err)
	if strings.TrimSpace(carts) != "cart.example.com/two" {
		t.Errorf("carts: %q", carts)
	}
	stdout, _, code = run(t, up.Kubeconfig, "restore", folder, "--yes")
	ends(t, code, 0, stdout, "Restored 1 custom resource")
}
