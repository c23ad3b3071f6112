package chart

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"steward.dev/e2e/cluster"
)

// anImage names an image in values, and in a kustomization.
const (
	anImage          = "image: {repository: registry.example.com/steward, tag: v1.0.0}\n"
	anImageKustomize = "images: [{name: steward, newName: registry.example.com/steward, newTag: v1.0.0}]\n"
)

// overlays are values, and the overlay that is the same. OVERLAYS is the folder of the overlays.
var overlays = []struct{ name, values, overlay string }{
	{"standalone", ``, `resources: [OVERLAYS/standalone]`},
	{"beside-olm", `besideOlm: true`, `resources: [OVERLAYS/beside-olm]`},
	{"cert-manager", `certificates: {provider: cert-manager}`, `resources: [OVERLAYS/cert-manager]`},
	{"openshift", `certificates: {provider: openshift}`, `resources: [OVERLAYS/openshift]`},
	{"cleanup-all-apis", `cleanup: {allApis: true}`, `resources: [OVERLAYS/standalone, OVERLAYS/cleanup-all-apis]`},
	{"cleanup-supported-by-default", `cleanup: {supportedByDefault: true}`, `
resources: [OVERLAYS/standalone]
components: [OVERLAYS/cleanup-supported-by-default]`},
	{"beside OLM, cleanup", `{besideOlm: true, cleanup: {allApis: true, supportedByDefault: true}}`, `
resources: [OVERLAYS/beside-olm, OVERLAYS/cleanup-all-apis]
components: [OVERLAYS/cleanup-supported-by-default]`},
	{"beside OLM, monitoring, egress", `{besideOlm: true, monitoring: {enabled: true}, egress: {enabled: true}}`, `
resources: [OVERLAYS/beside-olm, OVERLAYS/prometheus, OVERLAYS/egress]`},
	{"beside OLM, with cert-manager", `{besideOlm: true, certificates: {provider: cert-manager}}`, `
resources: [OVERLAYS/cert-manager]
patches:
- target: {kind: Deployment, name: steward-controllers}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --reconcilers=cleanup}`},
	{"host-network", `apiserver: {hostNetwork: true}`, `
resources: [OVERLAYS/standalone]
components: [OVERLAYS/host-network]`},
	{"copies", `families: {copies: {enabled: true}}`, `
resources: [OVERLAYS/standalone, OVERLAYS/copies]
components: [OVERLAYS/copies/apiserver]`},
	{"install-plans", `families: {installPlans: {enabled: true}}`, `
resources: [OVERLAYS/standalone, OVERLAYS/install-plans]
components: [OVERLAYS/install-plans/apiserver]`},
	{"optional-manifests", `families: {installPlans: {enabled: true, optionalManifests: true}}`, `
resources: [OVERLAYS/standalone, OVERLAYS/install-plans]
components: [OVERLAYS/install-plans/apiserver, OVERLAYS/optional-manifests]`},
	{"bundle-previews", `families: {installPlans: {enabled: true, bundlePreviews: true}}`, `
resources: [OVERLAYS/standalone, OVERLAYS/install-plans]
components: [OVERLAYS/install-plans/apiserver, OVERLAYS/install-plans/bundle-previews]`},
	{"operators", `families: {operators: {enabled: true}}`, `resources: [OVERLAYS/standalone, OVERLAYS/operators]`},
	{"payload", `families: {payload: {enabled: true}}`, `resources: [OVERLAYS/standalone, OVERLAYS/payload]`},
	{"all that OLM does, with cert-manager", `
certificates: {provider: cert-manager}
families: {copies: {enabled: true}, installPlans: {enabled: true, optionalManifests: true, bundlePreviews: true}, operators: {enabled: true}}`, `
resources: [OVERLAYS/cert-manager, OVERLAYS/copies, OVERLAYS/install-plans, OVERLAYS/operators]
components: [OVERLAYS/copies/apiserver, OVERLAYS/install-plans/apiserver, OVERLAYS/install-plans/bundle-previews, OVERLAYS/optional-manifests]`},
	{"prometheus", `monitoring: {enabled: true}`, `resources: [OVERLAYS/standalone, OVERLAYS/prometheus]`},
	{"prometheus with cert-manager", `{certificates: {provider: cert-manager}, monitoring: {enabled: true}}`, `
resources: [OVERLAYS/cert-manager, OVERLAYS/prometheus, OVERLAYS/standalone/certificates]
patches:
- target: {kind: Deployment, name: steward-certificates}
  patch: |
    - {op: test, path: /spec/template/spec/containers/0/args/1, value: "--reconcilers=certificates,metrics-token"}
    - {op: replace, path: /spec/template/spec/containers/0/args/1, value: --reconcilers=metrics-token}`},
	{"prometheus on OpenShift", `{certificates: {provider: openshift}, monitoring: {enabled: true}}`, `
resources: [OVERLAYS/openshift, OVERLAYS/prometheus]`},
	{"all that OLM does, on OpenShift", `
certificates: {provider: openshift}
families: {copies: {enabled: true}, installPlans: {enabled: true}, operators: {enabled: true}, payload: {enabled: true}}`, `
resources: [OVERLAYS/openshift, OVERLAYS/copies, OVERLAYS/install-plans, OVERLAYS/operators, OVERLAYS/payload]
components: [OVERLAYS/openshift/users, OVERLAYS/copies/apiserver, OVERLAYS/install-plans/apiserver]`},
	{"console", `{certificates: {provider: openshift}, console: {enabled: true}}`, `
resources: [OVERLAYS/openshift, OVERLAYS/console]
components: [OVERLAYS/openshift/users]`},
	{"OpenShift, all that is for it", `
{certificates: {provider: openshift}, console: {enabled: true}, monitoring: {enabled: true}, egress: {enabled: true}, cleanup: {allApis: true, supportedByDefault: true}}`, `
resources: [OVERLAYS/openshift, OVERLAYS/cleanup-all-apis, OVERLAYS/console, OVERLAYS/prometheus, OVERLAYS/egress]
components: [OVERLAYS/openshift/users, OVERLAYS/cleanup-supported-by-default]`},
	{"egress", `egress: {enabled: true}`, `resources: [OVERLAYS/standalone, OVERLAYS/egress]`},
	{"everything but the console", `
cleanup: {allApis: true, supportedByDefault: true}
families: {copies: {enabled: true}, installPlans: {enabled: true, optionalManifests: true, bundlePreviews: true}, operators: {enabled: true}, payload: {enabled: true}}
monitoring: {enabled: true}
egress: {enabled: true}`, `
resources: [OVERLAYS/standalone, OVERLAYS/cleanup-all-apis, OVERLAYS/copies, OVERLAYS/install-plans, OVERLAYS/operators, OVERLAYS/payload,
  OVERLAYS/prometheus, OVERLAYS/egress]
components: [OVERLAYS/cleanup-supported-by-default, OVERLAYS/copies/apiserver, OVERLAYS/install-plans/apiserver,
  OVERLAYS/install-plans/bundle-previews, OVERLAYS/optional-manifests]`},
}

// With the values of an overlay Helm makes what kustomize makes of it, object by object, and neither more nor less.
func TestTemplates_AreTheOverlays(t *testing.T) {
	for _, row := range overlays {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := template(t, chart(), []string{anImage, row.values}, "--no-hooks")
			must(t, err)
			compare(t, objects(t, got), kustomized(t, row.overlay+"\n"+anImageKustomize))
		})
	}
}

// Values that change what is there do so as a patch would.
func TestTemplates_ValuesAreLikePatches(t *testing.T) {
	for _, row := range []struct{ name, values, overlay string }{
		{"replicas, resources, arguments", anImage + `
apiserver: {replicas: 3, extraArgs: [--v=2], resources: {limits: {memory: 2Gi}}}
controllers: {replicas: 1, resources: {limits: {memory: null}}}`, `
resources: [OVERLAYS/standalone]
replicas: [{name: steward-apiserver, count: 3}, {name: steward-controllers, count: 1}]
patches:
- target: {kind: Deployment, name: steward-apiserver}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --v=2}
    - {op: replace, path: /spec/template/spec/containers/0/resources/limits/memory, value: 2Gi}
- target: {kind: Deployment, name: steward-controllers}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/resources/limits, value: {}}
` + anImageKustomize},
		{"the API server's port", anImage + `
apiserver: {port: 10250}
egress: {enabled: true}`, `
resources: [OVERLAYS/standalone, OVERLAYS/egress]
patches:
- target: {kind: Deployment, name: steward-apiserver}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/args/1, value: --secure-port=10250}
    - {op: replace, path: /spec/template/spec/containers/0/ports/0/containerPort, value: 10250}
- target: {kind: NetworkPolicy, name: steward-apiservice-guard-egress}
  patch: |
    - {op: replace, path: /spec/egress/0/ports/0/port, value: 10250}
` + anImageKustomize},
		{"where others are", anImage + `
monitoring: {enabled: true, namespace: openshift-monitoring}
egress: {enabled: true, kubeApiserverPorts: [8443]}`, `
resources: [OVERLAYS/standalone, OVERLAYS/prometheus, OVERLAYS/egress]
patches:
- target: {kind: NetworkPolicy, name: steward-controllers-prometheus}
  patch: |
    - {op: replace, path: /spec/ingress/0/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name, value: openshift-monitoring}
- target: {kind: NetworkPolicy, name: steward-egress}
  patch: |
    - {op: replace, path: /spec/egress/0/ports, value: [{port: 8443, protocol: TCP}]}
` + anImageKustomize},
		{"image by digest", `image: {repository: steward, digest: "sha256:` + digest + `", pullPolicy: Never}`, `
resources: [OVERLAYS/standalone]
images: [{name: steward, digest: "sha256:` + digest + `"}]
patches:
- target: {kind: Deployment}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/imagePullPolicy, value: Never}`},
		{"nodes", anImage + `
nodeSelector: {pool: infra}
tolerations: [{key: infra, operator: Exists, effect: NoSchedule}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
imagePullSecrets: [{name: registry}]
guard: {priorityClassName: system-cluster-critical}
controllers: {priorityClassName: low}`, `
resources: [OVERLAYS/standalone]
patches:
- target: {kind: Deployment}
  patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any}
    spec:
      template:
        spec:
          nodeSelector: {pool: infra}
          tolerations: [{key: infra, operator: Exists, effect: NoSchedule}]
          affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
          imagePullSecrets: [{name: registry}]
- target: {kind: Deployment, name: steward-apiservice-guard}
  patch: |
    - {op: replace, path: /spec/template/spec/priorityClassName, value: system-cluster-critical}
- target: {kind: Deployment, name: steward-controllers}
  patch: |
    - {op: add, path: /spec/template/spec/priorityClassName, value: low}
` + anImageKustomize},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := template(t, chart(), []string{row.values}, "--no-hooks")
			must(t, err)
			compare(t, objects(t, got), kustomized(t, row.overlay))
		})
	}
}

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Every folder of deploy/ that is one is in a row above, or a part of one that is.
func TestTemplates_AllOverlaysAreCompared(t *testing.T) {
	var rows strings.Builder
	for _, row := range overlays {
		rows.WriteString(row.overlay)
	}
	folder := filepath.Join(root, "deploy", "overlays")
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "kustomization.yaml" {
			return err
		}
		name, err := filepath.Rel(folder, filepath.Dir(path))
		// Definitions of OLM's.
		if name != "copies/crds" && !slices.ContainsFunc([]string{",", "]"}, func(end string) bool {
			return strings.Contains(rows.String(), "OVERLAYS/"+name+end)
		}) {
			t.Errorf("nothing compares deploy/overlays/%s with the chart", name)
		}
		return err
	}))
}

// kustomized is what kustomize makes of an overlay.
func kustomized(t *testing.T, overlay string) map[string]map[string]any {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	way, err := filepath.Rel(dir, filepath.Join(root, "deploy", "overlays"))
	must(t, err)
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n" + strings.ReplaceAll(overlay, "OVERLAYS", way)
	must(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644))
	out, err := cluster.RunKubectl(t.Context(), dir, filepath.Join(dir, "none"), nil, "kustomize", dir)
	must(t, err)
	found := objects(t, out)
	// Helm keeps its record in the namespace, which is applied before.
	const namespace = "v1 Namespace /steward-system"
	if found[namespace] == nil {
		t.Error("kustomize makes no namespace")
	}
	delete(found, namespace)
	return found
}

// objects are those of YAML documents.
func objects(t *testing.T, documents string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(documents), 4096)
	for {
		var each unstructured.Unstructured
		err := decoder.Decode(&each.Object)
		if errors.Is(err, io.EOF) {
			return found
		}
		must(t, err)
		if len(each.Object) == 0 {
			continue
		}
		name := fmt.Sprintf("%s %s %s/%s", each.GetAPIVersion(), each.GetKind(), each.GetNamespace(), each.GetName())
		if found[name] != nil {
			t.Errorf("%s is there twice", name)
		}
		found[name] = each.Object
	}
}

func compare(t *testing.T, got, want map[string]map[string]any) {
	t.Helper()
	if len(want) < 50 {
		t.Errorf("kustomize makes only %d objects", len(want))
	}
	for name := range want {
		if got[name] == nil {
			t.Errorf("Helm does not make %s", name)
		} else if diff := cmp.Diff(want[name], got[name]); diff != "" {
			t.Errorf("%s (- kustomize, + Helm):\n%s", name, diff)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("Helm makes %s, and kustomize does not", name)
		}
	}
}
