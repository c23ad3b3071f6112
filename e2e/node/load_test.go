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

var installedOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}

// load are users who list and watch through the kube-apiserver, whatever happens to Steward.
type load struct {
	stop    context.CancelFunc
	users   sync.WaitGroup
	sent    atomic.Int64
	resumed atomic.Int64 // watches that a server ended, as it may, and that went on where they were
	expired atomic.Int64 // watches that had to list again

	mutex    sync.Mutex
	failures []string
}

// startLoad begins a number of requests each second, and keeps a number of watches.
func startLoad(t *testing.T, s *scene, perSecond, watches int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	// A connection carries no more than some hundred streams.
	var clients []dynamic.Interface
	for range 8 {
		config := rest.CopyConfig(s.Config)
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
				_, err := clients[i%len(clients)].Resource(installedOperators).Namespace("payments").List(ctx, metav1.ListOptions{})
				if ctx.Err() != nil {
					return
				}
				l.sent.Add(1)
				if err != nil {
					l.fail("list", err)
				}
			}
		})
	}
	for i := range watches {
		l.users.Go(func() { l.watch(ctx, clients[i%len(clients)]) })
	}
	return l
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
			list, err := client.Resource(installedOperators).List(ctx, metav1.ListOptions{})
			if err != nil {
				if ctx.Err() == nil {
					l.fail("list", err)
					time.Sleep(time.Second)
				}
				continue
			}
			version = list.GetResourceVersion()
		}
		running, err := client.Resource(installedOperators).Watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
		if err != nil {
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
		version = l.follow(ctx, running, version)
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

// end ends all users, and tells what they saw.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop()
	l.users.Wait()
	t.Logf("%d requests, %d failed; watches: %d resumed, %d listed again", l.sent.Load(), len(l.failures), l.resumed.Load(), l.expired.Load())
	for i, each := range l.failures {
		if i == 20 {
			break
		}
		t.Error(each)
	}
}
