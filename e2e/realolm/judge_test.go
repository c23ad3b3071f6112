package realolm_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// witness remembers what decides about uninstalls, in the order in which the store had it. It shares nothing with what it
// judges: it knows no verdicts and no records, only what was deleted when, and which rights there were then.
type witness struct {
	world                 *world
	csvs, roles, bindings *history
}

func (w *world) witness(t *testing.T) *witness {
	t.Helper()
	return &witness{
		world:    w,
		csvs:     w.follow(t, olm.CSVs, "!"+olm.CopiedFromLabel),
		roles:    w.follow(t, olm.ClusterRoles, "olm.owner.kind=ClusterServiceVersion"),
		bindings: w.follow(t, olm.ClusterRoleBindings, "olm.owner.kind=ClusterServiceVersion"),
	}
}

// progress is how much has happened to custom resources and rights.
func (o *witness) progress(operands *history) func() int {
	return func() int { return operands.length() + o.roles.length() + o.bindings.length() }
}

// evidence is what became of one operator.
type evidence struct {
	csv, roles, bindings, operands map[types.UID][]moment
}

// gather has the histories of an operator, once they are complete.
func (o *witness) gather(t *testing.T, b *bundle, operands *history) evidence {
	t.Helper()
	isIt := func(csv *olm.Object) bool { return csv.GetNamespace() == b.namespace && csv.GetName() == b.name }
	isIts := func(right *olm.Object) bool {
		labels := right.GetLabels()
		return labels["olm.owner"] == b.name && labels["olm.owner.namespace"] == b.namespace
	}
	every := func(*olm.Object) bool { return true }
	o.csvs.settle(t, isIt)
	o.roles.settle(t, isIts)
	o.bindings.settle(t, isIts)
	operands.settle(t, every)
	return evidence{csv: o.csvs.of(isIt), roles: o.roles.of(isIts), bindings: o.bindings.of(isIts), operands: operands.of(every)}
}

func (e evidence) story() string { return story(e.csv, e.roles, e.bindings, e.operands) }

// judge says what should not have been, of an operator that was to be cleaned up:
//
//   - its rights are lost while a custom resource that is being deleted is not finished;
//   - a custom resource is deleted after the finalizer, or what holds the rights, was let go of;
//   - a custom resource is not deleted, or never finished, although nothing spoke against it.
func (e evidence) judge() (wrong []string) {
	if len(e.roles) == 0 || len(e.bindings) == 0 || len(e.operands) == 0 {
		wrong = append(wrong, fmt.Sprintf("%d roles, %d bindings and %d custom resources were seen: nothing was tried",
			len(e.roles), len(e.bindings), len(e.operands)))
	}
	lost, letGo := never, never
	for _, rights := range []map[types.UID][]moment{e.roles, e.bindings} {
		for _, moments := range rights {
			lost = min(lost, first(moments, func(m moment) bool { return m.gone }))
			letGo = min(letGo, lostFinalizer(moments, holdFinalizer))
		}
	}
	for _, moments := range e.csv {
		letGo = min(letGo, lostFinalizer(moments, optInFinalizer))
	}
	for _, moments := range e.operands {
		name := moments[0].object.GetNamespace() + "/" + moments[0].object.GetName()
		deleted := first(moments, func(m moment) bool { return m.gone || m.object.GetDeletionTimestamp() != nil })
		finished := first(moments, func(m moment) bool { return m.gone })
		switch {
		case deleted == never:
			wrong = append(wrong, name+" was not deleted")
		case finished > lost:
			wrong = append(wrong, fmt.Sprintf("%s was deleted at %d and finished at %s, but the rights were lost at %d", name, deleted, at(finished), lost))
		case finished == never:
			wrong = append(wrong, name+" was deleted and never finished")
		}
		if deleted != never && deleted > letGo {
			wrong = append(wrong, fmt.Sprintf("%s was deleted at %d, after all was let go of at %d", name, deleted, letGo))
		}
	}
	return wrong
}

func at(revision uint64) string {
	if revision == never {
		return "no time"
	}
	return fmt.Sprint(revision)
}
