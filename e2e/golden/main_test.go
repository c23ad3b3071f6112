// Package golden_test holds what each command of `kubectl steward` shows in a terminal, to each kind of user: on a real
// kube-apiserver with Steward and its controllers linked under the rights of deploy/, and on `steward up`.
package golden_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const patience = check.Patience

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	// pluginDir is where kubectl finds its plugin.
	pluginDir string

	installs = &cluster.Family{Account: "steward-install-plans", Flag: "plan-controllers", Reconcilers: "install-plans"}
	families = []*cluster.Family{
		{Account: "steward-controllers", Flag: "controllers", Reconcilers: "cleanup"},
		{Account: "steward-copied-csvs", Flag: "copied-csv-controllers", Reconcilers: "copied-csvs,olm-config"},
		installs,
	}
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, tearDown) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{
		"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller",
	}})
	if err != nil {
		return err
	}
	binary, err := cluster.Binary()
	if err != nil {
		return err
	}
	pluginDir = filepath.Join(shared.Dir, "bin")
	if err := os.Mkdir(pluginDir, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(binary, filepath.Join(pluginDir, "kubectl-steward")); err != nil {
		return err
	}
	if err := installDefinitions(ctx, shared.Any); err != nil {
		return err
	}
	linked, err := shared.Link(families...)
	if err != nil {
		return err
	}
	if _, err := shared.RunSteward(ctx, "steward", linked...); err != nil {
		return err
	}
	if err := applyDeploy(ctx); err != nil {
		return err
	}
	if err := olm.OptInsSettle(ctx, shared.Any); err != nil {
		return err
	}
	// Until this process ends.
	go olm.Play(ctx, shared.Any)
	if err := startFamilies(ctx); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

func applyDeploy(ctx context.Context) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	overlays := filepath.Join(root, "deploy", "overlays")
	for _, each := range [][]string{
		{"-k", filepath.Join(overlays, "cleanup-all-apis")}, {"-k", filepath.Join(overlays, "copies")}, {"-k", filepath.Join(overlays, "install-plans")},
		{"-f", filepath.Join(overlays, "install-plans", "bundle-previews", "rbac.yaml")},
	} {
		if _, err := shared.Kubectl(ctx, append([]string{"apply", "--server-side", "--force-conflicts"}, each...)...); err != nil {
			return err
		}
	}
	return olm.DeletionsSettle(ctx, shared.Any)
}

func startFamilies(ctx context.Context) error {
	token, err := shared.Token(ctx, "steward-system", "steward-bundle-previews")
	if err != nil {
		return err
	}
	file := filepath.Join(shared.Dir, "bundle-previews.token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		return err
	}
	installs.Flags = append(installs.Flags, "--bundle-preview-token-file="+file)
	for _, each := range families {
		if err := shared.StartFamily(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

func tearDown() (err error) {
	for _, each := range families {
		if stopped := each.Stop(); stopped != nil {
			err = stopped
		}
	}
	return err
}
