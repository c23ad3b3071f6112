// Package rpc_test proves what the gRPC service of `steward controllers` promises, beside a real kube-apiserver, under
// exactly the rights that deploy/ gives, and what `steward apiserver` makes of it.
package rpc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const patience = check.Patience

var (
	shared  *cluster.Cluster
	steward *cluster.Steward
	// serving is the one process with the service; it may be stopped and started again.
	serving *cluster.Controllers
	// authority signs both sides' certificates.
	authority   *cluster.Authority
	grpcAddress string
	// What the controllers write down of calls.
	auditLog string
	account  string
	// Of the controllers and of the API server.
	flags, stewardFlags []string

	roleBindings = olm.ClusterRoles.GroupVersion().WithResource("rolebindings")

	// A server that comes back is found soon.
	quickly = grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, MaxDelay: time.Second},
		MinConnectTimeout: patience,
	}
)

var (
	must       = check.Must
	eventually = check.Eventually
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, stopServing) }

func stopServing() error {
	if serving == nil {
		return nil
	}
	return serving.Stop()
}

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{"clusterrole-aggregation", "validatingadmissionpolicy-status-controller"}})
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
	if err := prepareCertificates(); err != nil {
		return err
	}
	client, err := authority.Client(shared.Dir, "steward-apiserver", "steward-apiserver")
	if err != nil {
		return err
	}
	stewardFlags = []string{"--controllers-address=" + grpcAddress,
		"--controllers-ca-file=" + filepath.Join(shared.Dir, "rpc-ca.crt"),
		"--controllers-client-cert-file=" + client.Cert, "--controllers-client-key-file=" + client.Key}
	if steward, err = shared.RunSteward(ctx, "steward", stewardFlags...); err != nil {
		return err
	}
	// The controllers may look at every kind here, as overlays/cleanup-all-apis lets them.
	if _, err := shared.Kubectl(ctx, "apply", "--server-side", "-k", filepath.Join(root, "deploy", "overlays", "cleanup-all-apis")); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	if account, err = shared.ServiceAccount(ctx, "steward-system", "steward-controllers"); err != nil {
		return err
	}
	if err := startServing(ctx); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

func prepareCertificates() (err error) {
	if authority, err = cluster.NewAuthority("rpc-ca"); err != nil {
		return err
	}
	ca, err := authority.Write(shared.Dir, "rpc-ca")
	if err != nil {
		return err
	}
	pair, err := authority.Server(shared.Dir, "rpc-server", "localhost")
	if err != nil {
		return err
	}
	if grpcAddress, err = cluster.FreeAddress(); err != nil {
		return err
	}
	policy := filepath.Join(shared.Dir, "rpc-audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	auditLog = filepath.Join(shared.Dir, "rpc-audit.log")
	flags = []string{"--reconcilers=cleanup", "--leader-elect=false", "--grpc-bind-address=" + grpcAddress,
		"--grpc-tls-cert-file=" + pair.Cert, "--grpc-tls-private-key-file=" + pair.Key, "--grpc-client-ca-file=" + ca,
		"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog}
	return nil
}

func startServing(ctx context.Context) (err error) {
	serving, err = shared.RunControllersAs(ctx, account, "controllers-"+time.Now().Format("150405.000"), flags...)
	return err
}

// scene is one operator with its API group, its namespace, and two others that it works for.
type scene struct {
	group, namespace string
	spaces           []string
}

const csvName = "operator.v1"

// install makes an operator that supports cleanup, is opted in, and is as OLM leaves it. The controllers know of it.
func install(t *testing.T) *scene {
	t.Helper()
	id := rand.String(6)
	s := &scene{group: id + ".example.com", namespace: "ops-" + id, spaces: []string{"space-" + id + "-0", "space-" + id + "-1"}}
	must(t, olm.CreateCRDs(t.Context(), shared.Any, olm.Definition(s.group, "Widget", "Namespaced", "v1")))
	for _, name := range append([]string{s.namespace}, s.spaces...) {
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	}
	group := olm.Synced(olm.OperatorGroup(s.namespace, "group", s.spaces...), s.spaces...)
	csv := s.csv(csvName)
	must(t, olm.Confirm(t.Context(), shared.Any, csv))
	must(t, olm.Create(t.Context(), shared.Any, group, csv))
	admin := as(t, "admin", "system:masters")
	eventually(t, func() error {
		got, err := admin.call(t.Context(), "Get", s.of())
		if err != nil {
			return err
		}
		if phase := got["status"].(message)["phase"]; phase != "Ready" {
			return fmt.Errorf("phase %v", phase)
		}
		return nil
	})
	return s
}

func (s *scene) csv(name string) *olm.Object {
	csv := olm.CSV(name, olm.OperatorGroup(s.namespace, "group", s.spaces...), s.spaces...)
	csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	spec["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
		"name": "widgets." + s.group, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
	}}}
	return csv
}

func (s *scene) widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "widgets"}
}

func (s *scene) addWidget(ctx context.Context, namespace, name string) error {
	widget := &olm.Object{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Widget"}}
	widget.SetName(name)
	_, err := shared.Any.Resource(s.widgets()).Namespace(namespace).Create(ctx, widget, metav1.CreateOptions{})
	return err
}

func (s *scene) see(t *testing.T) *olm.Object {
	t.Helper()
	csv, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	return csv
}

// of names the operator in a request.
func (s *scene) of() message { return message{"namespace": s.namespace, "name": csvName} }

// allow binds a user to rules, in a namespace or ("") cluster-wide: "get,list group/resource".
func allow(t *testing.T, user, namespace string, rules ...string) {
	t.Helper()
	name := "e2e-" + rand.String(8)
	list := []any{}
	for _, rule := range rules {
		verbs, rest, _ := strings.Cut(rule, " ")
		group, resource, _ := strings.Cut(rest, "/")
		words := []any{}
		for _, verb := range strings.Split(verbs, ",") {
			words = append(words, verb)
		}
		list = append(list, map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": words})
	}
	role := &olm.Object{Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": list}}
	role.SetName(name)
	_, err := shared.Any.Resource(olm.ClusterRoles).Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}}
	binding.SetName(name)
	if namespace == "" {
		binding.SetKind("ClusterRoleBinding")
		_, err = shared.Any.Resource(olm.ClusterRoleBindings).Create(t.Context(), binding, metav1.CreateOptions{})
	} else {
		_, err = shared.Any.Resource(roleBindings).Namespace(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	}
	must(t, err)
}
