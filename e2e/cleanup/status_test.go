package cleanup_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// replica starts an API server beside the controllers, under the rights that deploy/ gives, and returns a client that
// asks it directly.
func replica(t *testing.T, name string) (*cluster.Steward, dynamic.Interface) {
	t.Helper()
	s, err := shared.NewSteward(name)
	must(t, err)
	s.Kubeconfig, err = shared.ServiceAccount(t.Context(), controllersNamespace, "steward-apiserver")
	must(t, err)
	must(t, s.Start())
	t.Cleanup(func() { _ = s.Stop() })
	must(t, s.WaitReady(t.Context()))
	config, err := s.WithUser("direct-admin", "system:masters")
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	return s, client
}

// follower is one client's watch of one CleanupStatus, which goes on where it was, on whatever replica.
type follower struct {
	scene  *scene
	number string
	events watch.Interface
	seen   []string // "MODIFIED Deleting 3"
}

func (f *follower) watch(t *testing.T, client dynamic.Interface) {
	t.Helper()
	var err error
	f.events, err = client.Resource(olm.CleanupStatuses).Namespace(f.scene.namespace).Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: f.number, AllowWatchBookmarks: true})
	must(t, err)
}

// until reads events until one is as wanted.
func (f *follower) until(t *testing.T, what string, wanted func(kind watch.EventType, phase string, pending int64) bool) *olm.Object {
	t.Helper()
	limit, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for {
		select {
		case event, ok := <-f.events.ResultChan():
			if !ok || event.Type == watch.Error {
				t.Fatalf("waiting for %s, the watch ended: %v; seen %q", what, event.Object, f.seen)
			}
			object := event.Object.(*olm.Object)
			if number := object.GetResourceVersion(); len(number) != len(f.number) || number < f.number {
				t.Errorf("the number went from %s to %s", f.number, number)
			}
			f.number = object.GetResourceVersion()
			if event.Type == watch.Bookmark {
				continue
			}
			phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
			pending, _, _ := unstructured.NestedInt64(object.Object, "status", "pendingCount")
			f.seen = append(f.seen, fmt.Sprint(event.Type, " ", phase, " ", pending))
			if wanted(event.Type, phase, pending) {
				return object
			}
		case <-limit.Done():
			t.Fatalf("%s was not seen; only %q", what, f.seen)
		}
	}
}

// R-PRJ-06, R-000-47, R-000-48, R-000-53: one watch follows a whole cleanup, from before the delete to the end, over a
// change of replica and without a gap.
func TestStatus_R_000_47_53_FollowedOverAChangeOfReplica(t *testing.T) {
	first, client := replica(t, "status-first")
	_, other := replica(t, "status-second")
	s := newScene(t, 1)
	s.install(t, s.namespace, s.spaces[0])
	s.operands(t, s.namespace, "mine")
	s.operands(t, s.spaces[0], "a", "b", "c")

	f := &follower{scene: s}
	eventually(t, func() error {
		list, err := client.Resource(olm.CleanupStatuses).Namespace(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		f.number = list.GetResourceVersion()
		if len(list.Items) != 1 {
			return fmt.Errorf("%d objects", len(list.Items))
		}
		if phase, _, _ := unstructured.NestedString(list.Items[0].Object, "status", "phase"); phase != "Ready" {
			return fmt.Errorf("%v", list.Items[0].Object["status"])
		}
		return nil
	})
	f.watch(t, client)
	s.uninstall(t)
	object := f.until(t, "what is pending", func(_ watch.EventType, phase string, pending int64) bool {
		return pending == 4
	})
	reached, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	if reached != "Deleting" && reached != "Stalled" { // it may have taken so long
		t.Errorf("the phase is %s", reached)
	}
	uid := object.GetUID()
	if started, _, _ := unstructured.NestedString(object.Object, "status", "startedAt"); started == "" {
		t.Errorf("startedAt is not there: %v", object.Object["status"])
	}
	pending, _, _ := unstructured.NestedSlice(object.Object, "status", "pendingDeletion")
	elsewhere, _, _ := unstructured.NestedInt64(object.Object, "status", "pendingElsewhere")
	if len(pending) != 1 || elsewhere != 3 || pending[0].(map[string]any)["name"] != "mine" ||
		pending[0].(map[string]any)["resource"] != "widgets."+s.group {
		t.Errorf("pendingDeletion %v, elsewhere %d", pending, elsewhere)
	}

	// Nobody finishes anything: it stalls, while nobody watches.
	f.events.Stop()
	first.Kill()
	s.says(t, "CleanupStalled", "NoProgress")
	f.watch(t, other)
	if reached != "Stalled" {
		object = f.until(t, "the stall", func(_ watch.EventType, phase string, _ int64) bool { return phase == "Stalled" })
	}
	if since, _, _ := unstructured.NestedString(object.Object, "status", "stalledSince"); since == "" || object.GetUID() != uid {
		t.Errorf("UID %s, was %s; %v", object.GetUID(), uid, object.Object["status"])
	}
	s.operate(t, 100*time.Millisecond)
	object = f.until(t, "the end", func(kind watch.EventType, _ string, _ int64) bool { return kind == watch.Deleted })
	if object.GetUID() != uid {
		t.Errorf("another one was deleted: %s, was %s", object.GetUID(), uid)
	}
	f.events.Stop()
	s.gone(t)
	for _, each := range f.seen[:len(f.seen)-1] {
		if each[:len("MODIFIED")] != "MODIFIED" {
			t.Errorf("not one object throughout: %q", f.seen)
		}
	}
	t.Logf("seen: %q", f.seen)
}
