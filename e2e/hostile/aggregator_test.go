package hostile

import (
	"context"
	"net/http"
	"regexp"
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
			before := refusals(t)
			tc.attack(ctx)
			// What the kube-apiserver itself refuses, as it does for as long as it is busy with lists that were given up, is asked
			// for again, as client-go does.
			eventually(t, func() error {
				_, err := watcher.list()
				if err != nil && !strings.HasPrefix(err.Error(), "429 ") {
					t.Fatalf("another user's list: %v", err)
				}
				return err
			})
			if refused := refusals(t) - before; refused > 0 {
				t.Errorf("%d requests were refused", refused)
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

// refusals are how many requests the server has refused because there were too many of them.
func refusals(t *testing.T) int {
	t.Helper()
	config, err := steward.WithUser("counting", "system:masters")
	must(t, err)
	text, err := get(newUser(t, config).client, steward.URL()+"/metrics")
	must(t, err)
	return total(t, text, refusedRequests)
}

var refusedRequests = regexp.MustCompile(`(?m)^apiserver_flowcontrol_rejected_requests_total\{.*\} (\d+)$`)

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
