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
	"fmt"
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
	code := 1
	dir, err := os.MkdirTemp("", "steward-e2e-plugin-")
	if err == nil {
		err = setUp(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up the shared cluster:", err)
	} else {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { playOLM(ctx); close(done) }()
		code = m.Run()
		stop()
		<-done
	}
	if err := tearDown(dir, code != 0); err != nil {
		fmt.Fprintln(os.Stderr, "ending the shared cluster:", err)
		code = 1
	}
	os.Exit(code)
}

func setUp(ctx context.Context, dir string) (err error) {
	if err := installPlugin(dir); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller"},
	})
	if err != nil {
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
	if err := waitForPolicy(ctx); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	return startControllers(ctx)
}

// installPlugin does what the documentation says: the binary under kubectl's name for it, in the PATH.
func installPlugin(dir string) error {
	binary := os.Getenv("STEWARD_BIN")
	if binary == "" {
		root, err := cluster.Root()
		if err != nil {
			return err
		}
		binary = filepath.Join(root, "bin", "steward")
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	pluginDir = filepath.Join(dir, "bin")
	if err := os.Mkdir(pluginDir, 0o755); err != nil {
		return err
	}
	return os.Symlink(binary, filepath.Join(pluginDir, "kubectl-steward"))
}

// createDefinitions makes OLM's kinds; those that OLM's own files lack here get a definition that takes anything.
func createDefinitions(ctx context.Context, root string) error {
	return olm.InstallCRDs(ctx, shared.Any, root,
		definition("operators.coreos.com", "Subscription", "Namespaced", "v1alpha1"),
		definition("operators.coreos.com", "InstallPlan", "Namespaced", "v1alpha1"))
}

// startControllers starts the one process. Its Lease is short, so that one that was killed is soon followed.
func startControllers(ctx context.Context) (err error) {
	reconciling, err = shared.RunControllersAs(ctx, account, "controllers-"+time.Now().Format("150405.000"),
		"--reconcilers=cleanup", "--cleanup-stall-timeout="+stallTimeout.String(), "--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2")
	return err
}

func tearDown(dir string, failed bool) error {
	var errs []error
	if reconciling != nil {
		errs = append(errs, reconciling.Stop())
	}
	if shared != nil {
		if failed {
			shared.DumpLogs(os.Stderr, 60)
		}
		errs = append(errs, shared.Stop())
	}
	if os.Getenv("STEWARD_E2E_KEEP") == "" && dir != "" {
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}
