// Package upgrade_test proves that two builds share what is stored in a cluster: what controllers of one have begun, those of the other
// end, whichever came first, while users list and watch through API servers of both. It runs on a real kube-apiserver, under the rights
// and policies of deploy/ as they are now.
package upgrade_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/upgrade"
)

const home = "steward-system"

// build is a program, and an API server of it that runs as long as the tests do.
type build struct {
	name, program string
	server        *cluster.Steward
	reader        dynamic.Interface // asks that API server, as somebody who may view
	raw           rest.Interface    // the same
}

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	older  = &build{name: "older", program: os.Getenv("STEWARD_OLDER_BIN")}
	newer  = &build{name: "newer"}

	// Of the controllers that clean up; the API servers of both builds ask them.
	grpcFlags []string
	// Kubeconfigs of the controllers' accounts, by family.
	accounts = map[string]string{}
)

func TestMain(m *testing.M) {
	if older.program == "" {
		os.Exit(m.Run())
	}
	cluster.Main(m, &shared, setUp)
}

// orders runs a test in both: what the first build begins, the second one ends.
func orders(t *testing.T, test func(t *testing.T, first, second *build)) {
	t.Helper()
	if older.program == "" {
		t.Skip("STEWARD_OLDER_BIN names no older build; ./dev test --full makes one")
	}
	t.Run("Upgrade", func(t *testing.T) { test(t, older, newer) })
	t.Run("Downgrade", func(t *testing.T) { test(t, newer, older) })
}

// The builds are those that they are taken for.
func TestBuilds(t *testing.T) {
	if older.program == "" {
		t.Skip("STEWARD_OLDER_BIN names no older build; ./dev test --full makes one")
	}
	for _, each := range []*build{older, newer} {
		said, err := exec.CommandContext(t.Context(), each.program, "version").Output()
		must(t, err)
		t.Logf("%s: %s", each.name, said)
		if strings.Contains(string(said), upgrade.Older) != (each == older) {
			t.Errorf("the %s build is %s", each.name, said)
		}
	}
}

func setUp(ctx context.Context) (err error) {
	if newer.program, err = cluster.Binary(); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{
		"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "serviceaccount-token",
		"validatingadmissionpolicy-status-controller",
	}})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	plans := olm.Definition(installPlans.Group, "InstallPlan", "Namespaced", "v1alpha1")
	subscriptions := olm.Definition(installPlans.Group, "Subscription", "Namespaced", "v1alpha1")
	if err := olm.InstallCRDs(ctx, shared.Any, root, plans, subscriptions); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base", filepath.Join("overlays", "install-plans"), filepath.Join("overlays", "payload")); err != nil {
		return err
	}
	if err := grant(ctx); err != nil {
		return err
	}
	for _, family := range []string{"controllers", "install-plans", "payload"} {
		if accounts[family], err = shared.ServiceAccount(ctx, home, "steward-"+family); err != nil {
			return err
		}
	}
	if err := startServers(ctx); err != nil {
		return err
	}
	return olm.DeletionsSettle(ctx, shared.Any)
}

// grant gives the payload's account the right to what is shipped here, and a user that to view.
func grant(ctx context.Context) error {
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{
			"apiGroups": []any{""}, "resources": []any{"configmaps", "namespaces"}, "verbs": []any{"get", "create", "patch", "delete"},
		}},
	}}
	role.SetName("payload-upgrade")
	role.SetLabels(map[string]string{"steward.operators.coreos.com/aggregate-to-payload": "true"})
	if err := olm.CreateAs(ctx, shared.Any, olm.ClusterRoles, role); err != nil {
		return err
	}
	for _, name := range []string{"view", "steward-cleanup-inspect"} {
		if _, err := shared.Kubectl(ctx, "create", "clusterrolebinding", "reader-"+name, "--clusterrole="+name, "--user=reader"); err != nil {
			return err
		}
	}
	return nil
}

// startServers starts an API server of each build. Both have one account, and a certificate for the controllers.
func startServers(ctx context.Context) error {
	kubeconfig, err := shared.ServiceAccount(ctx, home, "steward-apiserver")
	if err != nil {
		return err
	}
	authority, err := cluster.NewAuthority("upgrade-ca")
	if err != nil {
		return err
	}
	ca, err := authority.Write(shared.Dir, "upgrade-ca")
	if err != nil {
		return err
	}
	serving, err := authority.Server(shared.Dir, "upgrade-grpc", "localhost")
	if err != nil {
		return err
	}
	client, err := authority.Client(shared.Dir, "upgrade-client", "steward-apiserver")
	if err != nil {
		return err
	}
	address, err := cluster.FreeAddress()
	if err != nil {
		return err
	}
	grpcFlags = []string{"--grpc-bind-address=" + address, "--grpc-tls-cert-file=" + serving.Cert,
		"--grpc-tls-private-key-file=" + serving.Key, "--grpc-client-ca-file=" + ca}
	for _, each := range []*build{older, newer} {
		if each.server, err = shared.NewSteward("apiserver-" + each.name); err != nil {
			return err
		}
		each.server.Program, each.server.Kubeconfig = each.program, kubeconfig
		err := each.server.Start("--controllers-address="+address, "--controllers-ca-file="+ca,
			"--controllers-client-cert-file="+client.Cert, "--controllers-client-key-file="+client.Key)
		if err != nil {
			return err
		}
		if err := each.server.WaitReady(ctx); err != nil {
			return err
		}
		config, err := each.server.WithUser("reader")
		if err != nil {
			return err
		}
		if each.reader, err = dynamic.NewForConfig(config); err != nil {
			return err
		}
		set, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		each.raw = set.RESTClient()
		// The right to view comes with the cluster's own roles, a moment later.
		err = check.Poll(func() error {
			_, err := each.reader.Resource(olm.InstalledOperators).List(ctx, metav1.ListOptions{})
			return err
		})
		if err != nil {
			return fmt.Errorf("the %s API server: %w", each.name, err)
		}
	}
	return nil
}

// controllers starts those of a family, which lead once no others of it do.
func (b *build) controllers(t *testing.T, family string, flags ...string) *cluster.Controllers {
	t.Helper()
	process, err := shared.RunControllersOf(t.Context(), b.program, accounts[family], fmt.Sprintf("%s-%s-%d", family, b.name, time.Now().UnixNano()),
		append([]string{"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2"},
			flags...)...)
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", process.Name, process.Tail(30))
		}
		must(t, process.Stop())
	})
	return process
}
