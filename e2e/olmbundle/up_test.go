package olmbundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/olmbundle"
)

var (
	installPlans       = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}
	installedOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}
)

// steward runs the program, and returns what it prints on standard output.
func steward(t *testing.T, args ...string) []byte {
	t.Helper()
	program, err := cluster.Binary()
	must(t, err)
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	var said bytes.Buffer
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("steward %q: %v\n%s%s", args, err, printed, said.String())
	}
	return printed
}

// On `steward up` the bundle is installed by Steward's own executor, shown in every namespace, upgraded and uninstalled, beside nobody who
// deploys it. In a cluster the executor installs nothing in Steward's namespace (TestItself_IsRefused of e2e/installplans).
func TestUp_InstallsUpgradesAndUninstalls(t *testing.T) {
	bundle := readKept(t)
	root, err := cluster.Root()
	must(t, err)
	up, err := embedded.Start(filepath.Join(t.TempDir(), "up"))
	must(t, err)
	t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
	must(t, olm.Create(t.Context(), up.Any, olm.Namespace("team")))
	for _, each := range bundle.policies {
		if slices.Contains([]string{"Namespace", "OperatorGroup"}, each.GetKind()) {
			must(t, olm.Create(t.Context(), up.Any, each))
		}
	}
	// `steward up` has Steward's own version, which is below the bundle's minKubeVersion.
	install := func(folder string) {
		t.Helper()
		var report struct{ InstallPlan string }
		must(t, json.Unmarshal(steward(t, "bundle", "install", folder, "-n", olmbundle.Namespace, "--approve", "-o", "json",
			"--ignore-requirements", "--kubeconfig", up.Kubeconfig), &report))
		check.Eventually(t, func() error {
			plan, err := up.Any.Resource(installPlans).Namespace(olmbundle.Namespace).Get(t.Context(), report.InstallPlan, metav1.GetOptions{})
			if err != nil {
				return err
			}
			phase, _, _ := unstructured.NestedString(plan.Object, "status", "phase")
			if phase != "Complete" {
				return fmt.Errorf("%s is %q: %v", report.InstallPlan, phase, plan.Object["status"])
			}
			return nil
		})
	}
	shown := func(name string) {
		t.Helper()
		// As olm-operator leaves an operator that it has deployed.
		group := olm.OperatorGroup(olmbundle.Namespace, "steward")
		at := up.Any.Resource(olm.CSVs).Namespace(olmbundle.Namespace)
		check.Eventually(t, func() error {
			csv, err := at.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			installed := olm.Installed(csv, group, "")
			updated, err := at.Update(t.Context(), installed, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			updated.Object["status"] = installed.Object["status"]
			_, err = at.UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
			return err
		})
		for _, namespace := range []string{olmbundle.Namespace, "team"} {
			check.Eventually(t, func() error {
				_, err := up.Any.Resource(installedOperators).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
				return err
			})
		}
	}
	install(bundle.folder)
	shown(bundle.csv.GetName())

	next, err := olmbundle.Generate(root, olmbundle.Options{Version: "0.1.1", Replaces: bundle.csv.GetName()})
	must(t, err)
	folder := t.TempDir()
	must(t, next.Write(folder))
	steward(t, "bundle", "lint", folder, "--upgrade-from", bundle.folder)
	install(folder)
	shown(next.CSV.GetName())

	for _, name := range []string{bundle.csv.GetName(), next.CSV.GetName()} {
		steward(t, "kubectl", "uninstall", name, "-n", olmbundle.Namespace, "--yes", "--kubeconfig", up.Kubeconfig)
	}
	check.Eventually(t, func() error {
		list, err := up.Any.Resource(installedOperators).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d operators are shown", len(list.Items))
		}
		return err
	})
	if _, err := up.Any.Resource(olm.CSVs).Namespace(olmbundle.Namespace).Get(t.Context(), next.CSV.GetName(), metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the ClusterServiceVersion: %v", err)
	}
}
