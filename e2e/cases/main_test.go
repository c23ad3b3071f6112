// Package cases proves, on a real control plane, what Steward promises. Cases that disturb the cluster run on one of
// their own; all others share one and keep to namespaces of their own.
package cases

import (
	"context"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The shared cluster, and the one API server in it.
var (
	shared  *cluster.Cluster
	steward *cluster.Steward
)

// realNamespace is where the published CSVs are, installed for all namespaces.
const realNamespace = "real-operators"

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{"namespace", "clusterrole-aggregation", "serviceaccount"}})
	if err != nil {
		return err
	}
	if err := loadCRDs(ctx, shared); err != nil {
		return err
	}
	if err := loadExamples(ctx, shared); err != nil {
		return err
	}
	if err := loadPublished(ctx, shared); err != nil {
		return err
	}
	if steward, err = shared.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

func loadCRDs(ctx context.Context, c *cluster.Cluster) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	return olm.InstallCRDs(ctx, c.Any, root)
}

func loadExamples(ctx context.Context, c *cluster.Cluster) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	return olm.Create(ctx, c.Any, objects...)
}

// loadPublished loads the CSVs of published operators, where they are at hand.
func loadPublished(ctx context.Context, c *cluster.Cluster) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	published, err := olm.RealCSVs(root)
	if err != nil {
		return err
	}
	group := olm.OperatorGroup(realNamespace, "all")
	objects := []*olm.Object{olm.Namespace(realNamespace), group}
	for _, csv := range published {
		objects = append(objects, olm.Installed(csv, group, ""))
	}
	return olm.Create(ctx, c.Any, objects...)
}
