package hostile

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

func init() {
	attacks["tokens that somebody has made up"] = func(t *testing.T) assault {
		show := madeUpTokens(t)
		return func(ctx context.Context) { show(ctx) }
	}
}

// The tokens that one address may show cost the cluster no more TokenReviews than docs/limits.md says, and whoever has shown a good token
// from the same address goes on.
func TestMadeUpTokens(t *testing.T) {
	const atOnce, aSecond = 200, 20
	known := newTokenTenant(t)
	show := madeUpTokens(t)
	before, began := requestsToCluster(t, "POST", "tokenreviews"), time.Now()
	var failures failures
	var codes map[int]int
	beside(t, func(ctx context.Context) {
		var work sync.WaitGroup
		work.Go(func() {
			took := meanwhile(ctx, clientOf(known, namespacePath), "a list of a user with a token", &failures)
			t.Logf("a list of a user with a token: p99 %s (of %d)", p99(took), len(took))
		})
		codes = show(ctx)
		work.Wait()
	})
	failures.report(t)
	reviews := requestsToCluster(t, "POST", "tokenreviews") - before
	most := atOnce + aSecond*(int(time.Since(began)/time.Second)+1)
	// Besides, a review of each good token every ten seconds, or two where the first fails.
	if allowed := most * 11 / 10; reviews > allowed {
		t.Errorf("%d TokenReviews, of at most %d", reviews, allowed)
	}
	shown := 0
	for _, count := range codes {
		shown += count
	}
	if shown > most && codes[http.StatusTooManyRequests] == 0 {
		t.Errorf("nobody was refused: %v", codes)
	}
	t.Logf("%d TokenReviews for %d tokens: %v", reviews, shown, codes)
}

func madeUpTokens(t *testing.T) func(context.Context) map[int]int {
	return target(t).MadeUpTokens(strangers(t), listPath)
}

// newTokenTenant is a tenant who is known by the token of a ServiceAccount.
func newTokenTenant(t *testing.T) *user {
	t.Helper()
	const namespace, name = "token-tenant", "reader"
	ctx := context.Background()
	must(t, olm.Create(ctx, shared.Any, olm.Namespace(namespace)))
	_, err := shared.Kubectl(ctx, "create", "serviceaccount", name, "-n", namespace)
	must(t, err)
	t.Cleanup(func() { _ = shared.Kube.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}) })
	must(t, grantTenants())
	_, err = shared.Kubectl(ctx, "create", "clusterrolebinding", namespace, "--clusterrole="+tenantsRole, "--serviceaccount="+namespace+":"+name)
	must(t, err)
	t.Cleanup(func() {
		_ = shared.Kube.RbacV1().ClusterRoleBindings().Delete(ctx, namespace, metav1.DeleteOptions{})
	})
	token, err := shared.Token(ctx, namespace, name)
	must(t, err)
	return newGranted(t, steward.WithToken(token))
}
