package cases

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// mirror is what an informer holds: "namespace/name" to resourceVersion.
func mirror(store cache.Store) map[string]string {
	out := map[string]string{}
	for _, item := range store.List() {
		object := item.(metav1.Object)
		out[object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
	}
	return out
}

// informer starts an informer of installedoperators, of objects or of their metadata alone.
func informer(t *testing.T, config *rest.Config, onlyMetadata bool) cache.SharedIndexInformer {
	t.Helper()
	return informerIn(t, config, metav1.NamespaceAll, onlyMetadata)
}

func informerIn(t *testing.T, config *rest.Config, namespace string, onlyMetadata bool) cache.SharedIndexInformer {
	t.Helper()
	var informer cache.SharedIndexInformer
	if onlyMetadata {
		client, err := metadata.NewForConfig(config)
		must(t, err)
		informer = metadatainformer.NewFilteredMetadataInformer(client, olm.InstalledOperators, namespace, 0, cache.Indexers{}, nil).Informer()
	} else {
		client, err := dynamic.NewForConfig(config)
		must(t, err)
		informer = dynamicinformer.NewFilteredDynamicInformer(client, olm.InstalledOperators, namespace, 0, cache.Indexers{}, nil).Informer()
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { informer.Run(ctx.Done()) })
	t.Cleanup(func() { cancel(); done.Wait() })
	limit, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	if !cache.WaitForCacheSync(limit.Done(), informer.HasSynced) {
		t.Fatal("the informer did not sync")
	}
	return informer
}

// agrees checks that an informer holds what a list gives.
func agrees(t *testing.T, client dynamic.Interface, store cache.Store) func() error {
	return func() error {
		list, err := client.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		held := mirror(store)
		for _, item := range list.Items {
			key := item.GetNamespace() + "/" + item.GetName()
			if _, ok := held[key]; !ok {
				return fmt.Errorf("%s is missing", key)
			}
			delete(held, key)
		}
		if len(held) > 0 {
			return fmt.Errorf("left over: %v", slices.Sorted(maps.Keys(held)))
		}
		return nil
	}
}

// R-PRJ-06: client-go's informers follow, by list and watch and by watch-list, whole objects and metadata.
func TestWatch_R_PRJ_06_InformersFollow(t *testing.T) {
	for _, row := range []struct {
		name      string
		watchList bool
		metadata  bool
	}{
		{"ListWatch", false, false},
		{"WatchList", true, false},
		{"Metadata", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, row.watchList)
			store := informer(t, shared.Config, row.metadata).GetStore()
			home, target := space(t), space(t)
			group := olm.OperatorGroup(home, "one", target)
			create(t, group, olm.CSV("followed", group, target))
			key := target + "/followed"
			soon(t, "a new CSV", func() error {
				if _, ok := mirror(store)[key]; !ok {
					return fmt.Errorf("%s did not come", key)
				}
				return nil
			})
			first := mirror(store)[key]
			must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "followed", func(csv *olm.Object) {
				csv.SetLabels(map[string]string{"colour": "green"})
			}))
			soon(t, "a changed label", func() error {
				item, ok, _ := store.GetByKey(key)
				if !ok || item.(metav1.Object).GetLabels()["colour"] != "green" {
					return fmt.Errorf("not yet")
				}
				return nil
			})
			if second := mirror(store)[key]; len(second) < len(first) || len(second) == len(first) && second <= first {
				t.Errorf("the number of a changed object went from %s to %s", first, second)
			}
			must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "followed", metav1.DeleteOptions{}))
			soon(t, "a deleted CSV", func() error {
				if _, ok := mirror(store)[key]; ok {
					return fmt.Errorf("%s is still there", key)
				}
				return nil
			})
			eventually(t, agrees(t, shared.Any, store))
		})
	}
}

// watched collects events until stop says so.
func watched(t *testing.T, w watch.Interface, stop func(events []string) bool) []string {
	t.Helper()
	defer w.Stop()
	var events []string
	for {
		events = append(events, nextEvent(t, w, events))
		if events[len(events)-1] == "end" || stop(events) {
			return events
		}
	}
}

// nextEvent is the next event in words, "end" when there are no more.
func nextEvent(t *testing.T, w watch.Interface, before []string) string {
	t.Helper()
	select {
	case event, ok := <-w.ResultChan():
		if !ok {
			return "end"
		}
		text := string(event.Type)
		if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Bookmark {
			text += " " + object.GetName()
		}
		if status, ok := event.Object.(*metav1.Status); ok {
			text += " " + string(status.Reason)
		}
		return text
	case <-time.After(patience):
		t.Fatalf("only %q came", before)
		return ""
	}
}

func TestWatch_SelectorsAndResume(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	create(t, group)
	operators := shared.Any.Resource(olm.InstalledOperators).Namespace(target)
	list, err := operators.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	create(t, olm.CSV("one", group, target), olm.CSV("two", group, target))
	eventually(t, complete(t, target, "one"))
	eventually(t, complete(t, target, "two"))

	w, err := operators.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	must(t, err)
	got := watched(t, w, func(events []string) bool { return len(events) == 2 })
	if !slices.Equal(got, []string{"ADDED one", "ADDED two"}) {
		t.Errorf("from the list's number: %q", got)
	}
	w, err = operators.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), FieldSelector: "metadata.name=two"})
	must(t, err)
	if got := watched(t, w, func(events []string) bool { return len(events) == 1 }); got[0] != "ADDED two" {
		t.Errorf("of one name: %q", got)
	}

	w, err = operators.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), LabelSelector: "colour=green"})
	must(t, err)
	defer w.Stop()
	// One after the other: both changes may be one difference.
	for _, step := range [][2]string{{"green", "ADDED one"}, {"blue", "DELETED one"}} {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "one", func(csv *olm.Object) {
			csv.SetLabels(map[string]string{"colour": step[0]})
		}))
		if got := nextEvent(t, w, nil); got != step[1] {
			t.Errorf("in and out of a selection: %q, want %q", got, step[1])
		}
	}
}

func names(list *unstructured.UnstructuredList) (out []string) {
	for _, item := range list.Items {
		out = append(out, item.GetName())
	}
	return out
}

func TestWatch_StartsAndEnds(t *testing.T) {
	operators := shared.Any.Resource(olm.InstalledOperators)
	seconds := int64(3)
	w, err := operators.Namespace("payments").Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: &seconds})
	must(t, err)
	got := watched(t, w, func([]string) bool { return false })
	if len(got) < 2 || got[len(got)-1] != "end" || !strings.HasPrefix(got[0], "ADDED ") {
		t.Errorf("without a number, for three seconds: %q", got)
	}
	yes := true
	w, err = operators.Namespace("payments").Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	must(t, err)
	got = watched(t, w, func(events []string) bool { return events[len(events)-1] == "BOOKMARK" })
	if len(got) < 2 || !strings.HasPrefix(got[0], "ADDED ") {
		t.Errorf("initial events: %q", got)
	}
	// Numbers of another API: an informer that holds one begins anew.
	for _, number := range []string{"1", "0123", "99999999999999"} {
		w, err = operators.Watch(t.Context(), metav1.ListOptions{ResourceVersion: number})
		must(t, err)
		if got := watched(t, w, func([]string) bool { return true }); got[0] != "ERROR Expired" {
			t.Errorf("%s is none of ours: %q", number, got)
		}
	}
	// A state from before this replica started.
	list, err := operators.Namespace("payments").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	number := list.GetResourceVersion()
	old := number[:len(number)-21] + strings.Repeat("0", 21)
	w, err = operators.Watch(t.Context(), metav1.ListOptions{ResourceVersion: old})
	must(t, err)
	if got := watched(t, w, func([]string) bool { return true }); got[0] != "ERROR Expired" {
		t.Errorf("too old: %q", got)
	}
}

func TestWatch_Pages(t *testing.T) {
	client, err := metadata.NewForConfig(shared.Config)
	must(t, err)
	var paged []string
	var remaining []*int64 // behind the pages but the last
	var through []int      // objects up to there
	number := ""
	options := metav1.ListOptions{Limit: 7}
	for {
		list, err := client.Resource(olm.InstalledOperators).List(t.Context(), options)
		must(t, err)
		if number == "" {
			number = list.ResourceVersion
		}
		if list.ResourceVersion != number || len(list.Items) > 7 {
			t.Fatalf("a page of %d at %s, the first at %s", len(list.Items), list.ResourceVersion, number)
		}
		for _, item := range list.Items {
			paged = append(paged, item.Namespace+"/"+item.Name)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
		remaining, through = append(remaining, list.RemainingItemCount), append(through, len(paged))
	}
	for i, left := range remaining {
		if left == nil || *left != int64(len(paged)-through[i]) {
			t.Errorf("after %d of %d objects %v are said to remain", through[i], len(paged), left)
		}
	}
	whole, err := client.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{
		ResourceVersion: number, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	must(t, err)
	var all []string
	for _, item := range whole.Items {
		all = append(all, item.Namespace+"/"+item.Name)
	}
	if !slices.Equal(paged, all) {
		t.Errorf("%d objects in pages, %d in one list", len(paged), len(all))
	}
	// Of the examples only: what other cases leave behind goes meanwhile.
	args := []string{"get", "iop", "-A", "-l", "olm.copiedFrom in (databases,monitoring,payments-operators)"}
	if one, chunked := kubectl(t, args...), kubectl(t, append(args, "--chunk-size=2")...); one != chunked || strings.Count(one, "\n") < 5 {
		t.Errorf("kubectl prints another table in chunks:\n%s\n%s", one, chunked)
	}
}

func TestWatch_Kubectl(t *testing.T) {
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	create(t, group, olm.CSV("seen", group, target))
	eventually(t, complete(t, target, "seen"))
	following, err := shared.FollowAs(t.Context(), shared.Admin, "get", "iop", "-n", target, "--watch", "--output-watch-events")
	must(t, err)
	eventually(t, says(following, `ADDED +seen .*Succeeded`))
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, home, "seen", func(csv *olm.Object) {
		must(t, unstructured.SetNestedField(csv.Object, "Failed", "status", "phase"))
	}))
	eventually(t, says(following, `MODIFIED +seen .*Failed`))
	must(t, following.Stop())
	kubectl(t, "wait", "iop/seen", "-n", target, "--for=jsonpath={.status.phase}=Failed", "--timeout=2m")
	go func() {
		time.Sleep(300 * time.Millisecond)
		_ = shared.Any.Resource(olm.CSVs).Namespace(home).Delete(context.Background(), "seen", metav1.DeleteOptions{})
	}()
	kubectl(t, "wait", "iop/seen", "-n", target, "--for=delete", "--timeout=2m")
}

// says checks that a kubectl has printed something that matches.
func says(following *cluster.Following, pattern string) func() error {
	expression := regexp.MustCompile(pattern)
	return func() error {
		if said := following.Said(); !expression.MatchString(said) {
			return fmt.Errorf("no %q in:\n%s", pattern, said)
		}
		return nil
	}
}

// R-PRJ-06: two replicas, which share nothing, and clients that land on either, through restarts of both.
func TestWatch_R_PRJ_06_AcrossReplicasAndRestarts(t *testing.T) {
	var replicas []*cluster.Steward
	for i := range 2 {
		s, err := shared.NewSteward(fmt.Sprintf("replica-%d", i))
		must(t, err)
		s.Kubeconfig = steward.Kubeconfig
		must(t, s.Start())
		must(t, s.WaitReady(t.Context()))
		replicas = append(replicas, s)
		t.Cleanup(func() {
			if t.Failed() {
				fmt.Fprintln(os.Stderr, s.Process.Tail(20))
			}
			_ = s.Stop()
		})
	}
	clients := make([]dynamic.Interface, 2)
	for i, s := range replicas {
		client, err := dynamic.NewForConfig(masters(t, s))
		must(t, err)
		clients[i] = client
	}
	home, target := space(t), space(t)
	group := olm.OperatorGroup(home, "one", target)
	// A replica knows no state from before its start: each kind has to have changed since the younger one's.
	create(t, group, olm.CSV("first", group, target))
	both := func(name string) {
		for _, client := range clients {
			eventually(t, func() error {
				_, err := client.Resource(olm.InstalledOperators).Namespace(target).Get(t.Context(), name, metav1.GetOptions{})
				return err
			})
		}
	}
	both("first")

	t.Run("a list here, the watch there", func(t *testing.T) {
		list, err := clients[0].Resource(olm.InstalledOperators).Namespace(target).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		w, err := clients[1].Resource(olm.InstalledOperators).Namespace(target).Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		must(t, err)
		create(t, olm.CSV("over-there", group, target))
		if got := watched(t, w, func([]string) bool { return true }); got[0] != "ADDED over-there" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a page here, the next there", func(t *testing.T) {
		create(t, olm.CSV("another", group, target))
		both("another")
		whole, err := clients[0].Resource(olm.InstalledOperators).Namespace(target).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		var paged []string
		options := metav1.ListOptions{Limit: 1}
		for page := 0; page == 0 || options.Continue != ""; page++ {
			list, err := clients[page%2].Resource(olm.InstalledOperators).Namespace(target).List(t.Context(), options)
			must(t, err)
			paged = append(paged, names(list)...)
			options.Continue = list.GetContinue()
		}
		if !slices.Equal(paged, names(whole)) {
			t.Errorf("pages %v of %v", paged, names(whole))
		}
	})
	t.Run("restarts", func(t *testing.T) {
		store := informer(t, masters(t, replicas[0]), false).GetStore()
		port := replicas[0].Port
		must(t, replicas[0].Stop())
		create(t, olm.CSV("meanwhile", group, target))
		must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "another", metav1.DeleteOptions{}))
		must(t, replicas[0].Start())
		if replicas[0].Port != port {
			t.Fatal("the replica came back elsewhere")
		}
		eventually(t, func() error {
			held := mirror(store)
			if _, ok := held[target+"/meanwhile"]; !ok {
				return fmt.Errorf("what came meanwhile is missing")
			}
			if _, ok := held[target+"/another"]; ok {
				return fmt.Errorf("what went meanwhile is still there")
			}
			return nil
		})
		eventually(t, agrees(t, clients[0], store))
	})
}
