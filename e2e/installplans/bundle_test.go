package installplans_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// steward runs bin/steward, and returns what it prints on standard output.
func steward(t *testing.T, args ...string) string {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	var said bytes.Buffer
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("steward %s: %v\n%s%s", strings.Join(args, " "), err, printed, said.String())
	}
	return string(printed)
}

// writeBundle makes the folder of a bundle: an operator, its definitions, and a monitor that is optional.
func writeBundle(t *testing.T, csv *olm.Object) string {
	t.Helper()
	folder := t.TempDir()
	manifests, metadata := filepath.Join(folder, "manifests"), filepath.Join(folder, "metadata")
	must(t, os.Mkdir(manifests, 0o755))
	must(t, os.Mkdir(metadata, 0o755))
	bundled := csv.DeepCopy()
	unstructured.RemoveNestedField(bundled.Object, "status")
	bundled.SetNamespace("")
	for i, each := range append(olm.DefinitionsOf(csv), bundled, monitor("", csv.GetName())) {
		each.SetNamespace("")
		text, err := yaml.Marshal(each.Object)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(manifests, fmt.Sprintf("%02d.yaml", i)), text, 0o644))
	}
	must(t, os.WriteFile(filepath.Join(metadata, "annotations.yaml"), []byte(olm.BundleAnnotations), 0o644))
	must(t, os.WriteFile(filepath.Join(metadata, "anything.yaml"), []byte(
		"properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - {group: monitoring.coreos.com, kind: "+unservedKind+
			", name: "+csv.GetName()+"}\n"), 0o644))
	return folder
}

// installFolder installs a bundle twice, the second time without effect, and waits for its plan.
func installFolder(t *testing.T, client dynamic.Interface, kubeconfig, namespace, folder string) *olm.Object {
	t.Helper()
	steward(t, "bundle", "lint", folder)
	var report struct{ InstallPlan string }
	for range 2 {
		printed := steward(t, "bundle", "install", folder, "-n", namespace, "--approve", "--ignore-requirements", "-o", "json",
			"--kubeconfig", kubeconfig)
		must(t, json.Unmarshal([]byte(printed), &report))
	}
	var plan *olm.Object
	eventually(t, func() (err error) {
		plan, err = client.Resource(installPlans).Namespace(namespace).Get(t.Context(), report.InstallPlan, metav1.GetOptions{})
		if err == nil && phaseOf(plan) != "Complete" {
			err = fmt.Errorf("%s is %q, its steps are %q: %s", report.InstallPlan, phaseOf(plan), statusesOf(plan), messageOf(plan))
		}
		return err
	})
	return plan
}

// Bundles of published operators, installed by `steward bundle install`: behind a real kube-apiserver, and on `steward up`.
func TestBundles_R_002_17_22_OfPublishedOperators(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	if path, exists := olm.Published(root, olm.PublishedCSVs); !exists {
		t.Skipf("%s is not there", path)
	}
	csvs, err := olm.RealCSVs(root)
	must(t, err)
	up, err := embedded.Start(filepath.Join(t.TempDir(), "up"), "--feature-gates=OptionalManifests=true")
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
	for _, prefix := range []string{"strimzi-cluster-operator", "jaeger-operator", "cert-manager"} {
		at := slices.IndexFunc(csvs, func(csv *olm.Object) bool { return strings.HasPrefix(csv.GetName(), prefix) })
		if at < 0 {
			t.Fatalf("%s is not among the published operators", prefix)
		}
		csv := csvs[at]
		folder := writeBundle(t, csv)
		for name, client := range map[string]dynamic.Interface{up.Kubeconfig: up.Any, shared.Admin: shared.Any} {
			namespace := "bundle-" + prefix
			must(t, olm.Create(t.Context(), client, olm.Namespace(namespace)))
			must(t, olm.Create(t.Context(), client, olm.OperatorGroup(namespace, "group", namespace)))
			plan := installFolder(t, client, name, namespace, folder)
			statuses := statusesOf(plan)
			if count := len(slices.DeleteFunc(slices.Clone(statuses), func(status string) bool { return status != "NotCreated" })); count != 1 {
				t.Errorf("%s: the steps are %q", csv.GetName(), statuses)
			}
			contains(t, "the message", messageOf(plan), unservedKind)
			_, err := client.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), csv.GetName(), metav1.GetOptions{})
			must(t, err)
		}
	}
}
