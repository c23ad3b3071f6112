package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Values that mean nothing are refused, with what is wrong.
func TestValues_WrongOnesAreRefused(t *testing.T) {
	for _, row := range []struct{ values, sentence string }{
		{`{}`, "image.tag or image.digest has to say which image it is: ./dev image prints both"},
		{anImage + `imagePullSecret: []`, "additional properties 'imagePullSecret' not allowed"},
		{anImage + `apiserver: {replica: 3}`, "at '/apiserver': additional properties 'replica' not allowed"},
		{anImage + `controllers: {replicas: three}`, "at '/controllers/replicas': got string, want integer"},
		{anImage + `controllers: {replicas: -1}`, "at '/controllers/replicas': minimum: got -1, want 0"},
		{anImage + `apiserver: {port: 443}`, "at '/apiserver/port': minimum: got 443, want 1,024"},
		{anImage + `apiserver: {extraArgs: ["v=2"]}`, "at '/apiserver/extraArgs/0': 'v=2' does not match pattern '^--[a-z]'"},
		{anImage + `apiserver: {hostIPC: true}`, "at '/apiserver': additional properties 'hostIPC' not allowed"},
		{anImage + `apiserver: {resources: {limit: {}}}`, "at '/apiserver/resources': additional properties 'limit' not allowed"},
		{anImage + `certificates: {provider: vault}`, "at '/certificates/provider': value must be one of 'steward', 'cert-manager', 'openshift'"},
		{anImage + `families: {catalogs: {enabled: true}}`, "at '/families': additional properties 'catalogs' not allowed"},
		{anImage + `families: {copies: {enabled: "yes"}}`, "at '/families/copies/enabled': got string, want boolean"},
		{anImage + `families: {installPlans: {optionalManifests: true}}`,
			"families.installPlans.optionalManifests and bundlePreviews need families.installPlans.enabled"},
		{anImage + `families: {installPlans: {bundlePreviews: true}}`,
			"families.installPlans.optionalManifests and bundlePreviews need families.installPlans.enabled"},
		{anImage + `console: {enabled: true}`, "console.enabled is for OpenShift, where certificates.provider is openshift"},
		{anImage + `nodeSelector: {kubernetes.io/arch: arm64}`, "nodeSelector cannot choose kubernetes.io/arch and kubernetes.io/os: the image is for linux on amd64"},
		{anImage + `affinity: {podAntiAffinity: {}}`, "at '/affinity': additional properties 'podAntiAffinity' not allowed"},
		{anImage + `tolerations: [{key: a, operator: Equals}]`, "at '/tolerations/0/operator': value must be one of 'Exists', 'Equal', 'Lt', 'Gt'"},
		{anImage + `egress: {kubeApiserverPorts: []}`, "at '/egress/kubeApiserverPorts': minItems: got 0, want 1"},
		{`image: {repository: "steward@sha256:0"}`, "at '/image/repository': 'steward@sha256:0' does not match pattern"},
		{`image: {tag: "v1+2"}`, "at '/image/tag': 'v1+2' does not match pattern"},
		{`image: {digest: "` + digest + `"}`, "at '/image/digest': '" + digest + "' does not match pattern"},
		{`image: {tag: v1, pullPolicy: Sometimes}`, "at '/image/pullPolicy': value must be one of '', 'Always', 'IfNotPresent', 'Never'"},
	} {
		t.Run(row.values, func(t *testing.T) {
			t.Parallel()
			if _, err := template(t, chart(), []string{row.values}); err == nil || !strings.Contains(err.Error(), row.sentence) {
				t.Errorf("it says %v, and not %q", err, row.sentence)
			}
		})
	}
}

func TestValues_TheNamespaceIsFixed(t *testing.T) {
	const sentence = "Steward's namespace is steward-system, by which its policies know its accounts: --namespace steward-system"
	if _, err := template(t, chart(), []string{anImage}, "--namespace", "elsewhere"); err == nil || !strings.Contains(err.Error(), sentence) {
		t.Errorf("it says %v", err)
	}
}

func TestChart_HasNothingThatLintersMind(t *testing.T) {
	out, err := helm(t.Context(), "lint", "--strict", chart(), "--namespace", "steward-system", "--set", "image.tag=v1.0.0")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// packed is the chart as ./dev image leaves it beside an image, in a folder bin/image below dir.
func packed(t *testing.T, dir, version string) string {
	t.Helper()
	folder := filepath.Join(dir, "bin", "image")
	must(t, os.MkdirAll(folder, 0o755))
	must(t, os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(`# The image
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
- name: steward
  newTag: `+strings.ReplaceAll(version, "+", "-")+`
  digest: sha256:`+digest+`
`), 0o644))
	script := `source tools/dev/common.sh && source tools/dev/chart.sh && make_chart deploy/helm docker.io/library/steward "$1" 1700000000 "$2"`
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script, "bash", version, folder)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(folder, "steward-chart-"+strings.ReplaceAll(version, "+", "-")+".tgz")
}

// The chart that ./dev image leaves has that image, and is the same each time.
func TestChart_IsPackedWithItsImage(t *testing.T) {
	const version = "1.2.3+g0be96ef"
	file := packed(t, t.TempDir(), version)
	first, err := os.ReadFile(file)
	must(t, err)
	again, err := os.ReadFile(packed(t, t.TempDir(), version))
	must(t, err)
	if string(first) != string(again) {
		t.Error("packing it twice makes two")
	}
	shown, err := helm(t.Context(), "show", "chart", file)
	must(t, err)
	for _, line := range []string{"version: " + version, "appVersion: " + version} {
		if !strings.Contains("\n"+shown, "\n"+line+"\n") {
			t.Errorf("it does not say %q:\n%s", line, shown)
		}
	}
	got, err := template(t, file, nil, "--no-hooks")
	must(t, err)
	compare(t, objects(t, got), kustomized(t, `
resources: [OVERLAYS/standalone]
images: [{name: steward, newName: docker.io/library/steward, newTag: 1.2.3-g0be96ef, digest: "sha256:`+digest+`"}]
`))
}
