// Package operators_test proves what `steward controllers --reconcilers=csv-finalizer` promises, beside a real kube-apiserver, namespace and
// garbage collectors, under exactly the rights and the policy of deploy/overlays/operators. There is no OLM: what olm-operator would have
// made is written by the cases.
package operators_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
	accountName      = "steward-operators"
	accountUser      = "system:serviceaccount:" + accountNamespace + ":" + accountName
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	// account is a kubeconfig of the family's ServiceAccount.
	account string
	// operating is its process.
	operating *cluster.Controllers
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, tearDown) }

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
	if err := olm.InstallCRDs(ctx, shared.Any, root); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base", filepath.Join("overlays", "operators")); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, accountNamespace, accountName); err != nil {
		return err
	}
	if err := waitForPolicies(ctx); err != nil {
		return err
	}
	return startOperating(ctx)
}

func startOperating(ctx context.Context) (err error) {
	operating, err = shared.RunControllersAs(ctx, account, "operators", "--reconcilers=csv-finalizer", "--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2")
	return err
}

func tearDown() error {
	if operating == nil {
		return nil
	}
	return operating.Stop()
}

// as is a client that acts as this user.
func as(user string) (dynamic.Interface, error) {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = user
	return dynamic.NewForConfig(config)
}

// waitForPolicies waits until the account can delete no ClusterRole that is no operator's.
func waitForPolicies(ctx context.Context) error {
	client, err := as(accountUser)
	if err != nil {
		return err
	}
	return check.Poll(func() error {
		err := client.Resource(olm.ClusterRoles).Delete(ctx, "view", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "steward-operators-deletions") {
			return fmt.Errorf("the policy does not hold yet: %v", err)
		}
		return nil
	})
}

func object(apiVersion, kind, namespace, name string) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}
