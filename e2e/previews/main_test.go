// Package previews_test proves that what PlanPreviews say before something is done is what becomes of it, beside a real kube-apiserver,
// namespace, token and garbage collectors, with the controllers of each family under exactly the rights of deploy/.
package previews_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared  *cluster.Cluster
	steward *cluster.Steward
	// installer is a kubeconfig of a user who may do everything, but for no group that nobody may impersonate.
	installer string
	// linked are the API server's flags about the controllers.
	linked []string
	// audits is a folder with the kube-apiserver's audit log of what Steward wrote.
	audits string
	// served are the families, by name.
	served = map[string]*cluster.Family{
		"cleanup":       {Account: "steward-controllers", Flag: "controllers", Reconcilers: "cleanup"},
		"copies":        {Account: "steward-copied-csvs", Flag: "copied-csv-controllers", Reconcilers: "copied-csvs,olm-config"},
		"install-plans": {Account: "steward-install-plans", Flag: "plan-controllers", Reconcilers: "install-plans"},
	}
)

const (
	accountNamespace = "steward-system"
	bundleAccount    = "steward-bundle-previews"
	installerUser    = "installer"
	gate             = "--feature-gates=OptionalManifests=true"
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, tearDown) }

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  resources: [{group: coordination.k8s.io}, {group: authorization.k8s.io}, {group: "", resources: [events]}]
- level: Metadata
  userGroups: ["system:serviceaccounts:` + accountNamespace + `"]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

func setUp(ctx context.Context) (err error) {
	if audits, err = os.MkdirTemp("", "steward-e2e-previews-"); err != nil {
		return err
	}
	policy := filepath.Join(audits, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{
			"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "serviceaccount-token", "resourcequota",
			"validatingadmissionpolicy-status-controller",
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
	if linked, err = shared.Link(slices.Collect(maps.Values(served))...); err != nil {
		return err
	}
	linked = append(linked, gate)
	if steward, err = shared.RunSteward(ctx, "steward", linked...); err != nil {
		return err
	}
	if err := applyOverlays(ctx); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	if err := startFamilies(ctx); err != nil {
		return err
	}
	if err := allowInstaller(ctx); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

func applyOverlays(ctx context.Context) error {
	// The controllers may clean up every API here.
	for _, overlay := range []string{"cleanup-all-apis", "copies", "install-plans"} {
		if err := shared.ApplyManifests(ctx, filepath.Join("overlays", overlay)); err != nil {
			return err
		}
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	rights := filepath.Join(root, "deploy", "overlays", "install-plans", "bundle-previews", "rbac.yaml")
	if _, err := shared.Kubectl(ctx, "apply", "--server-side", "-f", rights); err != nil {
		return err
	}
	return nil
}

func auditLog() string { return filepath.Join(audits, "audit.log") }

func installDefinitions(ctx context.Context) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	definitions, err := olm.Read(filepath.Join(root, "examples", "crds"), filepath.Join(root, "deploy", "overlays", "copies", "crds", "olmconfigs.yaml"))
	if err != nil {
		return err
	}
	for _, kind := range []string{"InstallPlan", "Subscription"} {
		definitions = append(definitions, olm.Definition(installPlans.Group, kind, "Namespaced", "v1alpha1"))
	}
	return olm.CreateCRDs(ctx, shared.Any, definitions...)
}

func startFamilies(ctx context.Context) error {
	token, err := shared.Token(ctx, accountNamespace, bundleAccount)
	if err != nil {
		return err
	}
	tokenFile := filepath.Join(shared.Dir, "bundle-previews.token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		return err
	}
	installs := served["install-plans"]
	installs.Flags = append(installs.Flags, gate, "--bundle-preview-token-file="+tokenFile)
	for _, each := range served {
		if err := shared.StartFamily(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

func allowInstaller(ctx context.Context) (err error) {
	binding := object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", "e2e-installer", map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": installerUser}},
	})
	if _, err := shared.Any.Resource(olm.ClusterRoleBindings).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	installer, err = shared.User(installerUser)
	return err
}

func tearDown() (err error) {
	for _, each := range served {
		if stopped := each.Stop(); stopped != nil {
			err = stopped
		}
	}
	if audits != "" {
		_ = os.RemoveAll(audits)
	}
	return err
}
