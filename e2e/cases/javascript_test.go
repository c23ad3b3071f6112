package cases

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/npm"
	"steward.dev/e2e/olm"
)

// TestJavaScript runs e2e/javascript: what the OpenShift console does, and @kubernetes/client-node.
func TestJavaScript(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	work := npm.Work(t, filepath.Join(root, "e2e", "javascript"), "*.mjs")

	home := space(t)
	group := olm.OperatorGroup(home, "own", home)
	create(t, group)
	settled(t)
	csv, err := json.Marshal(olm.CSV("template", group, home))
	must(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	run := exec.CommandContext(ctx, "node", "clients.test.mjs")
	run.Dir = work
	run.Env = append(os.Environ(), "KUBECONFIG="+shared.Admin, "STEWARD_NAMESPACE="+home, "STEWARD_CSV="+string(csv))
	began := time.Now()
	out, err := run.CombinedOutput()
	t.Logf("%s in %s\n%s", run, time.Since(began).Round(time.Millisecond), out)
	if err != nil {
		t.Error(err)
	}
}
