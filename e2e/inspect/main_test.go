// Package inspect_test proves that `steward inspect` shows of a must-gather what Steward shows of the cluster that it is of: on
// a real kube-apiserver with OLM's definitions, operators are made as OLM would have left them, with its copies, and the
// dumps are written from what the kube-apiserver then says, in both layouts of `oc adm inspect`, and in tars.
package inspect_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var (
	must = check.Must

	shared *cluster.Cluster

	csvs          = olm.CSVs
	subscriptions = csvs.GroupVersion().WithResource("subscriptions")
	installPlans  = csvs.GroupVersion().WithResource("installplans")
	widgets       = schema.GroupVersionResource{Group: "inspect.example.com", Version: "v1", Resource: "widgets"}
)

// The namespaces of the scene: operators are installed in those of the first line, and work in those of the second.
var (
	homes  = []string{"ins-all", "ins-own", "ins-picked", "ins-named"}
	spaces = []string{"ins-blue", "ins-green", "ins-red"}
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp) }

func setUp(ctx context.Context) (err error) {
	if shared, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root); err != nil {
		return err
	}
	if err := furnish(ctx); err != nil {
		return err
	}
	if _, err = shared.RunSteward(ctx, "steward"); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

// furnish makes what OLM would have left: OperatorGroups for all namespaces, for their own, by a selector and by names; an operator
// in each, one of which owns a definition; copies; a Subscription with its InstallPlan.
func furnish(ctx context.Context) error {
	for _, name := range homes {
		if err := olm.Create(ctx, shared.Any, olm.Namespace(name)); err != nil {
			return err
		}
	}
	for i, name := range spaces {
		labels := []string{"picked", map[bool]string{true: "yes", false: "no"}[i < 2]}
		if err := olm.Create(ctx, shared.Any, olm.Namespace(name, labels...)); err != nil {
			return err
		}
	}
	if err := olm.CreateCRDs(ctx, shared.Any, olm.Definition(widgets.Group, "Widget", "Namespaced", "v1")); err != nil {
		return err
	}
	groups := []*olm.Object{
		olm.Synced(olm.OperatorGroup("ins-all", "all")),
		olm.Synced(olm.OperatorGroup("ins-own", "own", "ins-own"), "ins-own"),
		olm.Synced(olm.SelectorGroup("ins-picked", "picked", "picked", "yes"), "ins-blue", "ins-green"),
		olm.Synced(olm.OperatorGroup("ins-named", "named", "ins-red", "ins-blue"), "ins-blue", "ins-red"),
	}
	originals := []*olm.Object{
		olm.CSV("everywhere.v1.0.0", groups[0]),
		olm.CSV("alone.v2.0.0", groups[1], "ins-own"),
		olm.CSV("picked.v1.1.0", groups[2], "ins-blue", "ins-green"),
		olm.CSV("named.v1.0.0", groups[3], "ins-blue", "ins-red"),
	}
	originals[3].Object["spec"].(map[string]any)["customresourcedefinitions"] = map[string]any{
		"owned": []any{map[string]any{"name": "widgets." + widgets.Group, "version": "v1", "kind": "Widget"}},
	}
	if err := olm.Create(ctx, shared.Any, append(groups, originals...)...); err != nil {
		return err
	}
	copies := []*olm.Object{copied(originals[3], "ins-blue"), copied(originals[3], "ins-red")}
	for _, namespace := range append(append([]string{"default"}, homes[1:]...), spaces...) {
		copies = append(copies, copied(originals[0], namespace))
	}
	widget := &olm.Object{Object: map[string]any{
		"apiVersion": widgets.GroupVersion().String(), "kind": "Widget", "spec": map[string]any{"size": int64(3)},
	}}
	widget.SetName("w")
	widget.SetNamespace("ins-red")
	widget.SetFinalizers([]string{"example.com/stay"})
	if err := olm.Create(ctx, shared.Any, copies...); err != nil {
		return err
	}
	if err := olm.CreateAs(ctx, shared.Any, widgets, widget); err != nil {
		return err
	}
	return subscribe(ctx)
}

// copied is OLM's copy of a CSV.
func copied(csv *olm.Object, namespace string) *olm.Object {
	copy := olm.View(csv, namespace)
	copy.SetAPIVersion(csv.GetAPIVersion())
	copy.SetKind(csv.GetKind())
	return copy
}

func subscribe(ctx context.Context) error {
	subscription := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"spec": map[string]any{"name": "named", "channel": "stable", "source": "catalog", "sourceNamespace": "olm"},
	}}
	subscription.SetName("named")
	made, err := shared.Any.Resource(subscriptions).Namespace("ins-named").Create(ctx, subscription, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Object["status"] = map[string]any{"installedCSV": "named.v1.0.0", "currentCSV": "named.v1.0.0", "lastUpdated": "2026-01-01T00:00:00Z"}
	if _, err := shared.Any.Resource(subscriptions).Namespace("ins-named").UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	plan := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
		"spec": map[string]any{"approval": "Manual", "approved": false, "clusterServiceVersionNames": []any{"named.v1.0.0"}},
	}}
	plan.SetName("install-named")
	if made, err = shared.Any.Resource(installPlans).Namespace("ins-named").Create(ctx, plan, metav1.CreateOptions{}); err != nil {
		return err
	}
	made.Object["status"] = map[string]any{"phase": "RequiresApproval", "catalogSources": []any{}}
	_, err = shared.Any.Resource(installPlans).Namespace("ins-named").UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}
