// Package cleanup_test proves what `steward controllers --reconcilers=cleanup` promises, beside a real kube-apiserver,
// garbage collector and namespace controller, under the rights of deploy/base and, for each operator, those on its API group
// (rights_test.go). OLM and the operators are played (actors_test.go); each case has an operator, an API group and
// namespaces of its own (scene_test.go).
//
// Cases that disturb the whole cluster are not parallel, so they run first and alone.
package cleanup_test

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
	controllersUser      = "system:serviceaccount:" + controllersNamespace + ":" + controllersName

	patience = check.Patience
	// stallTimeout is --cleanup-stall-timeout.
	stallTimeout = 3 * time.Second
)

var (
	shared *cluster.Cluster
	// reconciling is the one process that works.
	reconciling *cluster.Controllers
	// account is a kubeconfig of the controllers' ServiceAccount.
	account string
	// auditLog is where the kube-apiserver writes down what the controllers wrote.
	auditLog string
)

// What the kube-apiserver writes down: every write of the controllers, with its body.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Request, users: ["` + controllersUser + `"], verbs: [create, update, patch, delete, deletecollection]}
- {level: None}
`

func TestMain(m *testing.M) {
	// Cases wait more than they work.
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	code := 1
	dir, err := os.MkdirTemp("", "steward-e2e-cleanup-")
	if err == nil {
		err = setUp(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up the shared cluster:", err)
	} else {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { playOLM(ctx); close(done) }()
		go stalls.measure(ctx.Done())
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
	policy := filepath.Join(dir, "audit-policy.yaml")
	auditLog = filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{"namespace", "garbagecollector", "clusterrole-aggregation", "validatingadmissionpolicy-status-controller"},
		APIServerFlags: []string{
			"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog, "--audit-log-mode=blocking",
		},
	})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base"); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, controllersNamespace, controllersName); err != nil {
		return err
	}
	if err := waitForPolicies(ctx); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	return startControllers(ctx)
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
