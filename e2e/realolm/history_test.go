package realolm_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"steward.dev/e2e/olm"
)

// moment is one state of an object. Revisions are the store's, so those of all kinds are of one order.
type moment struct {
	revision uint64
	gone     bool
	object   *olm.Object
}

// history is every state that the objects of a resource went through since it was begun, by UID.
type history struct {
	at   string
	list func() ([]olm.Object, error)

	// latest: only the last states of what is there are kept.
	latest bool

	mutex sync.Mutex
	byUID map[types.UID][]moment // guarded by mutex
	count int                    // guarded by mutex
}

// follow begins a history; it goes on until the test ends.
func (w *world) follow(t *testing.T, resource schema.GroupVersionResource, selector string) *history {
	t.Helper()
	return w.begin(t, resource, selector, &history{at: resource.Resource, byUID: map[types.UID][]moment{}})
}

// followLatest is follow for what is too much to be remembered.
func (w *world) followLatest(t *testing.T, resource schema.GroupVersionResource, selector string) *history {
	t.Helper()
	return w.begin(t, resource, selector, &history{at: resource.Resource, byUID: map[types.UID][]moment{}, latest: true})
}

func (w *world) begin(t *testing.T, resource schema.GroupVersionResource, selector string, h *history) *history {
	t.Helper()
	client := w.Any.Resource(resource)
	h.list = func() ([]olm.Object, error) {
		list, err := client.List(context.Background(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
	list, err := client.List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	must(t, err)
	for i := range list.Items {
		h.add(watch.Event{Type: watch.Added, Object: &list.Items[i]})
	}
	ctx, stop := context.WithCancel(context.Background())
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			return client.Watch(ctx, options)
		},
	})
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range watcher.ResultChan() {
			h.add(event)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return h
}

func (h *history) add(event watch.Event) {
	seen, ok := event.Object.(*olm.Object)
	if !ok || event.Type == watch.Bookmark {
		return
	}
	revision, err := strconv.ParseUint(seen.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(err) // a kube-apiserver's are numbers
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.count++
	if h.latest {
		delete(h.byUID, seen.GetUID())
		if event.Type == watch.Deleted {
			return
		}
	}
	h.byUID[seen.GetUID()] = append(h.byUID[seen.GetUID()], moment{revision: revision, gone: event.Type == watch.Deleted, object: seen})
}

// length is how much has happened so far.
func (h *history) length() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.count
}

// of are the histories of those objects whose latest state is wanted.
func (h *history) of(wanted func(*olm.Object) bool) map[types.UID][]moment {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	found := map[types.UID][]moment{}
	for uid, moments := range h.byUID {
		if wanted(moments[len(moments)-1].object) {
			found[uid] = slices.Clone(moments)
		}
	}
	return found
}

// settle waits until the history has come to how things are: nothing is there or gone that it does not know.
func (h *history) settle(t *testing.T, wanted func(*olm.Object) bool) {
	t.Helper()
	eventually(t, func() error {
		list, err := h.list()
		if err != nil {
			return err
		}
		live := map[types.UID]string{}
		for _, each := range list {
			if wanted(&each) {
				live[each.GetUID()] = each.GetResourceVersion()
			}
		}
		for uid, moments := range h.of(wanted) {
			last := moments[len(moments)-1]
			if !last.gone && live[uid] != last.object.GetResourceVersion() {
				return fmt.Errorf("the history of %s is behind with %s", h.at, last.object.GetName())
			}
			delete(live, uid)
		}
		if len(live) > 0 {
			return fmt.Errorf("the history of %s is behind with %d", h.at, len(live))
		}
		return nil
	})
}

// never is a revision that has not come.
const never = ^uint64(0)

// first is the revision of the first state that holds; never if none does.
func first(moments []moment, holds func(moment) bool) uint64 {
	if i := slices.IndexFunc(moments, holds); i >= 0 {
		return moments[i].revision
	}
	return never
}

// lostFinalizer is the revision at which a finalizer that had been there was first missing; never if it still is there.
func lostFinalizer(moments []moment, name string) uint64 {
	had := false
	return first(moments, func(m moment) bool {
		has := slices.Contains(m.object.GetFinalizers(), name)
		lost := had && (!has || m.gone)
		had = had || has
		return lost
	})
}

// story is what became of some objects in the order of revisions, for people.
func story(histories ...map[types.UID][]moment) string {
	var all []moment
	for _, each := range histories {
		for _, moments := range each {
			all = append(all, moments...)
		}
	}
	slices.SortFunc(all, func(a, b moment) int { return int(int64(a.revision) - int64(b.revision)) })
	var text strings.Builder
	for _, m := range all {
		what := ""
		if m.object.GetDeletionTimestamp() != nil {
			what = " deleting"
		}
		if m.gone {
			what = " GONE"
		}
		fmt.Fprintf(&text, "%8d %s %s/%s%s finalizers %q %s\n", m.revision, m.object.GetKind(), m.object.GetNamespace(),
			m.object.GetName(), what, m.object.GetFinalizers(), phaseOf(m.object))
	}
	return text.String()
}
