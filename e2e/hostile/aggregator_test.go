package hostile

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// The kube-apiserver asks for all users over one connection. What one of them sends ends that one's requests alone, and no
// watch of another.
func TestUsersBehindTheAggregator(t *testing.T) {
	watcher := newUserBehind(t, "watcher")
	mallory := newUserBehind(t, "mallory")
	for _, tc := range []struct {
		name   string
		attack assault
	}{
		{"a field that HTTP/2 does not take", mallory.sendLongFields},
		{"a target that is as long", mallory.sendLongTargets},
		{"lists that are given up", mallory.giveUpLists},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), attackTime)
			defer stop()
			tc.attack(ctx)
			if _, err := watcher.list(); err != nil {
				t.Errorf("another user's list: %v", err)
			}
		})
	}
}

func init() {
	attacks["users behind the aggregator"] = func(t *testing.T) assault {
		mallory := newUserBehind(t, "mallory")
		return func(ctx context.Context) {
			mallory.sendLongFields(ctx)
			mallory.sendLongTargets(ctx)
			mallory.giveUpLists(ctx)
		}
	}
}

// tooLong is longer than what HTTP/2 takes of a header.
var tooLong = strings.Repeat("~", 70_000)

func (u *user) sendLongFields(ctx context.Context) {
	for range 20 {
		u.ask(ctx, listPath, http.Header{"X-Foo": {tooLong}})
	}
}

func (u *user) sendLongTargets(ctx context.Context) {
	for range 20 {
		u.ask(ctx, listPath+"?labelSelector="+tooLong, nil)
	}
}

func (u *user) giveUpLists(ctx context.Context) {
	flood(ctx, 50, func(int) {
		once, giveUp := context.WithTimeout(ctx, 2*time.Millisecond)
		defer giveUp()
		u.ask(once, listPath, nil)
	})
}

// newUserBehind is a tenant who asks the kube-apiserver, as everybody does.
func newUserBehind(t *testing.T, name string) *user {
	t.Helper()
	must(t, grantTenants())
	kubeconfig, err := shared.User(name, tenants)
	must(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(t, err)
	return newGranted(t, config)
}

// ask wants no answer.
func (u *user) ask(ctx context.Context, path string, header http.Header) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.config.Host+path, nil)
	if err != nil {
		return
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if response, err := u.client.Do(request); err == nil {
		response.Body.Close()
	}
}
