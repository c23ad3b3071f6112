package cases

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// holds checks that an informer of a namespace ("" = all) has exactly what a list gives now, down to the labels.
func holds(t *testing.T, client dynamic.Interface, namespace string, store cache.Store) func() error {
	return func() error {
		list, err := client.Resource(olm.InstalledOperators).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var there, held []string
		for _, item := range list.Items {
			there = append(there, fmt.Sprint(item.GetNamespace(), "/", item.GetName(), item.GetUID(), item.GetLabels()))
		}
		for _, item := range store.List() {
			object := item.(metav1.Object)
			held = append(held, fmt.Sprint(object.GetNamespace(), "/", object.GetName(), object.GetUID(), object.GetLabels()))
		}
		slices.Sort(there)
		slices.Sort(held)
		if !slices.Equal(there, held) {
			return fmt.Errorf("%d objects, the informer holds %d, or other ones", len(there), len(held))
		}
		return nil
	}
}

// Watches and informers go on over what the cluster's store forgets, and over a kube-apiserver that comes and goes.
func TestContinuity(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			c.DumpLogs(os.Stderr, 30)
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	must(t, loadCRDs(t.Context(), c))
	s, err := c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.WaitServed(t.Context()))
	const home, target = "home", "target"
	group := olm.OperatorGroup(home, "one", target)
	must(t, olm.Create(t.Context(), c.Any, olm.Namespace(home), olm.Namespace(target), group, olm.CSV("first", group, target)))
	direct, err := dynamic.NewForConfig(masters(t, s))
	must(t, err)
	label := func(name, value string) {
		t.Helper()
		must(t, olm.Mutate(t.Context(), c.Any, olm.CSVs, home, name, func(csv *olm.Object) { csv.SetLabels(map[string]string{"step": value}) }))
	}

	stores := map[string]cache.Store{}
	for _, watchList := range []bool{true, false} {
		featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
		stores[fmt.Sprint("through the aggregator, WatchList ", watchList)] = informer(t, c.Config, false).GetStore()
		stores[fmt.Sprint("direct, WatchList ", watchList)] = informer(t, masters(t, s), false).GetStore()
	}
	// One stream that is never begun again, of a client that asks for whatever came meanwhile.
	list, err := direct.Resource(olm.InstalledOperators).Namespace(target).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	begun := list.GetResourceVersion()
	agree := func(t *testing.T) {
		t.Helper()
		for name, store := range stores {
			took := eventually(t, holds(t, direct, metav1.NamespaceAll, store))
			t.Logf("%s: after %s", name, took.Round(time.Millisecond))
		}
	}
	agree(t)

	t.Run("Compaction", func(t *testing.T) {
		label("first", "before")
		must(t, c.CompactEtcd(t.Context()))
		label("first", "after")
		must(t, olm.Create(t.Context(), c.Any, olm.CSV("second", group, target)))
		eventually(t, func() error {
			_, err := direct.Resource(olm.InstalledOperators).Namespace(target).Get(t.Context(), "second", metav1.GetOptions{})
			return err
		})
		agree(t)
		// What etcd has forgotten, Steward still knows.
		w, err := direct.Resource(olm.InstalledOperators).Namespace(target).Watch(t.Context(), metav1.ListOptions{ResourceVersion: begun})
		must(t, err)
		got := watched(t, w, func(events []string) bool { return slices.Contains(events, "ADDED second") })
		if got[0] != "MODIFIED first" {
			t.Errorf("from before the compaction: %q", got)
		}
	})
	t.Run("RestartOfKubeAPIServer", func(t *testing.T) {
		w, err := direct.Resource(olm.InstalledOperators).Namespace(target).Watch(t.Context(), metav1.ListOptions{})
		must(t, err)
		c.KillAPIServer()
		must(t, c.StartAPIServer(t.Context()))
		label("second", "after-the-restart")
		must(t, c.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "first", metav1.DeleteOptions{}))
		// The stream to the client has not noticed.
		got := watched(t, w, func(events []string) bool { return slices.Contains(events, "DELETED first") })
		if slices.ContainsFunc(got, func(event string) bool { return strings.HasPrefix(event, "ERROR") }) {
			t.Errorf("an open watch: %q", got)
		}
		agree(t)
	})
	t.Run("RestartThatForgets", func(t *testing.T) {
		// Steward is to come back to a kube-apiserver that does not know its place in history any more.
		must(t, s.Pause())
		label("second", "unseen")
		must(t, olm.Create(t.Context(), c.Any, olm.CSV("third", group, target)))
		must(t, c.CompactEtcd(t.Context()))
		c.KillAPIServer()
		must(t, c.StartAPIServer(t.Context()))
		label("third", "unseen-too")
		must(t, s.Resume())
		eventually(t, func() error {
			object, err := direct.Resource(olm.InstalledOperators).Namespace(target).Get(t.Context(), "third", metav1.GetOptions{})
			if err == nil && object.GetLabels()["step"] != "unseen-too" {
				err = fmt.Errorf("labels %v", object.GetLabels())
			}
			return err
		})
		agree(t)
	})
}

// alternating passes requests on to the replicas in turn, as their administrator.
func alternating(t *testing.T, replicas []*cluster.Steward) *httptest.Server {
	t.Helper()
	var proxies []*httputil.ReverseProxy
	for _, s := range replicas {
		config := masters(t, s)
		transport, err := rest.TransportFor(config)
		must(t, err)
		address, err := url.Parse(config.Host)
		must(t, err)
		proxies = append(proxies, &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(address)
				r.Out.Header.Del("Authorization")
			},
			Transport:     transport,
			FlushInterval: -1,
			ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(http.StatusBadGateway) },
		})
	}
	var turn atomic.Uint64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxies[turn.Add(1)%uint64(len(proxies))].ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// R-PRJ-06: behind one address, list and watch are answered by different replicas, while changes go on.
func TestWatch_R_PRJ_06_TwoReplicasBehindOneAddress(t *testing.T) {
	var replicas []*cluster.Steward
	for i := range 2 {
		s, err := shared.NewSteward(fmt.Sprintf("behind-%d", i))
		must(t, err)
		s.Kubeconfig = steward.Kubeconfig
		must(t, s.Start())
		must(t, s.WaitReady(t.Context()))
		replicas = append(replicas, s)
		t.Cleanup(func() { _ = s.Stop() })
	}
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	create(t, group, olm.CSV("steady", group, target))
	for _, s := range replicas {
		client, err := dynamic.NewForConfig(masters(t, s))
		must(t, err)
		eventually(t, func() error {
			_, err := client.Resource(olm.InstalledOperators).Namespace(target).Get(t.Context(), "steady", metav1.GetOptions{})
			return err
		})
	}
	server := alternating(t, replicas)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config := &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority}, QPS: -1}
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(kubeconfig, fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: one,
contexts: [{name: one, context: {cluster: one, user: one}}], users: [{name: one, user: {token: none}}],
clusters: [{name: one, cluster: {server: %q, certificate-authority-data: %s}}]}`, server.URL, base64.StdEncoding.EncodeToString(authority)), 0o600))

	// Changes, until told to stop.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var changing sync.WaitGroup
	changes := 0
	changing.Go(func() {
		for ; ctx.Err() == nil; changes++ {
			name := fmt.Sprintf("passing-%d", changes%3)
			_ = olm.Create(ctx, shared.Any, olm.CSV(name, group, target))
			_ = olm.Mutate(ctx, shared.Any, olm.CSVs, home, "steady", func(csv *olm.Object) {
				csv.SetLabels(map[string]string{"change": fmt.Sprint(changes)})
			})
			if changes%2 == 1 {
				_ = shared.Any.Resource(olm.CSVs).Namespace(home).Delete(ctx, name, metav1.DeleteOptions{})
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	var informers []cache.SharedIndexInformer
	for _, watchList := range []bool{false, true, false, true} {
		featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
		informers = append(informers, informerIn(t, config, target, false))
	}
	for range 4 {
		following, err := shared.FollowAs(ctx, kubeconfig, "get", "iop", "-n", target, "--watch", "--output-watch-events", "--show-labels")
		must(t, err)
		eventually(t, says(following, `(?s)ADDED(.*change=){5}`))
		must(t, following.Stop())
		// Its list and its watch are two requests; one more lets the next round begin with the other replica.
		_, _ = client.Resource(olm.InstalledOperators).Namespace(target).List(ctx, metav1.ListOptions{Limit: 1})
	}
	stop()
	changing.Wait()
	for _, each := range informers {
		eventually(t, holds(t, client, target, each.GetStore()))
	}
	t.Logf("%d rounds of changes", changes)
}
