// Package hostile attacks one running API server, each attack in a file of its own and within a minute, then all of them at
// once, and looks at what well-behaved users beside it, and the kubelet's probes, see of that. How long they wait is in the log:
// a busy machine may take longer. What must not be: a probe or a user's request that is refused, a watch that is cut, more
// memory than the Deployment's limit, and anything that stays behind.
package hostile

import (
	"context"
	"testing"

	"steward.dev/e2e/apart"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var (
	shared  *cluster.Cluster
	steward *cluster.Steward
)

func TestMain(m *testing.M) {
	apart.Play()
	cluster.Main(m, &shared, setUp)
}

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{"namespace", "clusterrole-aggregation", "serviceaccount"}})
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
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	if err := olm.Create(ctx, shared.Any, objects...); err != nil {
		return err
	}
	// Fewer connections than it would take, so that a flood can fill them.
	if steward, err = shared.RunSteward(ctx, "steward", "--max-connections=3000"); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}
