// Package installplans_test proves what `steward controllers --reconcilers=install-plans` promises, beside a real kube-apiserver,
// namespace, token and garbage collectors, under exactly the rights and the policy of deploy/overlays/install-plans. There is no OLM:
// plans are written by the cases, as catalog-operator's resolver leaves them. An admission webhook gives the answers that a case wants.
package installplans_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	accountNamespace = "steward-system"
	accountName      = "steward-install-plans"
	accountUser      = "system:serviceaccount:" + accountNamespace + ":" + accountName
	installsPolicy   = "steward-install-plans-writes"
)

// Kinds that the overlay's account may write, and whether this cluster has their APIs. Each case that adds an API has a kind of its
// own.
const (
	present      = "PrometheusRule" // of monitoring.coreos.com/v1, from the start
	unservedKind = "ServiceMonitor" // its group and version are served, with another kind
	absentKind   = "VerticalPodAutoscaler"
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	// account is a kubeconfig of the executor's ServiceAccount.
	account string
	// executing is the process that executes plans, with the gate on and the default timeout, but in cases that say other.
	executing *cluster.Controllers
	// audits is a folder with the kube-apiserver's audit log of what the account wrote.
	audits string
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, tearDown) }

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["` + accountUser + `"]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

func setUp(ctx context.Context) (err error) {
	if audits, err = os.MkdirTemp("", "steward-e2e-installplans-"); err != nil {
		return err
	}
	policy := filepath.Join(audits, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{
			"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "serviceaccount-token",
		},
		APIServerFlags: []string{
			"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog(), "--audit-log-mode=blocking",
		},
	})
	if err != nil {
		return err
	}
	if err := installDefinitions(ctx); err != nil {
		return err
	}
	if err := olm.CreateCRDs(ctx, shared.Any, definition("monitoring.coreos.com", present, "Namespaced")); err != nil {
		return err
	}
	if err := startWebhook(ctx); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base", filepath.Join("overlays", "install-plans")); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, accountNamespace, accountName); err != nil {
		return err
	}
	if err := waitForPolicy(ctx); err != nil {
		return err
	}
	return startExecuting(ctx)
}

// installDefinitions writes OLM's definitions of plans and Subscriptions, where they are at hand. Of operators and their groups the
// small ones of examples/ stand for OLM's: the bundles here are short, and so are those of the cases in ../shared.
func installDefinitions(ctx context.Context) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	published, err := olm.CRDs(root)
	if err != nil {
		return err
	}
	definitions, err := olm.Read(filepath.Join(root, "examples", "crds"))
	if err != nil {
		return err
	}
	for _, kind := range []string{"InstallPlan", "Subscription"} {
		made := olm.Definition(installPlans.Group, kind, "Namespaced", "v1alpha1")
		for _, each := range published {
			if each.GetName() == made.GetName() {
				made = each
			}
		}
		definitions = append(definitions, made)
	}
	return olm.CreateCRDs(ctx, shared.Any, definitions...)
}

func tearDown() error {
	var err error
	if executing != nil {
		err = executing.Stop()
	}
	stopWebhook()
	if audits != "" {
		_ = os.RemoveAll(audits)
	}
	return err
}

func auditLog() string { return filepath.Join(audits, "audit.log") }

// flags of a process that executes plans, with more behind them.
func flags(more ...string) []string {
	return append([]string{"--reconcilers=install-plans", "--feature-gates=OptionalManifests=true", "--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2"}, more...)
}

func startExecuting(ctx context.Context, more ...string) (err error) {
	executing, err = shared.RunControllersAs(ctx, account, "install-plans-"+time.Now().Format("150405.000"), flags(more...)...)
	return err
}

// restarted has the executor run with other flags until the test ends. Such a test does not run beside others.
func restarted(t *testing.T, more ...string) {
	t.Helper()
	must(t, executing.Stop())
	must(t, startExecuting(t.Context(), more...))
	t.Cleanup(func() {
		must(t, executing.Stop())
		must(t, startExecuting(context.Background()))
	})
}

// waitForPolicy waits until the account can no longer hold an operator.
func waitForPolicy(ctx context.Context) error {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = accountUser
	as, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	held := csv("default", "held")
	held.SetFinalizers([]string{"example.com/held"})
	return check.Poll(func() error {
		_, err := as.Resource(olm.CSVs).Namespace("default").Create(ctx, held, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return refusal(installsPolicy, err)
	})
}
