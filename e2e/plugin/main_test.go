// Package plugin_test proves what `kubectl steward` promises, as kubectl runs it: on a real kube-apiserver, garbage
// collector and namespace controller, with Steward behind the aggregator, its controllers under exactly the rights that
// deploy/ gives, and users' own rights. OLM and the operators are played (scene_test.go).
//
// Cases that disturb the whole cluster are not parallel, so they run first and alone.
package plugin_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	controllersNamespace = "steward-system"
	controllersName      = "steward-controllers"

	patience = check.Patience
	// stallTimeout is --cleanup-stall-timeout: longer than an operator on a busy machine takes for one custom resource.
	stallTimeout = 30 * time.Second
)

var (
	shared      *cluster.Cluster
	steward     *cluster.Steward
	reconciling *cluster.Controllers
	// account is a kubeconfig of the controllers' ServiceAccount.
	account string
	// pluginDir is where kubectl finds its plugin.
	pluginDir string
)

func TestMain(m *testing.M) {
	// Cases wait more than they work.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	cluster.Main(m, &shared, setUp, stopControllers)
}

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller"},
	})
	if err != nil {
		return err
	}
	if err := installPlugin(); err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := createDefinitions(ctx, root); err != nil {
		return err
	}
	if steward, err = shared.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	if err := shared.WaitServed(ctx); err != nil {
		return err
	}
	if _, err := shared.Kubectl(ctx, "apply", "--server-side", "-k", filepath.Join(root, "deploy", "overlays", "cleanup-all-apis")); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, controllersNamespace, controllersName); err != nil {
		return err
	}
	if err := waitForPolicy(ctx, "policies"); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	// Until this process ends.
	go olm.Play(ctx, shared.Any)
	return startControllers(ctx)
}

// installPlugin does what the documentation says: the binary under kubectl's names for it and for its completion, in the PATH.
func installPlugin() error {
	binary, err := cluster.Binary()
	if err != nil {
		return err
	}
	pluginDir = filepath.Join(shared.Dir, "bin")
	if err := os.Mkdir(pluginDir, 0o755); err != nil {
		return err
	}
	return errors.Join(os.Symlink(binary, filepath.Join(pluginDir, "kubectl-steward")),
		os.Symlink(binary, filepath.Join(pluginDir, "kubectl_complete-steward")))
}

// createDefinitions makes OLM's kinds; those that OLM's own files lack here get a definition that takes anything.
func createDefinitions(ctx context.Context, root string) error {
	return olm.InstallCRDs(ctx, shared.Any, root,
		olm.Definition("operators.coreos.com", "Subscription", "Namespaced", "v1alpha1"),
		olm.Definition("operators.coreos.com", "InstallPlan", "Namespaced", "v1alpha1"))
}

func startControllers(ctx context.Context) (err error) {
	reconciling, err = shared.RunCleanup(ctx, account, stallTimeout)
	return err
}

func stopControllers() error {
	if reconciling == nil {
		return nil
	}
	return reconciling.Stop()
}
