package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// copyOf is OLM's copy of a CSV in a namespace. OLM writes it with types that have no absent `cleanup`.
func copyOf(csv *olm.Object, namespace string) *olm.Object {
	copied := olm.View(csv, namespace)
	copied.SetAPIVersion(csv.GetAPIVersion())
	copied.SetKind(csv.GetKind())
	copied.Object["status"].(map[string]any)["cleanup"] = map[string]any{}
	return copied
}

// verified is a report of `copied-csvs verify` of one namespace, once it is as wanted: Steward's view follows a moment later.
func verified(t *testing.T, want int, namespace string, differences ...string) map[string]any {
	t.Helper()
	var document map[string]any
	eventually(t, func() error {
		stdout, _, code := run(t, shared.Admin, "copied-csvs", "verify", "-n", namespace, "-o", "json")
		document = map[string]any{}
		if err := yaml.Unmarshal([]byte(stdout), &document); err != nil {
			return err
		}
		got := found(document)
		if code != want || strings.Join(got, "\n") != strings.Join(differences, "\n") {
			return fmt.Errorf("exit code %d with %q, want %d with %q", code, got, want, differences)
		}
		return nil
	})
	return document
}

// found is what a report says: "name: Differs path copy→InstalledOperator".
func found(document map[string]any) (lines []string) {
	differences, _ := document["differences"].([]any)
	for _, each := range differences {
		one := each.(map[string]any)
		line := fmt.Sprintf("%v: %v", one["name"], one["found"])
		for _, field := range one["fields"].([]any) {
			field := field.(map[string]any)
			line += fmt.Sprintf(" %v %v→%v", field["path"], field["copy"], field["installedOperator"])
		}
		lines = append(lines, line)
	}
	return lines
}

// R-004-43: copies as OLM makes them are what InstalledOperators show; what somebody changed, took or added is named.
func TestVerify_R_004_43_CopiesAreWhatInstalledOperatorsShow(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	space := s.spaces[0]
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetLabels(map[string]string{"team": "blue", "operators.coreos.com/operator.ops": ""})
	}))
	must(t, olm.Create(t.Context(), shared.Any, copyOf(s.see(t), space)))
	document := verified(t, 0, space)
	savings := document["savings"].(map[string]any)
	if document["copies"] != 1.0 || savings["copies"] != 0.0 || savings["copiesThatStay"] != 1.0 {
		t.Errorf("an operator of some namespaces keeps its copies: %v", document)
	}

	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, space, csvName, func(copied *olm.Object) {
		labels := copied.GetLabels()
		labels["team"] = "red"
		copied.SetLabels(labels)
	}))
	altered := csvName + `: Differs metadata.labels.team "red"→"blue"`
	verified(t, 1, space, altered)

	extra := copyOf(s.see(t), space)
	extra.SetName("another.v1")
	must(t, olm.Create(t.Context(), shared.Any, extra))
	verified(t, 1, space, "another.v1: OnlyCopy", altered)
	stdout, stderr, code := run(t, shared.Admin, "copied-csvs", "verify", "-n", space)
	ends(t, code, 1, stdout, space+"/another.v1: a copy, but no InstalledOperator\n")
	ends(t, code, 1, stdout, space+"/"+csvName+": metadata.labels.team\n")
	ends(t, code, 1, stderr, "1 copy differs from the InstalledOperator, 1 copy has no InstalledOperator")

	at := shared.Any.Resource(olm.CSVs).Namespace(space)
	for _, name := range []string{csvName, "another.v1"} {
		must(t, at.Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	verified(t, 1, space, csvName+": OnlyInstalledOperator")

	// In the whole cluster those of other cases are missing, too.
	stdout, _, code = run(t, shared.Admin, "copied-csvs", "verify", "-A")
	ends(t, code, 1, stdout, "an InstalledOperator, but no copy\n")
}

// Whoever may not list what is compared is told so in one sentence.
func TestVerify_AsUsers(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	user := "verifier-of-" + s.namespace
	kubeconfig, err := shared.User(user)
	must(t, err)
	_, stderr, code := run(t, kubeconfig, "copied-csvs", "verify", "-A")
	ends(t, code, 3, stderr, "namespaces is forbidden")
	ends(t, code, 3, stderr, "-n verifies one namespace")
	_, stderr, code = run(t, kubeconfig, "copied-csvs", "verify", "-n", s.spaces[0])
	ends(t, code, 3, stderr, "listing clusterserviceversions.operators.coreos.com in "+s.spaces[0])
	if lines := strings.Count(stderr, "\n"); lines != 1 {
		t.Errorf("%d lines", lines)
	}

	// What a tenant may: read both in a namespace, and no OLMConfig.
	space := s.spaces[0]
	must(t, olm.Create(t.Context(), shared.Any, copyOf(s.see(t), space)))
	verified(t, 0, space)
	for _, args := range [][]string{
		{"create", "role", user, "--verb=get,list", "--resource=clusterserviceversions.operators.coreos.com", "-n", space},
		{"create", "rolebinding", user, "--role=" + user, "--user=" + user, "-n", space},
		{"create", "rolebinding", user + "-view", "--clusterrole=view", "--user=" + user, "-n", space},
	} {
		_, err := shared.Kubectl(t.Context(), args...)
		must(t, err)
	}
	eventually(t, func() error {
		stdout, stderr, code := run(t, kubeconfig, "copied-csvs", "verify", "-n", space)
		if code != 0 || !strings.Contains(stdout, "Compared 1 copy in 1 namespace with InstalledOperators: all the same") {
			return fmt.Errorf("%d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}

// A whole cluster, with an operator for all namespaces: without copies, with all of them, and with copies turned off.
func TestVerify_R_004_07_OffCopies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := cluster.Root()
	must(t, err)
	group := olm.Synced(olm.OperatorGroup("ops", "group"))
	csv := olm.CSV("carts.v1", olm.OperatorGroup("ops", "group"), "")
	objects := []*olm.Object{
		olm.Namespace("ops"), olm.Namespace("shop"), olm.Namespace("shop-test"), group, csv,
		olm.Definition(olm.OLMConfigs.Group, "OLMConfig", "Cluster", olm.OLMConfigs.Version),
	}
	stdout, _, code := run(t, startWith(t, filepath.Join(dir, "none"), root, objects), "copied-csvs", "verify", "-A", "-o", "json")
	ends(t, code, 1, stdout, `"onlyCopies": 0`)
	var document map[string]any
	must(t, yaml.Unmarshal([]byte(stdout), &document))
	withCopies := slices.Clone(objects)
	for _, each := range document["differences"].([]any) {
		withCopies = append(withCopies, copyOf(csv, each.(map[string]any)["namespace"].(string)))
	}

	up := startWith(t, filepath.Join(dir, "on"), root, withCopies)
	stdout, _, code = run(t, up, "copied-csvs", "verify", "-A")
	ends(t, code, 0, stdout, " with InstalledOperators: all the same\n")
	ends(t, code, 0, stdout, "of operators for all namespaces: ")
	ends(t, code, 0, stdout, " of memory in each kube-apiserver\n")

	config := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig",
		"spec": map[string]any{"features": map[string]any{"disableCopiedCSVs": true}},
	}}
	config.SetName("cluster")
	up = startWith(t, filepath.Join(dir, "off"), root, append(slices.Clone(objects), config))
	stdout, _, code = run(t, up, "copied-csvs", "verify", "-A")
	ends(t, code, 0, stdout, "Copies are turned off by the OLMConfig cluster: ")
	ends(t, code, 0, stdout, " InstalledOperators have none, as it should be\n")
}

// startWith runs `steward up` with objects, and returns its kubeconfig.
func startWith(t *testing.T, dir, root string, objects []*olm.Object) string {
	t.Helper()
	var manifests strings.Builder
	for _, object := range objects {
		text, err := yaml.Marshal(object.Object)
		must(t, err)
		fmt.Fprintf(&manifests, "---\n%s", text)
	}
	must(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, "manifests.yaml")
	must(t, os.WriteFile(path, []byte(manifests.String()), 0o644))
	up, err := embedded.Start(filepath.Join(dir, "data"), "--load", filepath.Join(root, "examples", "crds"), "--load", path, "--strict")
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(patience)) })
	return up.Kubeconfig
}
