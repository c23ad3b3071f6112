package hostile

import (
	"context"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/attackers"
)

// tenants may read operators in the whole cluster, by RBAC: each question of theirs that is new costs a review.
const tenants, tenantsRole = "tenants", "operator-readers"

var grantTenants = sync.OnceValue(func() error {
	ctx := context.Background()
	_, err := shared.Kubectl(ctx, "create", "clusterrole", tenantsRole, "--verb=get,list,watch",
		"--resource=installedoperators.views.operators.coreos.com")
	if err == nil {
		_, err = shared.Kubectl(ctx, "create", "clusterrolebinding", tenantsRole, "--clusterrole="+tenantsRole, "--group="+tenants)
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

var flood = attackers.Flood
