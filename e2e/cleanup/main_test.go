// Package cleanup_test proves what `steward controllers --reconcilers=cleanup` promises, beside a real kube-apiserver,
// garbage collector and namespace controller, under the rights of deploy/base and, for each operator, those on its API group
// (rights_test.go). OLM and the operators are played (actors_test.go); each case has an operator, an API group and
// namespaces of its own (scene_test.go).
//
// Cases that disturb the whole cluster are not parallel, so they run first and alone.
package cleanup_test

import (
	"context"
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
	// auditLog is where the kube-apiserver writes down what the controllers wrote, and audits its folder.
	auditLog, audits string
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
	cluster.Main(m, &shared, setUp, stopControllers, removeAudits)
}

func setUp(ctx context.Context) (err error) {
	if audits, err = os.MkdirTemp("", "steward-e2e-cleanup-"); err != nil {
		return err
	}
	policy := filepath.Join(audits, "audit-policy.yaml")
	auditLog = filepath.Join(audits, "audit.log")
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
	// Until this process ends.
	go olm.Play(ctx, shared.Any)
	go stalls.measure(ctx.Done())
	return startControllers(ctx)
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

func removeAudits() error {
	if os.Getenv("STEWARD_E2E_KEEP") != "" {
		return nil
	}
	return os.RemoveAll(audits)
}
