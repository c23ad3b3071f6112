package cleanup_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/faultproxy"
)

// R-000-78: however long nothing gets through, nothing is sent that may no longer be; and what was sent in time, and arrives
// when it may no longer be, deletes nothing but the object that it was meant for.
func TestLate_R_000_78(t *testing.T) {
	alone(t)
	kinds := newScene(t, 0)
	t.Run("Midway", func(t *testing.T) {
		t.Run("TheLeaderIsSuspended", func(t *testing.T) {
			t.Parallel()
			suspended(t, kinds)
		})
		t.Run("DeletesAreHeldBack", func(t *testing.T) {
			t.Parallel()
			heldBack(t, kinds)
		})
	})
}

// widgetNames are those of many custom resources.
func widgetNames() (names []string) {
	for i := range many {
		names = append(names, fmt.Sprintf("widget-%02d", i))
	}
	return names
}

// The leader stands still in the middle of a batch, for longer than its Lease and its guards last. Another one goes on. The
// first wakes up, with answers to what it had sent, and has a list of what is left: it sends nothing of it.
func suspended(t *testing.T, kinds *scene) {
	r := newRun(t, kinds, 2)
	r.flags = []string{"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms"}
	var first *member
	var once sync.Once
	r.rules = append(r.rules, faultproxy.Rule{
		When: func(request *faultproxy.Request) bool {
			return kindOf(request) == deletion && request.Client == first.name
		},
		Do: faultproxy.After(func() {
			once.Do(func() { must(t, first.process.Pause()) })
			time.Sleep(slow)
		}),
	})
	r.install(t, synced(r.namespace, "group", r.spaces[0]), widgetNames()...)
	first = r.members[0]
	second, err := r.begin(t.Context())
	must(t, err)
	r.uninstall(t)
	r.await(t, 2*patience, "the second one deletes", func() error {
		for _, request := range r.journal.All() {
			if request.Client == second.name && kindOf(&request) == deletion {
				return nil
			}
		}
		return fmt.Errorf("it does not")
	})
	woken := time.Now()
	must(t, first.process.Resume())
	r.await(t, patience, "the first one knows", func() error {
		value, err := first.process.Metric(t.Context(), `leader_election_master_status{name="steward-controllers"}`)
		if err == nil && value != 0 {
			err = fmt.Errorf("it leads")
		}
		return err
	})
	r.finishAll(t, 4*glance)
	r.ends(t, 2*patience)
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Errorf("%q are left", there)
	}
	began := 0
	for _, request := range r.journal.All() {
		if request.Client != first.name || !request.IsWrite() {
			continue
		}
		what := kindOf(&request)
		if what == deletion {
			began++
		}
		if request.Began.After(woken) && what != lease && what != event {
			t.Errorf("it sent after it woke up: %s %s", request.Method, request.Path)
		}
	}
	if began == 0 || began >= many {
		t.Errorf("the first one sent %d DELETEs", began)
	}
}

// Something between the controllers and the API server has the first DELETEs, and passes them on a minute later: nobody
// waits for their answers any more, the targets are others, and one of the objects is another one. The operator's rights are
// there for as long as it may take, and what is deleted so late is finished.
func heldBack(t *testing.T, kinds *scene) {
	const (
		width   = 8
		forLong = time.Minute
	)
	r := newRun(t, kinds, 2)
	var mutex sync.Mutex
	var held []string
	var forgotten int
	var arrived sync.WaitGroup
	arrived.Add(width)
	all := make(chan struct{}) // have been sent
	r.rules = append(r.rules, faultproxy.Rule{
		When: func(request *faultproxy.Request) bool {
			mutex.Lock()
			defer mutex.Unlock()
			if kindOf(request) != deletion || len(held) == width {
				return false
			}
			held = append(held, path.Base(request.Path))
			if len(held) == width {
				close(all)
			}
			return true
		},
		Do: func(x *faultproxy.Exchange) {
			defer arrived.Done()
			began := time.Now()
			select {
			case <-x.Gone():
				mutex.Lock()
				forgotten++
				mutex.Unlock()
			case <-time.After(forLong):
			}
			time.Sleep(forLong - time.Since(began))
			x.Pass()
			x.Deliver()
		},
	})
	r.install(t, synced(r.namespace, "group", r.spaces[0]), widgetNames()...)
	r.uninstall(t)
	select {
	case <-all:
	case <-time.After(patience):
		t.Fatal("nothing was deleted")
	}
	r.oracle.change(t, func() {
		r.narrow(t)
		r.editStatus(t, r.spaces[1])
	})
	again := held[0]
	widgets := shared.Any.Resource(r.widgets()).Namespace(r.spaces[0])
	_, err := widgets.Patch(t.Context(), again, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, widgets.Delete(t.Context(), again, background))
	r.operands(t, r.spaces[0], again)
	arrived.Wait()

	if err := r.held(t, true); err != nil {
		t.Errorf("nobody can finish what was deleted late: %v", err)
	}
	if forgotten < width {
		t.Errorf("%d of %d DELETEs were still waited for", width-forgotten, width)
	}
	there, deleting := r.operandsIn(t, r.spaces[0])
	if !slices.Contains(there, again) || len(there) != many {
		t.Errorf("there are %d, %s among them: %v", len(there), again, slices.Contains(there, again))
	}
	slices.Sort(deleting)
	late := slices.Sorted(slices.Values(held[1:]))
	if !slices.Equal(deleting, late) {
		t.Errorf("%q are being deleted, and what was held back were %q and %s", deleting, late, again)
	}
	r.finishAll(t, 4*glance)
	r.ends(t, 2*patience)
	there, deleting = r.operandsIn(t, r.spaces[0])
	if len(deleting) > 0 || len(there) != many-len(late) {
		t.Errorf("%d are left, and %q are still being deleted", len(there), deleting)
	}
	for _, request := range r.journal.All() {
		if kindOf(&request) != deletion {
			continue
		}
		if name := path.Base(request.Path); name == again && request.Code != http.StatusConflict {
			t.Errorf("the DELETE of %s, which is another one now: %d", name, request.Code)
		}
	}
}
