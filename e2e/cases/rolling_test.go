package cases

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// follower is a client of client-go's that resumes its watch whenever it ends, at the last number it was given.
type follower struct {
	mutex   sync.Mutex
	events  map[string]int // how often each was told: "ADDED name"
	repeats int            // of one number
	expired error
}

func (f *follower) follow(running watch.Interface) {
	last := map[string]string{}
	for event := range running.ResultChan() {
		f.mutex.Lock()
		if event.Type == watch.Error {
			f.expired = apierrors.FromObject(event.Object)
		} else if event.Type != watch.Bookmark {
			object := event.Object.(metav1.Object)
			told := string(event.Type) + " " + object.GetName()
			if last[object.GetName()] == told+object.GetResourceVersion() {
				f.repeats++
			} else {
				f.events[told]++
			}
			last[object.GetName()] = told + object.GetResourceVersion()
		}
		f.mutex.Unlock()
	}
}

func isDeleted(n int) bool { return n%3 == 0 }

// R-PRJ-06: replicas are replaced one after the other while things change, and 300 watches go on from where they are.
func TestRestart_R_PRJ_06_RollingUpdateIsNotNoticed(t *testing.T) {
	r := startRestarted(t)
	second, err := r.s.Beside("second")
	must(t, err)
	must(t, second.Start())
	must(t, second.WaitReady(t.Context()))
	for i := range 12 {
		must(t, olm.Create(t.Context(), r.Any, olm.CSV(fmt.Sprintf("steady-%02d", i), r.group, remembered)))
	}
	r.see(t, "steady-11")
	replicas := []*cluster.Steward{r.s, second}
	both := alternating(t, replicas)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: both.Certificate().Raw})
	client, err := dynamic.NewForConfig(&rest.Config{Host: both.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: authority}})
	must(t, err)
	operators := client.Resource(olm.InstalledOperators).Namespace(remembered)
	var followers []*follower
	for range watchers {
		list, err := operators.List(t.Context(), metav1.ListOptions{})
		must(t, err)
		running, err := watchtools.NewRetryWatcherWithContext(t.Context(), list.GetResourceVersion(), &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return operators.Watch(ctx, options)
			}})
		must(t, err)
		t.Cleanup(running.Stop)
		f := &follower{events: map[string]int{}}
		followers = append(followers, f)
		go f.follow(running)
	}
	_, tokens, names := r.holders(t)

	const count = 60
	replaced := make(chan error, 1)
	replaced <- nil
	for n := range count {
		if n%10 == 0 {
			must(t, <-replaced)
			s := replicas[n/10%2]
			go func() { replaced <- errors.Join(s.Stop(), s.Start(), s.WaitReady(t.Context())) }()
		}
		name := fmt.Sprintf("new-%02d", n)
		must(t, olm.Create(t.Context(), r.Any, olm.CSV(name, r.group, remembered)))
		if isDeleted(n) {
			must(t, r.Any.Resource(olm.CSVs).Namespace(rememberer).Delete(t.Context(), name, metav1.DeleteOptions{}))
		}
	}
	must(t, <-replaced)
	// By its name it is the last of a burst, too.
	must(t, olm.Create(t.Context(), r.Any, olm.CSV("the-last", r.group, remembered)))
	r.readOn(t, tokens, names)
	repeats := 0
	for i, f := range followers {
		eventually(t, func() error {
			f.mutex.Lock()
			defer f.mutex.Unlock()
			if f.expired == nil && f.events["ADDED the-last"] == 0 {
				return fmt.Errorf("watch %d has seen %v", i, slices.Sorted(maps.Keys(f.events)))
			}
			return nil
		})
		f.mutex.Lock()
		repeats += f.repeats
		if f.expired != nil {
			t.Errorf("watch %d: %v", i, f.expired)
		}
		for n := range count {
			name := fmt.Sprintf("new-%02d", n)
			added, deleted := f.events["ADDED "+name], f.events["DELETED "+name]
			// One that came and went between two looks may not show.
			if isDeleted(n) && (added > 1 || deleted != added) || !isDeleted(n) && (added != 1 || deleted != 0) {
				t.Errorf("watch %d: %s was added %d times, deleted %d times", i, name, added, deleted)
			}
		}
		f.mutex.Unlock()
	}
	t.Logf("%d watches, %d changes, %d events told again", len(followers), count, repeats)
}
