// Package copies_test proves what `steward controllers --reconcilers=copied-csvs,olm-config` promises, beside a real kube-apiserver and
// namespace controller, under exactly the rights and the policy of deploy/overlays/copies; Steward's API server runs in the
// same cluster, so that a copy can be compared with its InstalledOperator. There is no OLM: what operators say of
// themselves is written by the cases. Where cleanup works, too, the cases say so.
package copies_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	accountNamespace = "steward-system"
	accountName      = "steward-copied-csvs"
	accountUser      = "system:serviceaccount:" + accountNamespace + ":" + accountName
	// home is where an operator is installed for all namespaces.
	home = "copies-home"
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	// group is home's OperatorGroup, which means all namespaces.
	group = olm.Synced(olm.OperatorGroup(home, "all"))
	// account is a kubeconfig of the ServiceAccount that makes copies.
	account string
	// copying is the one process that makes them.
	copying *cluster.Controllers
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, stopCopying) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{
		"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller",
	}})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	// The definition of deploy/ is for clusters without OLM's.
	configs, err := olm.Read(filepath.Join(root, "deploy", "overlays", "copies", "crds", "olmconfigs.yaml"))
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root, configs...); err != nil {
		return err
	}
	if err := olm.Create(ctx, shared.Any, olm.Namespace(home), group); err != nil {
		return err
	}
	if _, err = shared.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	if err := shared.WaitServed(ctx); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, filepath.Join("overlays", "copies")); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, accountNamespace, accountName); err != nil {
		return err
	}
	if err := waitForPolicy(ctx); err != nil {
		return err
	}
	return startCopying(ctx)
}

func startCopying(ctx context.Context, flags ...string) (err error) {
	copying, err = shared.RunControllersAs(ctx, account, "copied-csvs-"+time.Now().Format("150405.000"),
		append([]string{"--reconcilers=copied-csvs,olm-config", "--leader-elect-lease-duration=6s",
			"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2"}, flags...)...)
	return err
}

// restart runs the process anew, with these flags.
func restart(t *testing.T, flags ...string) {
	t.Helper()
	must(t, copying.Stop())
	must(t, startCopying(context.Background(), flags...))
}

func stopCopying() error {
	if copying == nil {
		return nil
	}
	return copying.Stop()
}

// asAccount is a client that acts as the account that makes copies.
func asAccount() (dynamic.Interface, error) {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = accountUser
	return dynamic.NewForConfig(config)
}

// waitForPolicy waits until the account can no longer create an operator.
func waitForPolicy(ctx context.Context) error {
	as, err := asAccount()
	if err != nil {
		return err
	}
	return check.Poll(func() error {
		csv := olm.CSV("policy", group, "")
		_, err := as.Resource(olm.CSVs).Namespace(home).Create(ctx, csv, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) {
			return nil
		}
		return err
	})
}
