package installplans_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/olmbundle"
)

// Steward's own bundle is for OLM: the executor writes nothing in the namespace in which the policies know Steward's accounts.
func TestItself_IsRefused(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	must(t, olm.Create(t.Context(), shared.Any, olm.OperatorGroup(olmbundle.Namespace, "itself")))
	groups := shared.Any.Resource(olm.OperatorGroups).Namespace(olmbundle.Namespace)
	t.Cleanup(func() { must(t, groups.Delete(context.Background(), "itself", metav1.DeleteOptions{})) })
	var report struct{ InstallPlan string }
	must(t, json.Unmarshal([]byte(steward(t, "bundle", "install", filepath.Join(root, olmbundle.Folder), "-n", olmbundle.Namespace, "--approve",
		"-o", "json", "--kubeconfig", shared.Admin)), &report))
	eventually(t, func() error {
		plan := planOf(t, olmbundle.Namespace, report.InstallPlan)
		if message := messageOf(plan); !strings.Contains(message, "installs nothing in steward-system") {
			return fmt.Errorf("the plan is %s: %s", phaseOf(plan), message)
		}
		return nil
	})
	missing(t, olm.CSVs, olmbundle.Namespace, "steward.v0.1.0")
}
