package installplans_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// apply writes a file of a case as kubectl does, and its statuses.
func apply(t *testing.T, folder, file string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	path, exists := olm.Published(root, filepath.Join("cases", folder))
	if !exists {
		t.Skipf("%s is not there", path)
	}
	path = filepath.Join(path, file)
	// By server-side apply in both: another way first, and kubectl writes once more about who owns which field.
	_, err = shared.Kubectl(t.Context(), "apply", "--server-side", "-f", path)
	must(t, err)
	objects, err := olm.Read(path)
	must(t, err)
	for _, object := range objects {
		if _, has := object.Object["status"]; !has {
			continue
		}
		text, err := yaml.Marshal(object.Object)
		must(t, err)
		with := filepath.Join(t.TempDir(), "status.yaml")
		must(t, os.WriteFile(with, text, 0o600))
		_, err = shared.Kubectl(t.Context(), "apply", "--server-side", "--force-conflicts", "--subresource=status", "-f", with)
		must(t, err)
	}
}

func TestCase24_R_002_05_AnOptionalManifest(t *testing.T) {
	t.Parallel()
	const namespace = "reed-ops"
	apply(t, "24-optional-manifest", "input.yaml")
	plan := completes(t, namespace, "install-24", "Created", "NotCreated", "Created")
	contains(t, "the message", messageOf(plan), "ServiceMonitor", "reed")
	found(t, olm.CSVs, namespace, "reed.v1.0.0")
	found(t, core("configmaps"), namespace, "reed-settings")
	apply(t, "24-optional-manifest", "not-optional.yaml")
	eventually(t, func() error {
		plan := planOf(t, namespace, "install-24b")
		for _, part := range []string{"monitoring.coreos.com", "v1", "ServiceMonitor"} {
			if !strings.Contains(messageOf(plan), part) {
				return fmt.Errorf("the plan is %s, and does not say %s: %s", phaseOf(plan), part, messageOf(plan))
			}
		}
		if phase := phaseOf(plan); phase != "Failed" && phase != "Installing" {
			return fmt.Errorf("the plan is %s", phase)
		}
		return nil
	})
}

func TestCase26_ASecretBeforeItsAccount(t *testing.T) {
	t.Parallel()
	apply(t, "26-secret-before-account", "input.yaml")
	completes(t, "fern-ops", "install-26", "Created", "Created", "Created")
	eventually(t, func() error {
		if token := found(t, core("secrets"), "fern-ops", "fern-token"); token.Object["data"] == nil {
			return fmt.Errorf("the token is not filled yet")
		}
		return nil
	})
	found(t, core("serviceaccounts"), "fern-ops", "fern")
}

func TestCase27_AGroupThatComesLater(t *testing.T) {
	t.Parallel()
	apply(t, "27-group-comes-later", "input.yaml")
	comes(t, "moss-ops", "install-27", func(plan *olm.Object) bool {
		condition, _ := installed(plan)
		return condition == "False InstallCheckFailed"
	})
	apply(t, "27-group-comes-later", "later.yaml")
	completes(t, "moss-ops", "install-27", "Created")
}

func TestCase29_ManifestsByReference(t *testing.T) {
	t.Parallel()
	apply(t, "29-manifests-by-reference", "input.yaml")
	comes(t, "ivy-ops", "install-29", func(plan *olm.Object) bool {
		_, message := installed(plan)
		return strings.Contains(message, "olm/bundle-gone")
	})
}
