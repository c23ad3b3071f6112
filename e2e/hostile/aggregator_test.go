package hostile

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The kube-apiserver asks for all users over one connection. What one of them sends ends that one's requests alone, and no
// watch of another.
func TestUsersBehindTheAggregator(t *testing.T) {
	watcher := newUserBehind(t, "watcher")
	mallory := newUserBehind(t, "mallory")
	watch := watcher.watch(t)
	long := strings.Repeat("~", 70_000)
	for _, tc := range []struct {
		name   string
		attack func(ctx context.Context)
	}{
		{"a field that HTTP/2 does not take", func(ctx context.Context) {
			for range 20 {
				mallory.ask(ctx, listPath, http.Header{"X-Foo": {long}})
			}
		}},
		{"a target that is as long", func(ctx context.Context) {
			for range 20 {
				mallory.ask(ctx, listPath+"?labelSelector="+long, nil)
			}
		}},
		{"lists that are given up", func(ctx context.Context) {
			flood(ctx, 50, func(int) {
				once, giveUp := context.WithTimeout(ctx, 2*time.Millisecond)
				defer giveUp()
				mallory.ask(once, listPath, nil)
			})
		}},
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
	if err := watch.cut(); err != nil {
		t.Errorf("another user's watch: %v", err)
	}
}

// newUserBehind is a tenant who asks the kube-apiserver, as everybody does.
func newUserBehind(t *testing.T, name string) *user {
	t.Helper()
	must(t, grantTenants())
	kubeconfig, err := shared.User(name, tenants)
	must(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(t, err)
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	t.Cleanup(client.CloseIdleConnections)
	behind := &user{client, config}
	eventually(t, func() error {
		_, err := behind.list()
		return err
	})
	return behind
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
