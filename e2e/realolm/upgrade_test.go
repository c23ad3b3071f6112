package realolm_test

import (
	"testing"

	"steward.dev/e2e/olm"
)

// An upgrade deletes the old CSV, as an uninstall does, and must not be one: the custom resources stay, the old CSV does not
// hang, and the new one is cleaned up once it is opted in itself (R-000-45, R-000-54).
func TestUpgrade_R_000_54_KeepsTheCustomResources(t *testing.T) {
	w := newWorld(t, 5)
	w.runControllers(t)
	w.runOLM(t, nil)
	seen := w.witness(t)
	old := &bundle{namespace: "operators", name: "operator.v1", group: "upgrade.example.com", lifted: true}
	w.addNamespaces(t, old.namespace)
	must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup(old.namespace, "all")))
	w.install(t, old.csv())
	operands := w.follow(t, old.widgets(), "")
	w.operands(t, old, w.spaces[0], "widget", 5)
	w.succeeds(t, old.namespace, old.name, still)
	w.optIn(t, old.namespace, old.name)
	w.isHeld(t, old)

	next := &bundle{namespace: old.namespace, name: "operator.v2", group: old.group, lifted: true, replaces: old.name}
	w.install(t, next.csv())
	w.succeeds(t, next.namespace, next.name, still)
	must(t, w.isGone(t.Context(), old.namespace, old.name, seen.progress(operands)))
	there, deleting, err := w.remaining(t.Context(), old)
	must(t, err)
	if len(there) != 5 || len(deleting) != 0 {
		t.Fatalf("after the upgrade there are %q, of which %q are being deleted; want all 5, none deleted", there, deleting)
	}

	w.operate(t, next)
	w.optIn(t, next.namespace, next.name)
	w.isHeld(t, next)
	w.uninstall(t, next.namespace, next.name)
	if err := w.isGone(t.Context(), next.namespace, next.name, seen.progress(operands)); err != nil {
		t.Errorf("the new CSV hangs: %v", err)
	}
	found := seen.gather(t, next, operands)
	for _, each := range found.judge() {
		t.Error(each)
	}
	if t.Failed() {
		t.Logf("by revision:\n%s", found.story())
	}
}
