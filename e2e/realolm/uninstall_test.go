package realolm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

const (
	uninstalls   = 50
	spaces       = 30
	installRooms = 5
)

// Beside the real OLM, an AllNamespaces operator that is uninstalled while OLM still makes its copies, or those of others,
// is cleaned up as any other: it keeps its rights until it has finished, nothing is deleted once they are let go of, and it
// ends (R-000-85, R-000-89, R-000-73).
func TestUninstall_R_000_85_AtAnyMomentAfterTheInstall(t *testing.T) {
	w := newWorld(t, spaces)
	start := check.Seed(t, "STEWARD_REALOLM_SEED")
	w.runControllers(t)
	w.runOLM(t, nil)
	seen := w.witness(t)
	copies := w.followLatest(t, olm.CSVs, olm.CopiedFromLabel)
	for i := range installRooms {
		room := fmt.Sprintf("operators-%d", i)
		w.addNamespaces(t, room)
		must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup(room, "all")))
	}
	for i := range uninstalls {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(start, uint64(i)))
			b := &bundle{
				namespace: fmt.Sprintf("operators-%d", random.IntN(installRooms)),
				name:      fmt.Sprintf("operator-%02d.v1", i),
				group:     fmt.Sprintf("g%02d.example.com", i),
				lifted:    random.IntN(2) == 0,
				bytes:     random.IntN(4 << 10),
			}
			w.comesAndGoes(t, seen, copies, b, random)
		})
	}
	t.Cleanup(func() {
		for _, line := range w.controllersSaid(t, "attempting to grant RBAC permissions") {
			t.Errorf("a write of finalizers was taken for a grant: %s", line)
		}
	})
}

// comesAndGoes installs an operator, has it opted in and work, and uninstalls it at a random moment of OLM's copying.
func (w *world) comesAndGoes(t *testing.T, seen *witness, copies *history, b *bundle, random *rand.Rand) {
	t.Helper()
	w.install(t, b.csv())
	early := random.IntN(2) == 0
	if early {
		w.optIn(t, b.namespace, b.name)
	}
	operands := w.follow(t, b.widgets(), "")
	for range 1 + random.IntN(4) {
		namespace := w.spaces[random.IntN(len(w.spaces))]
		w.operands(t, b, namespace, fmt.Sprintf("w%d", random.Uint32()), 1+random.IntN(4))
	}
	worker := w.operate(t, b)
	w.succeeds(t, b.namespace, b.name, copies.length)
	if !early {
		w.optIn(t, b.namespace, b.name)
	}
	w.isHeld(t, b)
	// So much more of OLM's copying has happened then, unless it has come to rest.
	moment := copies.length() + random.IntN(2*spaces)
	w.awaits(t, func() bool { return copies.length() >= moment || w.isCopied(t, copies, b) })
	w.uninstall(t, b.namespace, b.name)

	gone := w.isGone(t.Context(), b.namespace, b.name, seen.progress(operands))
	found := seen.gather(t, b, operands)
	wrong := found.judge()
	if gone != nil {
		wrong = append(wrong, fmt.Sprintf("it hangs: %v", gone))
	}
	if len(wrong) == 0 {
		return
	}
	t.Errorf("opted in early %t, lifted rights %t:", early, b.lifted)
	for _, each := range wrong {
		t.Error(each)
	}
	t.Errorf("the operator was last denied: %v", worker.lastDenied())
	for _, each := range w.events(t.Context(), b.namespace, b.name) {
		t.Errorf("told: %s", each)
	}
	t.Logf("by revision:\n%s", found.story())
}

// awaits waits for a moment of OLM's work.
func (w *world) awaits(t *testing.T, come func() bool) {
	t.Helper()
	must(t, check.Poll(func() error {
		if !come() {
			return fmt.Errorf("OLM has not come so far")
		}
		return nil
	}))
}

// isCopied says whether OLM has made all copies of an operator, and given them their last status.
func (w *world) isCopied(t *testing.T, copies *history, b *bundle) bool {
	t.Helper()
	made := 0
	for _, moments := range copies.of(func(copy *olm.Object) bool { return copy.GetName() == b.name }) {
		if phaseOf(moments[0].object) == "Succeeded" {
			made++
		}
	}
	return made >= len(w.spaces)
}
