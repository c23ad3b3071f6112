package node_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"steward.dev/e2e/olm"
)

// TestFaults is what becomes of Steward, and of cleanups under way, when a cluster goes wrong around it. The steps stand on one
// installation.
func TestFaults(t *testing.T) {
	s := start(t)
	_, err := s.Exec(t.Context(), "ctr", "-n", "k8s.io", "images", "import", s.archive)
	must(t, err)
	s.kubectl(t, "apply", "-f", s.install)
	s.awaitAnswers(t)
	s.awaitReady(t)
	for _, step := range []struct {
		name string
		run  func(t *testing.T, s *scene)
	}{
		{"Footprint", testFootprint},
		{"Strangers", testStrangers},
		{"LeaderKilled", testLeaderKilled},
		{"KubeAPIServerKilled", testKubeAPIServerKilled},
		{"KubeAPIServerHangs", testKubeAPIServerHangs},
		{"OutOfMemory", testOutOfMemory},
		{"Reboot", testReboot},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, s) }) {
			t.FailNow()
		}
	}
}

// testLeaderKilled kills the controllers' leader in the midst of a cleanup, which another brings to its end.
func testLeaderKilled(t *testing.T, s *scene) {
	d := s.uninstall(t, "led")
	before := s.leader(t)
	for _, pod := range s.pods(t, controllerPods) {
		if strings.HasPrefix(before, pod.Name+"_") {
			s.inNode(t, "kill -KILL %s", s.process(t, pod))
		}
	}
	began := time.Now()
	await(t, func() error {
		if after := s.leader(t); after == "" || after == before {
			return fmt.Errorf("the leader is %q", after)
		}
		return nil
	})
	t.Logf("another leader after %s", time.Since(began).Round(100*time.Millisecond))
	d.finish(t, s)
	s.awaitReady(t)
}

func (s *scene) leader(t *testing.T) string {
	t.Helper()
	lease, err := s.Kube.CoordinationV1().Leases(namespace).Get(t.Context(), "steward-controllers", metav1.GetOptions{})
	must(t, err)
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func testKubeAPIServerKilled(t *testing.T, s *scene) {
	s.without(t, func() {
		s.inNode(t, "pkill -KILL -x kube-apiserver")
		await(t, func() error {
			_, err := s.Kubectl(t.Context(), "get", "--raw", "/readyz")
			return err
		})
	})
}

// A kube-apiserver that hangs for longer than leases last, and than probes are patient.
func testKubeAPIServerHangs(t *testing.T, s *scene) {
	s.without(t, func() {
		s.inNode(t, "pkill -STOP -x kube-apiserver; sleep 30; pkill -CONT -x kube-apiserver")
	})
}

// without tries a cleanup, a watch and the pods over a time without a kube-apiserver: none of them notices more than that.
func (s *scene) without(t *testing.T, away func()) {
	t.Helper()
	d := s.uninstall(t, fmt.Sprintf("away%d", time.Now().UnixNano()))
	restarts := s.restarts(t)
	before, err := s.Any.Resource(installedOperators).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	away()
	began := time.Now()
	s.awaitAnswers(t)
	t.Logf("installedoperators %s after the kube-apiserver", time.Since(began).Round(100*time.Millisecond))
	written := "written" + strings.TrimPrefix(d.name, "away")
	s.operator(t, written, nil)
	s.awaitEvent(t, before.GetResourceVersion(), written)
	d.finish(t, s)
	s.awaitReady(t)
	if after := s.restarts(t); after != restarts {
		t.Errorf("%d containers of Steward's were restarted because the kube-apiserver was away", after-restarts)
	}
}

// awaitEvent resumes a watch, and waits until it has brought an operator.
func (s *scene) awaitEvent(t *testing.T, version, name string) {
	t.Helper()
	await(t, func() error {
		running, err := s.Any.Resource(installedOperators).Watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
		if err != nil {
			return err
		}
		defer running.Stop()
		limit := time.After(10 * time.Second)
		for {
			select {
			case <-limit:
				return errors.New("nothing has come")
			case event, open := <-running.ResultChan():
				if !open {
					return errors.New("the watch ended")
				}
				if event.Type == watch.Error {
					// Allowed, as by etcd: the client lists again.
					t.Logf("the watch was refused: %v", apierrors.FromObject(event.Object))
					list, err := s.Any.Resource(installedOperators).List(t.Context(), metav1.ListOptions{})
					if err != nil {
						return err
					}
					version = list.GetResourceVersion()
					for _, each := range list.Items {
						if each.GetName() == name {
							return nil
						}
					}
					return errors.New("it is not listed")
				}
				if object, ok := event.Object.(metav1.Object); ok && object.GetName() == name {
					return nil
				}
			}
		}
	})
}

// testReboot ends every process of the node at once, in the midst of a cleanup, and starts the node again on the same disk.
func testReboot(t *testing.T, s *scene) {
	d := s.uninstall(t, "rebooted")
	before := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name")
	must(t, s.Reboot(t.Context()))
	began := time.Now()
	s.awaitAnswers(t)
	t.Logf("installedoperators %s after the node", time.Since(began).Round(100*time.Millisecond))
	s.awaitReady(t)
	if after := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	d.finish(t, s)
}

// doomed is an operator that is being uninstalled: its operands wait for a finalizer, so that the cleanup lasts until the test ends it.
type doomed struct {
	name string // of the namespace; of the group, with example.com
}

const (
	operandFinalizer = "example.com/finish"
	operandCount     = 30
)

// uninstall begins a cleanup, which has begun to delete when it returns.
func (s *scene) uninstall(t *testing.T, name string) doomed {
	t.Helper()
	d := doomed{name: name}
	widgets, spared := olm.Definition(d.group(), "Widget", "Namespaced", "v1"), olm.Definition(d.group(), "Gadget", "Namespaced", "v1")
	must(t, olm.CreateCRDs(t.Context(), s.Any, widgets, spared))
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{"apiGroups": []any{d.group()}, "resources": []any{"*"}, "verbs": []any{"list", "watch", "delete"}}},
	}}
	role.SetName("cleanup-" + name)
	role.SetLabels(map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"})
	must(t, olm.CreateAs(t.Context(), s.Any, olm.ClusterRoles, role))
	s.operator(t, name, func(csv *olm.Object) {
		csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
		spec := csv.Object["spec"].(map[string]any)
		spec["cleanup"] = map[string]any{"enabled": true}
		spec["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
			"name": widgets.GetName(), "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
		}}}
		must(t, olm.Confirm(t.Context(), s.Any, csv))
	})
	for i := range operandCount {
		for _, kind := range []string{"Widget", "Gadget"} {
			object := &olm.Object{Object: map[string]any{"apiVersion": d.group() + "/v1", "kind": kind}}
			object.SetNamespace(name)
			object.SetName(fmt.Sprintf("operand-%d", i))
			if kind == "Widget" {
				object.SetFinalizers([]string{operandFinalizer})
			}
			must(t, olm.CreateAs(t.Context(), s.Any, d.resource(strings.ToLower(kind)+"s"), object))
		}
	}
	must(t, olm.DeletionsSettle(t.Context(), s.Any))
	s.kubectl(t, "delete", "clusterserviceversion", name, "-n", name, "--wait=false")
	await(t, func() error {
		list, err := s.Any.Resource(d.resource("widgets")).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range list.Items {
			if each.GetDeletionTimestamp() != nil {
				return nil
			}
		}
		return fmt.Errorf("nothing is being deleted: %s", s.kubectl(t, "get", "cleanupstatuses", "-n", name, "-o", "yaml"))
	})
	return d
}

// operator installs an operator for its own namespace, which has its name.
func (s *scene) operator(t *testing.T, name string, change func(csv *olm.Object)) {
	t.Helper()
	group := olm.OperatorGroup(name, "group", name)
	csv := olm.CSV(name, group, name)
	if change != nil {
		change(csv)
	}
	must(t, olm.Create(t.Context(), s.Any, olm.Namespace(name), olm.Synced(group, name), csv))
}

func (d doomed) group() string { return d.name + ".example.com" }

// finish lets the operands go, and waits until exactly what was to be deleted is.
func (d doomed) finish(t *testing.T, s *scene) {
	t.Helper()
	await(t, func() error {
		list, err := s.Any.Resource(d.resource("widgets")).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range list.Items {
			// One that nobody deletes waits for the cleanup, which this does not do for it.
			if each.GetDeletionTimestamp() == nil {
				continue
			}
			err := olm.Mutate(t.Context(), s.Any, d.resource("widgets"), d.name, each.GetName(), func(o *olm.Object) { o.SetFinalizers(nil) })
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
		if len(list.Items) > 0 {
			return fmt.Errorf("%d operands are left", len(list.Items))
		}
		_, err = s.Any.Resource(olm.CSVs).Namespace(d.name).Get(t.Context(), d.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("the operator is still there"), err)
	})
	spared, err := s.Any.Resource(d.resource("gadgets")).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if len(spared.Items) != operandCount {
		t.Errorf("%d of %d objects are left of what was not to be deleted", len(spared.Items), operandCount)
	}
}
