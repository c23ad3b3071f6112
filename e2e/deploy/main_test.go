// Package deploy proves what the manifests of deploy/ promise, on a real kube-apiserver and without Steward: that they
// can be applied, what the admission policies refuse and let through, and what exactly the controllers may do.
package deploy

import (
	"context"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// shared is the one cluster, with OLM's definitions and deploy/base in it.
var shared *cluster.Cluster

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{
		"namespace", "clusterrole-aggregation", "validatingadmissionpolicy-status-controller",
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
	if err := applyBase(ctx); err != nil {
		return err
	}
	if err := createUsers(ctx); err != nil {
		return err
	}
	return waitForPolicies(ctx)
}
