package hostile

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// A user who keeps a watch does not keep the rights with it: what changes after they were taken is soon not told any more, and
// the watch ends.
func TestRevokedRights(t *testing.T) {
	const name = "revoked"
	_, err := shared.Kubectl(t.Context(), "create", "clusterrole", name, "--verb=get,list,watch",
		"--resource=installedoperators.views.operators.coreos.com")
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "create", "clusterrolebinding", name, "--clusterrole="+name, "--user="+name)
	must(t, err)
	config, err := steward.WithUser(name)
	must(t, err)
	watch := newGranted(t, config).watch(t)
	must(t, label(t.Context(), "before"))
	eventually(t, func() error {
		if !watch.saw("before") {
			return errors.New("the change is not told")
		}
		return nil
	})

	_, err = shared.Kubectl(t.Context(), "delete", "clusterrolebinding,clusterrole", name)
	must(t, err)
	changes, last := 0, time.Time{}
	took := eventually(t, func() error {
		if watch.hasEnded() {
			return nil
		}
		if time.Since(last) > time.Second {
			changes, last = changes+1, time.Now()
			must(t, label(t.Context(), fmt.Sprintf("after-%d", changes)))
		}
		return errors.New("the watch goes on")
	})
	t.Logf("the watch ended after %s and %d changes: %v", took.Round(time.Second), changes, watch.err)
	must(t, label(t.Context(), "at-last"))
	if watch.saw("at-last") {
		t.Error("what changed after the end was told")
	}
}
