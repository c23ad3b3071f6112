package node_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var (
	apiServices        = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	installedOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}
)

// abandoned is when a user gives a request up: one that takes as long was not slow, but left lying.
const abandoned = 30 * time.Second

// load are users who list and watch through the kube-apiserver, whatever happens to Steward. They may view, and are no administrators.
type load struct {
	stop     context.CancelFunc
	users    sync.WaitGroup
	watches  int
	sent     atomic.Int64
	answered atomic.Int64
	open     atomic.Int64 // watches that go on at the moment
	resumed  atomic.Int64 // watches that a server ended, as it may, and that went on where they were
	expired  atomic.Int64 // watches that had to list again

	mutex    sync.Mutex
	failures []string
}

// startLoad begins a number of requests each second, and keeps a number of watches, all of which are open when it returns.
func startLoad(t *testing.T, s *scene, perSecond, watches int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop, watches: watches}
	// A connection carries no more than some hundred streams.
	var clients []dynamic.Interface
	for range 8 {
		config := rest.CopyConfig(s.Viewer)
		config.QPS = -1
		config.UserAgent = fmt.Sprintf("e2e-load-%d", len(clients))
		client, err := dynamic.NewForConfig(config)
		must(t, err)
		clients = append(clients, client)
	}
	ticks := make(chan struct{}, perSecond)
	l.users.Go(func() {
		ticker := time.NewTicker(time.Second / time.Duration(perSecond))
		defer ticker.Stop()
		defer close(ticks)
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				select {
				case ticks <- struct{}{}:
				default:
				}
			}
		}
	})
	for i := range 64 {
		l.users.Go(func() {
			for range ticks {
				l.sent.Add(1)
				request, cancel := context.WithTimeout(ctx, abandoned)
				_, err := clients[i%len(clients)].Resource(installedOperators).Namespace("payments").List(request, metav1.ListOptions{})
				cancel()
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					l.fail("list", err)
				} else {
					l.answered.Add(1)
				}
			}
		})
	}
	for i := range watches {
		l.users.Go(func() { l.watch(ctx, clients[i%len(clients)]) })
	}
	l.awaitOpen(t)
	return l
}

// awaitOpen waits until every watch is open.
func (l *load) awaitOpen(t *testing.T) {
	t.Helper()
	await(t, func() error {
		if open := l.open.Load(); open != int64(l.watches) {
			return fmt.Errorf("%d of %d watches are open", open, l.watches)
		}
		return nil
	})
}

// rate is how many requests were answered in a second while something ran, and how long that took.
func (l *load) rate(run func()) (float64, time.Duration) {
	began, before := time.Now(), l.answered.Load()
	run()
	took := time.Since(began)
	return float64(l.answered.Load()-before) / took.Seconds(), took
}

func (l *load) failed() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.failures)
}

func (l *load) fail(what string, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failures = append(l.failures, fmt.Sprintf("%s %s: %v", time.Now().Format(time.TimeOnly), what, err))
}

// watch is what an informer does.
func (l *load) watch(ctx context.Context, client dynamic.Interface) {
	version := ""
	for ctx.Err() == nil {
		if version == "" {
			request, cancel := context.WithTimeout(ctx, abandoned)
			list, err := client.Resource(installedOperators).List(request, metav1.ListOptions{})
			cancel()
			if err != nil {
				if ctx.Err() == nil {
					l.fail("list", err)
					time.Sleep(time.Second)
				}
				continue
			}
			version = list.GetResourceVersion()
		}
		// A watch may last; what is to come in time is its beginning.
		request, cancel := context.WithCancel(ctx)
		beginning := time.AfterFunc(abandoned, cancel)
		running, err := client.Resource(installedOperators).Watch(request, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
		beginning.Stop()
		if err != nil {
			cancel()
			if ctx.Err() != nil {
				return
			}
			if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
				l.expired.Add(1)
				version = ""
				continue
			}
			l.fail("watch", err)
			time.Sleep(time.Second)
			continue
		}
		l.open.Add(1)
		version = l.follow(ctx, running, version)
		l.open.Add(-1)
		cancel()
		l.resumed.Add(1)
	}
}

// follow reads a watch to its end, and returns where the next one begins.
func (l *load) follow(ctx context.Context, running watch.Interface, version string) string {
	defer running.Stop()
	for event := range running.ResultChan() {
		if event.Type == watch.Error {
			if ctx.Err() != nil {
				return version
			}
			err := apierrors.FromObject(event.Object)
			if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
				l.expired.Add(1)
				return ""
			}
			l.fail("watch", err)
			return version
		}
		if object, ok := event.Object.(metav1.Object); ok {
			version = object.GetResourceVersion()
		}
	}
	return version
}

// end ends all users once every watch is open again, and tells what they saw.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.awaitOpen(t)
	l.stop()
	l.users.Wait()
	t.Logf("%d requests, %d answered, %d failed; watches: %d resumed, %d listed again", l.sent.Load(), l.answered.Load(), len(l.failures),
		l.resumed.Load(), l.expired.Load())
	if l.answered.Load() == 0 {
		t.Error("nothing was answered")
	}
	for i, each := range l.failures {
		if i == 20 {
			break
		}
		t.Error(each)
	}
}
