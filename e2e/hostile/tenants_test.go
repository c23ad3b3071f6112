package hostile

import (
	"context"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// tenants may read operators in the whole cluster, by RBAC: each question of theirs that is new costs a review.
const tenants = "tenants"

var grantTenants = sync.OnceValue(func() error {
	ctx := context.Background()
	const role = "operator-readers"
	_, err := shared.Kubectl(ctx, "create", "clusterrole", role, "--verb=get,list,watch",
		"--resource=installedoperators.views.operators.coreos.com")
	if err == nil {
		_, err = shared.Kubectl(ctx, "create", "clusterrolebinding", role, "--clusterrole="+role, "--group="+tenants)
	}
	return err
})

// newTenant is a user like many.
func newTenant(t *testing.T, name string) *user {
	t.Helper()
	must(t, grantTenants())
	config, err := steward.WithUser(name, tenants)
	must(t, err)
	return newGranted(t, config)
}

// newGranted waits until the user's rights are known.
func newGranted(t *testing.T, config *rest.Config) *user {
	t.Helper()
	granted := newUser(t, config)
	eventually(t, func() error {
		_, err := granted.list()
		return err
	})
	return granted
}

// besideTenant runs an attack beside a tenant who lists all the time, too, and of whom nothing is refused.
func besideTenant(t *testing.T, attack assault) {
	t.Helper()
	modest := newTenant(t, "modest")
	quiet := modest.lists(t, 200)
	beside(t, func(ctx context.Context) {
		var work sync.WaitGroup
		var failures failures
		var during []time.Duration
		work.Go(func() { during = modest.meanwhile(ctx, "a tenant's list", &failures) })
		attack(ctx)
		<-ctx.Done()
		work.Wait()
		for _, failure := range failures.all {
			t.Error(failure)
		}
		t.Logf("a tenant's list p99 %s quiet, %s beside the attack (of %d)", p99(quiet), p99(during), len(during))
	})
}

// flood calls `once` from so many goroutines, with numbers that are never the same, until the attack ends.
func flood(ctx context.Context, width int, once func(n int)) {
	var work sync.WaitGroup
	for first := range width {
		work.Go(func() {
			for n := first; ctx.Err() == nil; n += width {
				once(n)
			}
		})
	}
	work.Wait()
}
