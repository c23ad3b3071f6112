// Package operators_test proves what `steward controllers --reconcilers=operators,copied-rbac,csv-finalizer` promises, beside a real
// kube-apiserver, namespace and garbage collectors, under exactly the rights and the policy of deploy/overlays/operators; the family copies
// works beside it, under its own. There is no OLM: what olm-operator would have made is written by the cases.
package operators_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

	operators     = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1", Resource: "operators"}
	subscriptions = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}
	installPlans  = subscriptions.GroupVersion().WithResource("installplans")
	roles         = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}
	roleBindings  = roles.GroupVersion().WithResource("rolebindings")

	shared *cluster.Cluster
	// accounts are kubeconfigs of the two families' ServiceAccounts.
	account, copiesAccount string
	// operating is the process of the family operators; copying makes copies.
	operating, copying *cluster.Controllers
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
	// The definitions of deploy/ are for clusters without OLM's.
	own := filepath.Join(root, "deploy", "overlays", "copies", "crds")
	definitions, err := olm.Read(filepath.Join(own, "olmconfigs.yaml"), filepath.Join(own, "operators.yaml"))
	if err != nil {
		return err
	}
	for _, kind := range []string{"Subscription", "InstallPlan"} {
		definitions = append(definitions, olm.Definition("operators.coreos.com", kind, "Namespaced", "v1alpha1"))
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root, definitions...); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base", filepath.Join("overlays", "copies"), filepath.Join("overlays", "operators")); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, accountNamespace, accountName); err != nil {
		return err
	}
	if copiesAccount, err = shared.ServiceAccount(ctx, accountNamespace, "steward-copied-csvs"); err != nil {
		return err
	}
	if err := waitForPolicies(ctx); err != nil {
		return err
	}
	if err := startCopying(ctx); err != nil {
		return err
	}
	return startOperating(ctx)
}

func flags(reconcilers string, more ...string) []string {
	return append([]string{"--reconcilers=" + reconcilers, "--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s",
		"--leader-elect-retry-period=500ms", "--v=2"}, more...)
}

func startCopying(ctx context.Context) (err error) {
	copying, err = shared.RunControllersAs(ctx, copiesAccount, "copied-csvs-"+time.Now().Format("150405.000"), flags("copied-csvs,olm-config")...)
	return err
}

func startOperating(ctx context.Context, more ...string) (err error) {
	operating, err = shared.RunControllersAs(ctx, account, "operators-"+time.Now().Format("150405.000"),
		flags("operators,copied-rbac,csv-finalizer", more...)...)
	return err
}

func tearDown() error {
	for _, each := range []*cluster.Controllers{operating, copying} {
		if each == nil {
			continue
		}
		if err := each.Stop(); err != nil {
			return err
		}
	}
	return nil
}

// as is a client that acts as this user.
func as(user string) (dynamic.Interface, error) {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = user
	return dynamic.NewForConfig(config)
}

// waitForPolicies waits until the account can write no Role that is no copy, and no operator.
func waitForPolicies(ctx context.Context) error {
	client, err := as(accountUser)
	if err != nil {
		return err
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	return check.Poll(func() error {
		_, err := client.Resource(roles).Namespace("default").Create(ctx, object("rbac.authorization.k8s.io/v1", "Role", "default", "p"), dry)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "steward-operators-copied-rbac") {
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
