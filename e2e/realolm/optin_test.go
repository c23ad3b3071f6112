package realolm_test

import (
	"fmt"
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// OLM puts every annotation of a CSV into the pods of its operator: one that is added to a CSV takes it out of Succeeded and
// starts the operator again. Opting in must do neither.
func TestOptIn_R_000_73_LeavesTheOperatorRunning(t *testing.T) {
	w := newWorld(t, 1)
	w.runControllers(t)
	w.runOLM(t, nil)
	b := &bundle{namespace: "operators", name: "operator.v1", group: "running.example.com", lifted: true}
	w.addNamespaces(t, b.namespace)
	must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup(b.namespace, "all")))
	w.install(t, b.csv())
	w.succeeds(t, b.namespace, b.name, still)
	csvs := w.follow(t, olm.CSVs, "!"+olm.CopiedFromLabel)
	before, err := w.Kube.AppsV1().Deployments(b.namespace).Get(t.Context(), b.deployment(), metav1.GetOptions{})
	must(t, err)

	w.optIn(t, b.namespace, b.name)
	w.isHeld(t, b)
	// What is written later has come through OLM: so has the opt-in.
	must(t, olm.Mutate(t.Context(), w.Any, olm.CSVs, b.namespace, b.name, func(csv *olm.Object) {
		labels := map[string]string{"marker": "later"}
		maps.Copy(labels, csv.GetLabels())
		csv.SetLabels(labels)
	}))
	eventually(t, func() error {
		copied, err := w.see(t.Context(), w.spaces[0], b.name)
		if err == nil && copied.GetLabels()["marker"] != "later" {
			err = fmt.Errorf("the copy is not changed yet")
		}
		return err
	})
	csvs.settle(t, func(*olm.Object) bool { return true })
	after, err := w.Kube.AppsV1().Deployments(b.namespace).Get(t.Context(), b.deployment(), metav1.GetOptions{})
	must(t, err)
	if after.Generation != before.Generation {
		t.Errorf("the Deployment's generation went from %d to %d, with the annotations %q in its pods",
			before.Generation, after.Generation, after.Spec.Template.Annotations)
	}
	for _, moments := range csvs.of(func(csv *olm.Object) bool { return csv.GetName() == b.name }) {
		for _, m := range moments {
			if phaseOf(m.object) != "Succeeded" {
				t.Errorf("at revision %d: %s", m.revision, told(m.object))
			}
		}
	}
}
