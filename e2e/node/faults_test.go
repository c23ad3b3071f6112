package node_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// TestNodeFaults is what becomes of Steward, and of cleanups under way, when a cluster goes wrong around it. The steps stand on one
// installation.
func TestNodeFaults(t *testing.T) {
	s := start(t)
	_, err := s.Exec(t.Context(), "ctr", "-n", "k8s.io", "images", "import", s.image.archive)
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
		{"LeaderOutOfMemory", testLeaderOutOfMemory},
		{"Reboot", testReboot},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, s) }) {
			t.FailNow()
		}
	}
}

// testLeaderKilled kills the controllers' leader in the midst of a cleanup, which the other pod brings to its end.
func testLeaderKilled(t *testing.T, s *scene) {
	d := s.uninstall(t, "led")
	before, _, _ := strings.Cut(s.leader(t), "_")
	pod, err := s.Kube.CoreV1().Pods(namespace).Get(t.Context(), before, metav1.GetOptions{})
	must(t, err)
	began := time.Now()
	await(t, func() error {
		if after, _, _ := strings.Cut(s.leader(t), "_"); after != "" && after != before {
			return nil
		}
		// What is started in its place ends, too: it is gone as with its node.
		s.inNode(t, `for pid in $(pgrep -x steward); do
  if grep -qs '%s' "/proc/$pid/cgroup"; then kill -KILL "$pid" || [[ ! -e /proc/$pid ]]; fi
done`, pod.UID)
		return errors.New("no other pod leads")
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
	added := s.follow(t)
	away()
	began := time.Now()
	s.awaitAnswers(t)
	t.Logf("installedoperators %s after the kube-apiserver", time.Since(began).Round(100*time.Millisecond))
	written := "written" + strings.TrimPrefix(d.name, "away")
	s.operator(t, written, nil)
	await(t, func() error { return added(written) })
	d.finish(t, s)
	s.awaitReady(t)
	if after := s.restarts(t); after != restarts {
		t.Errorf("%d containers of Steward's were restarted because the kube-apiserver was away", after-restarts)
	}
}

// follow watches as an informer does that never lists again: a watch that ends goes on after the last event. What it returns says whether
// an object has been added, exactly once.
func (s *scene) follow(t *testing.T) (added func(name string) error) {
	t.Helper()
	at := s.Any.Resource(installedOperators)
	list, err := at.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	running, err := watchtools.NewRetryWatcherWithContext(t.Context(), list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return at.Watch(ctx, options)
		},
	})
	must(t, err)
	t.Cleanup(running.Stop)
	var mutex sync.Mutex
	var broken error
	times := map[string]int{}
	go func() {
		for event := range running.ResultChan() {
			mutex.Lock()
			if object, ok := event.Object.(metav1.Object); ok && event.Type == watch.Added {
				times[object.GetName()]++
			} else if event.Type == watch.Error {
				broken = apierrors.FromObject(event.Object)
			}
			mutex.Unlock()
		}
	}()
	return func(name string) error {
		mutex.Lock()
		defer mutex.Unlock()
		if broken != nil || times[name] != 1 {
			return fmt.Errorf("%s was added %d times; what ended the watch: %v", name, times[name], broken)
		}
		return nil
	}
}

// testReboot ends every process of the node at once, in the midst of a cleanup, and starts the node again on the same disk.
func testReboot(t *testing.T, s *scene) {
	d := s.uninstall(t, "rebooted")
	before := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name")
	rebooted := time.Now()
	must(t, s.Reboot(t.Context()))
	began := time.Now()
	s.awaitAnswers(t)
	t.Logf("installedoperators %s after the node", time.Since(began).Round(100*time.Millisecond))
	// What the cluster says of pods may be of before.
	await(t, func() error {
		for _, pod := range s.pods(t, allPods) {
			if running := pod.Status.ContainerStatuses[0].State.Running; running == nil || running.StartedAt.Time.Before(rebooted.Truncate(time.Second)) {
				return fmt.Errorf("%s does not run again", pod.Name)
			}
		}
		return nil
	})
	s.awaitReady(t)
	t.Logf("all of Steward %s after the node", time.Since(began).Round(100*time.Millisecond))
	if after := s.kubectl(t, "get", "installedoperators", "-A", "-o", "name"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	d.finish(t, s)
}

// doomed is an operator that is being uninstalled: its operands wait for a finalizer, so that the cleanup lasts until the test ends it.
type doomed struct {
	name   string   // of the namespace; of the group, with example.com
	before []string // all objects before the operator was deleted
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
	s.allowCleanup(t, "cleanup-"+name, d.group())
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
	// Where the operator does not work.
	elsewhere := &olm.Object{Object: map[string]any{"apiVersion": d.group() + "/v1", "kind": "Widget"}}
	elsewhere.SetNamespace(metav1.NamespaceDefault)
	elsewhere.SetName("elsewhere")
	must(t, olm.CreateAs(t.Context(), s.Any, d.resource("widgets"), elsewhere))
	must(t, olm.DeletionsSettle(t.Context(), s.Any))
	before, err := s.objects(t.Context(), passing...)
	must(t, err)
	d.before = before
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

// allowCleanup gives the controllers the rights on an API group, as deploy/README.md says.
func (s *scene) allowCleanup(t *testing.T, name, group string) {
	t.Helper()
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{"apiGroups": []any{group}, "resources": []any{"*"}, "verbs": []any{"list", "watch", "delete"}}},
	}}
	role.SetName(name)
	role.SetLabels(map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"})
	must(t, olm.CreateAs(t.Context(), s.Any, olm.ClusterRoles, role))
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

// finish lets the operands go, and waits until exactly what was to be deleted is gone, of all objects of the cluster.
func (d doomed) finish(t *testing.T, s *scene) {
	t.Helper()
	await(t, func() error {
		list, err := s.Any.Resource(d.resource("widgets")).Namespace(d.name).List(t.Context(), metav1.ListOptions{})
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
	var want []string
	for _, each := range d.before {
		if strings.HasPrefix(each, "widgets."+d.group()+" "+d.name+"/") || each == "clusterserviceversions."+olm.CSVs.Group+" "+d.name+"/"+d.name {
			want = append(want, each)
		}
	}
	if len(want) != operandCount+1 {
		t.Errorf("before it there were %q", want)
	}
	await(t, func() error {
		after, err := s.objects(t.Context(), passing...)
		if err != nil {
			return err
		}
		gone := slices.DeleteFunc(slices.Clone(d.before), func(each string) bool { return slices.Contains(after, each) })
		if !slices.Equal(gone, want) {
			return fmt.Errorf("gone are %q, which were to be %q", gone, want)
		}
		return nil
	})
}

// passing kinds come and go by themselves, or are views of others.
var passing = []string{"events", "leases", "pods", "replicasets", "endpoints", "endpointslices", "installedoperators", "cleanupstatuses"}

// objects are all of the cluster that stay, but for some kinds.
func (s *scene) objects(ctx context.Context, but ...string) ([]string, error) {
	return cluster.Objects(ctx, s.Config, but...)
}
