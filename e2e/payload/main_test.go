// Package payload_test proves what `steward controllers --reconcilers=payload` and `steward payload` promise, beside a real
// kube-apiserver, namespace and garbage collectors, under exactly the rights and the policy of deploy/overlays/payload and the rights
// that an administrator adds by its label. Payloads are written by the cases, into a folder as the kubelet makes it of a ConfigMap. An
// admission webhook holds single writes up. There is one record, so no case runs beside another.
package payload_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
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
	accountName      = "steward-payload"
	accountUser      = "system:serviceaccount:" + accountNamespace + ":" + accountName
	recordName       = "steward-payload-record"
	writesPolicy     = "steward-payload-writes"
	rightsLabel      = "steward.operators.coreos.com/aggregate-to-payload"
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared *cluster.Cluster
	// account is a kubeconfig of the reconciler's ServiceAccount.
	account string
	// audits is a folder with the kube-apiserver's audit log of what the account wrote.
	audits      string
	stopPlaying context.CancelFunc // ends the playing of workloads
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, tearDown) }

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  resources:
  - {group: authentication.k8s.io}
  - {group: authorization.k8s.io}
  - {group: coordination.k8s.io}
  - {group: "", resources: [events]}
- level: Metadata
  users: ["` + accountUser + `"]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// What the payloads of the cases are made of. Secrets are not among it.
var rules = []rbacv1.PolicyRule{
	rule("", "configmaps", "namespaces", "services", "serviceaccounts"),
	rule("apps", "deployments"),
	{APIGroups: []string{"operators.coreos.com"}, Resources: []string{"clusterserviceversions"}, Verbs: []string{"list"}},
	rule("batch", "jobs"),
	rule("rbac.authorization.k8s.io", "roles", "rolebindings", "clusterroles", "clusterrolebindings"),
	{APIGroups: []string{"rbac.authorization.k8s.io"}, Resources: []string{"roles", "clusterroles"}, Verbs: []string{"bind", "escalate"}},
	rule("apiextensions.k8s.io", "customresourcedefinitions"),
	rule("config.openshift.io", "clusteroperators"),
	rule("monitoring.coreos.com", "servicemonitors"),
	rule("operators.coreos.com", "clusterserviceversions"),
	rule("example.com", "*"),
}

func rule(group string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: []string{"get", "create", "patch", "delete"}}
}

func setUp(ctx context.Context) (err error) {
	if audits, err = os.MkdirTemp("", "steward-e2e-payload-"); err != nil {
		return err
	}
	policy := filepath.Join(audits, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers: []string{"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount"},
		APIServerFlags: []string{
			"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog(), "--audit-log-mode=blocking",
		},
	})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	definitions, err := olm.Read(filepath.Join(root, "examples", "crds"))
	if err != nil {
		return err
	}
	for _, kind := range []string{"ClusterOperator", "ClusterVersion", "FeatureGate"} {
		made := definition("config.openshift.io", kind, "Cluster")
		// As OpenShift's own are.
		version := made.Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["required"] = []any{"spec"}
		definitions = append(definitions, made)
	}
	definitions = append(definitions, definition("monitoring.coreos.com", "ServiceMonitor", "Namespaced"))
	if err := olm.CreateCRDs(ctx, shared.Any, definitions...); err != nil {
		return err
	}
	if err := startWebhook(ctx); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, "base", filepath.Join("overlays", "payload")); err != nil {
		return err
	}
	var playing context.Context
	playing, stopPlaying = context.WithCancel(context.Background())
	if err := playWorkloads(playing); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, accountNamespace, accountName); err != nil {
		return err
	}
	if _, err := addRights(ctx, rules...); err != nil {
		return err
	}
	return waitForPolicy(ctx)
}

func tearDown() error {
	stopWebhook()
	if stopPlaying != nil {
		stopPlaying()
	}
	if audits == "" {
		return nil
	}
	return os.RemoveAll(audits)
}

func auditLog() string { return filepath.Join(audits, "audit.log") }

// definition is of a kind that takes anything, in version v1.
func definition(group, kind, scope string) *olm.Object {
	made := olm.Definition(group, kind, scope, "v1")
	made.SetLabels(nil)
	return made
}

// addRights gives the account rights, as deploy/README.md says.
func addRights(ctx context.Context, rules ...rbacv1.PolicyRule) (string, error) {
	role, err := shared.Kube.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{rightsLabel: "true"}}, Rules: rules,
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return role.Name, nil
}

// waitForPolicy waits until the account has its rights, and there are things that it never does all the same.
func waitForPolicy(ctx context.Context) error {
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = accountUser
	config.Impersonate.Groups = []string{"system:serviceaccounts", "system:authenticated"}
	as, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	return check.Poll(func() error {
		err := as.Resource(olm.Namespaces).Delete(ctx, "kube-node-lease", dry)
		if refused := refusal(writesPolicy, err); refused != nil {
			return refused
		}
		// The rights of the other kinds come with these.
		_, err = as.Resource(core("configmaps")).Namespace("default").Create(ctx, configMap("default", "policy"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return errors.New("no rights yet: " + err.Error())
		}
		return nil
	})
}

func core(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: resource}
}
