package realolm_test

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"steward.dev/e2e/olm"
)

// OLM deletes, with rights of its own, whatever says in its status that it is left from an upgrade. Whoever may write the status,
// and not uninstall, has it delete an operator that is opted in, and writes the phase back: at once, before OLM's request comes,
// or after it. Nothing is cleaned up (R-000-77).
func TestUninstall_R_000_77_OLMIsNobodysDeputy(t *testing.T) {
	w := newWorld(t, 2)
	w.runControllers(t)
	w.runOLM(t, nil)
	b := &bundle{namespace: "operators", name: "operator.v1", group: "deputy.example.com", lifted: true}
	w.addNamespaces(t, b.namespace)
	must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup(b.namespace, "all")))
	w.install(t, b.csv())
	w.operands(t, b, w.spaces[0], "widget", 9)
	w.operate(t, b)
	w.succeeds(t, b.namespace, b.name, still)
	w.optIn(t, b.namespace, b.name)
	w.isHeld(t, b)

	phase := func(phase string) error {
		return olm.MutateStatus(t.Context(), w.Any, olm.CSVs, b.namespace, b.name, func(csv *olm.Object) {
			csv.Object["status"].(map[string]any)["phase"] = phase
		})
	}
	refused, rounds := 0, 0
	eventually(t, func() error {
		rounds++
		for _, each := range []string{"Deleting", "Succeeded"} {
			switch err := phase(each); {
			case apierrors.IsNotFound(err):
				return nil
			case apierrors.IsForbidden(err):
				refused++
			case err != nil:
				return err
			}
		}
		// Now and then OLM is given the time to act on it.
		if rounds%5 == 0 {
			if err := phase("Deleting"); err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			csv, err := w.see(t.Context(), b.namespace, b.name)
			if apierrors.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			return fmt.Errorf("it is there: %s", told(csv))
		}
		return errors.New("it is there")
	})
	t.Logf("after %d rounds; %d times the phase could not be written back", rounds, refused)
	there, deleting, err := w.remaining(t.Context(), b)
	must(t, err)
	if len(there) != 9 || len(deleting) != 0 {
		t.Errorf("there are %q, and being deleted %q", there, deleting)
	}
}
