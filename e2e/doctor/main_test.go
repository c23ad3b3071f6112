// Package doctor_test proves that `kubectl steward doctor` sees each thing that can be wrong with Steward in a cluster, and that
// what it names as the remedy mends it: on a real kube-apiserver, with deploy/ applied, and Steward's API server and controllers
// running under its accounts. There are no nodes: what a kubelet and a rollout do is played (play_test.go).
package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const system = "steward-system"

var (
	shared  *cluster.Cluster
	steward *cluster.Steward
	// overlay is what was applied to install Steward.
	overlay string
	// pluginDir is where kubectl finds its plugin.
	pluginDir string
	root      string

	must       = check.Must
	eventually = check.Eventually
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, stopProcesses) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller"},
	})
	if err != nil {
		return err
	}
	if root, err = cluster.Root(); err != nil {
		return err
	}
	binary, err := cluster.Binary()
	if err != nil {
		return err
	}
	pluginDir = filepath.Join(shared.Dir, "bin")
	if err := errors.Join(os.Mkdir(pluginDir, 0o755), os.Symlink(binary, filepath.Join(pluginDir, "kubectl-steward"))); err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root); err != nil {
		return err
	}
	if steward, err = shared.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	overlay = filepath.Join(shared.Dir, "overlay-steward")
	if err := shared.WaitServed(ctx); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "overlays/standalone/certificates"); err != nil {
		return err
	}
	go playKubelet(ctx)
	return startAll(ctx)
}
