package realolm_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/faultproxy"
	"steward.dev/e2e/olm"
)

const (
	// The names that OLM's own chart gives: Steward's policies know OLM by its account.
	olmNamespace = "olm"
	olmAccount   = "olm-operator-serviceaccount"

	controllersNamespace = "steward-system"
	controllersName      = "steward-controllers"
)

var (
	accounts     = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	roles        = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}
	roleBindings = roles.GroupVersion().WithResource("rolebindings")
)

// world is a cluster with the real olm-operator in it.
type world struct {
	*cluster.Cluster
	spaces []string
	olm    *cluster.Process
	// controllers are Steward's.
	controllers *cluster.Controllers
}

// newWorld starts a cluster with OLM's definitions and namespaces that no operator is installed in. OLM does not run yet.
func newWorld(t *testing.T, spaces int) *world {
	t.Helper()
	checkout := source(t)
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{
		"namespace", "garbagecollector", "serviceaccount", "clusterrole-aggregation", "validatingadmissionpolicy-status-controller",
	}})
	must(t, err)
	w := &world{Cluster: c}
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 60)
		}
		if w.controllers != nil {
			if err := w.controllers.Stop(); err != nil {
				t.Error(err)
			}
		}
		// Resumed first, should the test have left it stopped.
		if w.olm.Running() {
			_ = w.olm.Resume()
			w.olm.Kill()
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	definitions, err := olm.Read(filepath.Join(checkout, "deploy", "chart", "crds"))
	must(t, err)
	must(t, olm.CreateCRDs(t.Context(), c.Any, definitions...))
	for i := range spaces {
		w.spaces = append(w.spaces, fmt.Sprintf("space-%d", i))
	}
	w.addNamespaces(t, append([]string{olmNamespace}, w.spaces...)...)
	w.playKubelet(t)
	return w
}

func (w *world) addNamespaces(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		must(t, olm.Create(t.Context(), w.Any, olm.Namespace(name)))
	}
}

// runOLM starts olm-operator under the account and the rights of its own chart; through a proxy, if there is one.
func (w *world) runOLM(t *testing.T, proxy *faultproxy.Proxy, flags ...string) {
	t.Helper()
	binary, err := build()
	must(t, err)
	w.giveOLMItsRights(t)
	kubeconfig, err := w.ServiceAccount(t.Context(), olmNamespace, olmAccount)
	must(t, err)
	if proxy != nil {
		kubeconfig, err = w.At(kubeconfig, "olm-through-proxy", proxy.URL)
		must(t, err)
	}
	// It serves metrics on a fixed port of all addresses, and only says so in its log when it cannot. Held here on
	// loopback, that port is never opened to the network.
	if hold, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		t.Cleanup(func() { hold.Close() })
	}
	args := append([]string{"KUBECONFIG=" + kubeconfig, binary, "--namespace=" + olmNamespace}, flags...)
	w.olm, err = cluster.Spawn(w.Dir, "olm-operator", "/usr/bin/env", args...)
	must(t, err)
}

func (w *world) giveOLMItsRights(t *testing.T) {
	t.Helper()
	all := []any{"*"}
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "olm")
	role.Object["rules"] = []any{
		map[string]any{"apiGroups": all, "resources": all, "verbs": []any{
			"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "escalate", "bind",
		}},
		map[string]any{"nonResourceURLs": all, "verbs": all},
	}
	binding := object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", "olm")
	binding.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "olm"}
	binding.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "namespace": olmNamespace, "name": olmAccount}}
	w.create(t, accounts, object("v1", "ServiceAccount", olmNamespace, olmAccount))
	w.create(t, olm.ClusterRoles, role)
	w.create(t, olm.ClusterRoleBindings, binding)
}

// runControllers starts Steward's controllers under their account, with deploy/'s policies and the right to clean up
// every API.
func (w *world) runControllers(t *testing.T) {
	t.Helper()
	must(t, w.ApplyManifests(t.Context(), "base", filepath.Join("overlays", "cleanup-all-apis")))
	must(t, olm.DeletionsSettle(t.Context(), w.Any))
	account, err := w.ServiceAccount(t.Context(), controllersNamespace, controllersName)
	must(t, err)
	w.controllers, err = w.RunControllersAs(t.Context(), account, "controllers", "--reconcilers=cleanup",
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2")
	must(t, err)
}

// create makes an object that is not there yet.
func (w *world) create(t *testing.T, resource schema.GroupVersionResource, made *olm.Object) {
	t.Helper()
	_, err := w.Any.Resource(resource).Namespace(made.GetNamespace()).Create(t.Context(), made, metav1.CreateOptions{})
	must(t, err)
}

func object(apiVersion, kind, namespace, name string) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}

// patiently polls for as long as check.Patience, again and again while progress changes: a busy machine makes everything
// slow, and what goes on is not given up.
func patiently(progress func() int, satisfied func() error) error {
	for last := progress(); ; {
		err := check.Poll(satisfied)
		now := progress()
		if err == nil || now == last {
			return err
		}
		last = now
	}
}

// controllersSaid are the lines of the controllers' log that contain a text.
func (w *world) controllersSaid(t *testing.T, text string) []string {
	t.Helper()
	log, err := os.ReadFile(w.controllers.Log)
	must(t, err)
	var lines []string
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, text) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
