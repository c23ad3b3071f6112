package cases

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// R-PRJ-06: an object that did not change keeps its resourceVersion, on every replica and after every restart, so that controllers which
// list again are told of nothing. One cluster of its own; the steps stand on each other.
func TestInformers_R_PRJ_06_HearNothingOfWhatDidNotChange(t *testing.T) {
	u := startUnchanged(t)
	for _, step := range []struct {
		name string
		all  bool
		run  func(*testing.T)
	}{
		{"Steward", false, func(t *testing.T) {
			u.steward.Process.Kill()
			// Longer than clients try again before they list.
			u.awaitLists(t, 2)
			must(t, u.steward.Start())
			must(t, u.steward.WaitReady(t.Context()))
		}},
		{"OneReplica", false, func(t *testing.T) {
			u.second.Process.Kill()
			must(t, u.second.Start())
			must(t, u.second.WaitReady(t.Context()))
		}},
		{"KubeAPIServer", false, func(t *testing.T) {
			u.KillAPIServer()
			must(t, u.StartAPIServer(t.Context()))
		}},
		// Every client has to list again.
		{"EverythingAndNobodyRemembers", true, func(t *testing.T) {
			u.steward.Process.Kill()
			u.second.Process.Kill()
			u.mark(t)
			must(t, u.CompactEtcd(t.Context()))
			u.KillAPIServer()
			must(t, u.StartAPIServer(t.Context()))
			for _, s := range []*cluster.Steward{u.steward, u.second} {
				must(t, s.Start())
				must(t, s.WaitReady(t.Context()))
			}
			must(t, u.WaitAvailable(t.Context()))
		}},
	} {
		if !t.Run(step.name, func(t *testing.T) { u.hearNothingOf(t, step.all, step.run) }) {
			return
		}
	}
}

// marker is the one operator that changes.
const marker = "marker"

// unchanged is a cluster with two API servers of Steward's: the first behind the kube-apiserver, both behind another address.
type unchanged struct {
	*cluster.Cluster
	steward, second *cluster.Steward
	group           *olm.Object
	ears            []*ear
	marked          int
}

// ear is a controller, or an informer with a handler.
type ear struct {
	name  string
	lists atomic.Int64 // requests for all there is

	mutex   sync.Mutex
	heard   map[string]int // the times that an object was told, by its name
	markers map[string]string
}

// hears is called with each object that is told.
func (e *ear) hears(object metav1.Object) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.heard[object.GetNamespace()+"/"+object.GetName()]++
	if object.GetName() == marker {
		e.markers[object.GetNamespace()] = object.GetLabels()["step"]
	}
}

// forget begins to count anew.
func (e *ear) forget() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.heard = map[string]int{}
}

// told is what it has heard of, but for the marker.
func (e *ear) told() (told []string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for name, times := range e.heard {
		if !strings.HasSuffix(name, "/"+marker) {
			told = append(told, fmt.Sprintf("%s %d times", name, times))
		}
	}
	slices.Sort(told)
	return told
}

// counting counts requests for all there is.
func (e *ear) counting(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			query := request.URL.Query()
			whole := query.Get("watch") == "" || query.Get("sendInitialEvents") == "true"
			if whole && strings.HasSuffix(request.URL.Path, "/installedoperators") {
				e.lists.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func startUnchanged(t *testing.T) *unchanged {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 20)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, loadCRDs(t.Context(), c))
	u := &unchanged{Cluster: c, group: olm.SelectorGroup("home", "selecting", "team", "red")}
	u.steward, err = c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	u.second, err = u.steward.Beside("second")
	must(t, err)
	must(t, u.second.Start())
	must(t, u.second.WaitReady(t.Context()))

	all := olm.OperatorGroup("everywhere", "all")
	must(t, olm.Create(t.Context(), c.Any, olm.Namespace("home"), olm.Namespace("everywhere"), u.group, all))
	for i := range 12 {
		must(t, olm.Create(t.Context(), c.Any, olm.Namespace(fmt.Sprintf("tenant-%02d", i), "team", []string{"red", "blue"}[i%2])))
	}
	must(t, olm.Create(t.Context(), c.Any, olm.CSV(marker, u.group)))
	for i := range 10 {
		must(t, olm.Create(t.Context(), c.Any, olm.CSV(fmt.Sprintf("before-%d", i), u.group), olm.CSV(fmt.Sprintf("global-%d", i), all)))
	}

	both := alternating(t, []*cluster.Steward{u.steward, u.second})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: both.Certificate().Raw})
	replicas := &rest.Config{Host: both.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority}}
	for where, config := range map[string]*rest.Config{"through the aggregator": c.Config, "behind one address": replicas} {
		for _, watchList := range []bool{true, false} {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			u.listen(t, fmt.Sprintf("client-go %s, WatchList %t", where, watchList), config, inform)
			u.listen(t, fmt.Sprintf("controller-runtime %s, WatchList %t", where, watchList), config, reconcileAll)
		}
	}
	// By then, client-go has looked at every handler.
	begun := time.Now()
	eventually(t, func() error {
		if time.Since(begun) < 2*time.Second {
			return errors.New("too early")
		}
		return nil
	})
	// What informers were told of is known by the same version as what they listed.
	for i := range 10 {
		must(t, olm.Create(t.Context(), c.Any, olm.Namespace(fmt.Sprintf("later-%02d", i), "team", "red"), olm.CSV(fmt.Sprintf("later-%d", i), u.group)))
		must(t, olm.Mutate(t.Context(), c.Any, olm.CSVs, "home", fmt.Sprintf("before-%d", i), func(csv *olm.Object) { csv.SetLabels(map[string]string{"step": "changed"}) }))
	}
	return u
}

func (u *unchanged) listen(t *testing.T, name string, config *rest.Config, begin func(*testing.T, *ear, *rest.Config)) {
	t.Helper()
	e := &ear{name: name, heard: map[string]int{}, markers: map[string]string{}}
	begin(t, e, e.counting(config))
	u.ears = append(u.ears, e)
}

// inform is an informer with two handlers. client-go calls one that wants no resyncs for an object of the same version, too, since it has
// not looked yet whether that wants them: such handlers compare versions. One that was looked at is called for other versions alone.
func inform(t *testing.T, e *ear, restConfig *rest.Config) {
	t.Helper()
	client, err := dynamic.NewForConfig(restConfig)
	must(t, err)
	everything := client.Resource(olm.InstalledOperators)
	informer := cache.NewSharedIndexInformerWithOptions(
		cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return everything.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return everything.Watch(ctx, options)
			},
		}, client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ResyncPeriod: time.Second})
	handlers := cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { e.hears(object.(metav1.Object)) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			e.hears(object.(metav1.Object))
		},
	}
	handlers.UpdateFunc = func(_, object any) { e.hears(object.(metav1.Object)) }
	_, err = informer.AddEventHandlerWithResyncPeriod(handlers, time.Hour)
	must(t, err)
	handlers.UpdateFunc = func(old, object any) {
		if old.(metav1.Object).GetResourceVersion() != object.(metav1.Object).GetResourceVersion() {
			e.hears(object.(metav1.Object))
		}
	}
	_, err = informer.AddEventHandlerWithResyncPeriod(handlers, 0)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { informer.RunWithContext(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
	eventually(t, func() error {
		if !informer.HasSynced() {
			return errors.New("it has no list yet")
		}
		return nil
	})
}

// reconcileAll runs a controller with the predicate that the library calls the default one.
func reconcileAll(t *testing.T, e *ear, restConfig *rest.Config) {
	t.Helper()
	log.SetLogger(logr.Discard())
	m, err := manager.New(restConfig, manager.Options{
		Metrics: server.Options{BindAddress: "0"},
		// There are several of one name in this process.
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	must(t, err)
	kind := func() *unstructured.Unstructured {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(schema.GroupVersionKind{Group: olm.InstalledOperators.Group, Version: olm.InstalledOperators.Version, Kind: "InstalledOperator"})
		return object
	}
	err = builder.ControllerManagedBy(m).For(kind(), builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		object := kind()
		err := m.GetCache().Get(ctx, request.NamespacedName, object)
		if client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, err
		}
		object.SetNamespace(request.Namespace)
		object.SetName(request.Name)
		e.hears(object)
		return reconcile.Result{}, nil
	}))
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := m.Start(ctx); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
	eventually(t, func() error {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		if len(e.heard) == 0 {
			return errors.New("it has heard of nothing")
		}
		return nil
	})
}

// mark changes the marker.
func (u *unchanged) mark(t *testing.T) {
	t.Helper()
	u.marked++
	must(t, olm.Mutate(t.Context(), u.Any, olm.CSVs, "home", marker, func(csv *olm.Object) {
		csv.SetLabels(map[string]string{"step": fmt.Sprint(u.marked)})
	}))
}

// settle changes the marker and waits until everybody has heard it everywhere.
func (u *unchanged) settle(t *testing.T) {
	t.Helper()
	u.mark(t)
	eventually(t, func() error {
		for _, e := range u.ears {
			e.mutex.Lock()
			seen := 0
			for _, step := range e.markers {
				if step == fmt.Sprint(u.marked) {
					seen++
				}
			}
			e.mutex.Unlock()
			// Its own namespace, six tenants and ten later ones.
			if seen != 17 {
				return fmt.Errorf("%s heard of %d of 17 markers", e.name, seen)
			}
		}
		return nil
	})
}

// hearNothingOf has everybody count what they hear while something happens, over which all have to list again, or some may.
func (u *unchanged) hearNothingOf(t *testing.T, all bool, happens func(*testing.T)) {
	u.settle(t)
	u.settle(t)
	lists := map[*ear]int64{}
	for _, e := range u.ears {
		e.forget()
		lists[e] = e.lists.Load()
	}
	happens(t)
	u.settle(t)
	// Who lists behind a backoff does so now.
	u.settle(t)
	for _, e := range u.ears {
		told := e.told()
		if all && e.lists.Load() == lists[e] {
			t.Errorf("%s has not listed again, which proves nothing", e.name)
		}
		t.Logf("%s: %d lists, %d updates of what did not change", e.name, e.lists.Load()-lists[e], len(told))
		if len(told) > 0 {
			t.Errorf("%s: %q", e.name, told[:min(len(told), 5)])
		}
	}
}

// awaitLists waits until so many ask for all there is.
func (u *unchanged) awaitLists(t *testing.T, count int64) {
	t.Helper()
	before := int64(0)
	for _, e := range u.ears {
		before += e.lists.Load()
	}
	eventually(t, func() error {
		now := -before
		for _, e := range u.ears {
			now += e.lists.Load()
		}
		if now < count {
			return errors.New("nobody lists again")
		}
		return nil
	})
}
