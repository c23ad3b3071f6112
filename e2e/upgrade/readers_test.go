package upgrade_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"steward.dev/e2e/olm"
)

// follower is a user who lists once, and then watches in turns at the API servers of both builds: each watch goes on where the one
// before ended.
type follower struct {
	mutex sync.Mutex
	known map[string]bool // namespace/name
	turns int
	ended error
}

// follow begins, and goes on until the test ends.
func follow(t *testing.T, first, second *build) *follower {
	t.Helper()
	f := &follower{known: map[string]bool{}}
	list, err := first.reader.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for i := range list.Items {
		f.known[key(&list.Items[i])] = true
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		version, at, other := list.GetResourceVersion(), second, first
		for ctx.Err() == nil {
			var err error
			version, err = f.watch(ctx, at, version)
			f.mutex.Lock()
			if err != nil && ctx.Err() == nil {
				f.ended = fmt.Errorf("at the %s build: %w", at.name, err)
			}
			f.turns++
			over := f.ended != nil
			f.mutex.Unlock()
			if over {
				return
			}
			at, other = other, at
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	return f
}

// watch is one turn, of a second or two as the server has it. It returns where the next one begins.
func (f *follower) watch(ctx context.Context, at *build, version string) (string, error) {
	seconds := int64(2)
	running, err := at.reader.Resource(olm.InstalledOperators).Watch(ctx, metav1.ListOptions{
		ResourceVersion: version, TimeoutSeconds: &seconds, AllowWatchBookmarks: true,
	})
	if err != nil {
		return version, err
	}
	defer running.Stop()
	for event := range running.ResultChan() {
		object, ok := event.Object.(metav1.Object)
		if event.Type == watch.Error || !ok {
			return version, apierrors.FromObject(event.Object)
		}
		f.mutex.Lock()
		switch name := key(object); event.Type {
		case watch.Added:
			if f.known[name] {
				err = errors.Join(err, fmt.Errorf("%s was added twice", name))
			}
			f.known[name] = true
		case watch.Modified:
			if !f.known[name] {
				err = errors.Join(err, fmt.Errorf("%s changed before it was added", name))
			}
		case watch.Deleted:
			if !f.known[name] {
				err = errors.Join(err, fmt.Errorf("%s went before it was added", name))
			}
			delete(f.known, name)
		}
		f.mutex.Unlock()
		version = object.GetResourceVersion()
	}
	return version, err
}

func key(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

func (f *follower) knows(operator string) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.known[operator]
}

// agrees waits until the follower knows what lists of both builds show, some operators among it, and was at both meanwhile.
func (f *follower) agrees(t *testing.T, operators ...string) {
	t.Helper()
	f.mutex.Lock()
	before := f.turns
	f.mutex.Unlock()
	eventually(t, func() error {
		f.mutex.Lock()
		known, turns, ended := slices.Sorted(maps.Keys(f.known)), f.turns, f.ended
		f.mutex.Unlock()
		if ended != nil {
			t.Fatal(ended)
		}
		if turns < before+2 {
			return fmt.Errorf("%d watches ended", turns-before)
		}
		for _, each := range []*build{older, newer} {
			list, err := each.reader.Resource(olm.InstalledOperators).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			var shown []string
			for i := range list.Items {
				shown = append(shown, key(&list.Items[i]))
			}
			slices.Sort(shown)
			lacking := slices.ContainsFunc(operators, func(name string) bool { return !slices.Contains(shown, name) })
			if !slices.Equal(shown, known) || lacking {
				return fmt.Errorf("the %s build shows %q, the watches %q, and %q are to be there", each.name, shown, known, operators)
			}
		}
		return nil
	})
}
