package operators_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// phase sets a CSV's phase, as olm-operator does.
func (s *scene) phase(csv, phase, reason string) {
	s.t.Helper()
	must(s.t, olm.MutateStatus(s.t.Context(), shared.Any, olm.CSVs, s.home, csv, func(csv *olm.Object) {
		status := csv.Object["status"].(map[string]any)
		status["phase"], status["reason"] = phase, reason
	}))
}

// installed says what the Subscription has installed, and what it is about to.
func (s *scene) installed(installed, current string) {
	s.t.Helper()
	must(s.t, olm.MutateStatus(s.t.Context(), shared.Any, subscriptions, s.home, "sub", func(sub *olm.Object) {
		status := sub.Object["status"].(map[string]any)
		status["installedCSV"], status["currentCSV"] = installed, current
	}))
}

// upgrade does what olm-operator does: the next version says what it replaces, and the former one is deleted once the next one has
// succeeded. `ready` is called between the two, when the next one's Deployment is rolled out.
func (s *scene) upgrade(next string, rules []any, ready func()) {
	s.t.Helper()
	former := s.csv.GetName()
	s.installed(former, next)
	s.install(next, rules, func(csv *olm.Object) {
		csv.Object["spec"].(map[string]any)["replaces"] = former
		status := csv.Object["status"].(map[string]any)
		status["phase"], status["reason"] = "Installing", "InstallSucceeded"
	})
	s.phase(former, "Replacing", "BeingReplaced")
	ready()
	s.phase(next, "Succeeded", "InstallSucceeded")
	s.installed(next, next)
	s.phase(former, "Deleting", "Replaced")
	must(s.t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(s.t.Context(), former, metav1.DeleteOptions{}))
}

// A client that polls sees no gap through upgrades, whether the next version's copies have their owners or not: the family copies may be
// away, so that there is no copied CSV yet.
func TestCopiedRBAC_AnUpgradeLeavesNoGap(t *testing.T) {
	for _, away := range []bool{false, true} {
		t.Run(fmt.Sprintf("copies away %v", away), func(t *testing.T) {
			s := newScene(t, 1)
			s.subscribe("reed", "reed.v1")
			s.install("reed.v1", secretsRules("get"))
			target := s.targets[0]
			eventually(t, s.copied(target))
			p := poll(t, s, target)
			p.letIn(t)
			back := func() {}
			if away {
				must(t, copying.Stop())
				back = sync.OnceFunc(func() { must(t, startCopying(context.Background())) })
				defer back()
			}
			for next := 2; next < 6; next++ {
				former := *s
				s.upgrade(fmt.Sprintf("reed.v%d", next), secretsRules("get"), func() { eventually(t, s.given(target)) })
				eventually(t, gone(roles, target, former.roleName()))
				eventually(t, gone(roleBindings, target, former.roleName()))
				must(t, s.given(target)())
			}
			back()
			eventually(t, s.copied(target))
			p.noGap(t)
			forget(t, "reed."+s.home)
		})
	}
}
