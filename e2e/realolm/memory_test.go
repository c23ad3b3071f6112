package realolm_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/olm"
)

const (
	// manyOperators in manySpaces are 2,000 copies.
	manyOperators = 10
	manySpaces    = 200
	// growthBound is what 2,000 copies may cost: 3 KiB each, with room for an allocator's moods. Of 20,000, which are to be had
	// within 80 MiB (R-000-91), each may cost no more than that.
	growthBound = 6 << 20
	// csvBytes is what a published CSV is long, without its icon.
	csvBytes = 40 << 10
)

// The controllers' memory does not grow with the copies that OLM makes: not while it makes them, and not by a cleanup among
// them (R-000-91).
func TestMemory_R_000_91_WithManyCopies(t *testing.T) {
	w := newWorld(t, 1)
	w.runControllers(t)
	w.runOLM(t, nil)
	var bundles []*bundle
	w.addNamespaces(t, "operators")
	must(t, olm.Create(t.Context(), w.Any, olm.OperatorGroup("operators", "all")))
	for i := range manyOperators {
		b := &bundle{namespace: "operators", name: fmt.Sprintf("operator-%d.v1", i), group: fmt.Sprintf("m%d.example.com", i), bytes: csvBytes}
		w.install(t, b.csv())
		bundles = append(bundles, b)
	}
	for _, b := range bundles {
		w.succeeds(t, b.namespace, b.name, still)
	}
	first, last := bundles[0], bundles[1]
	w.cleansUp(t, first)
	before, err := load.MemoryOf(w.controllers.Pid())
	must(t, err)

	for i := range manySpaces {
		w.addNamespaces(t, fmt.Sprintf("many-%d", i))
	}
	namespaces, err := w.Kube.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	must(t, err)
	// One operator is gone; the others are copied into all namespaces but their own.
	want := (manyOperators - 1) * (len(namespaces.Items) - 1)
	must(t, patiently(func() int { return w.copies(t) }, func() error {
		if made := w.copies(t); made < want {
			return fmt.Errorf("OLM has made %d copies of %d", made, want)
		}
		return nil
	}))
	w.cleansUp(t, last)
	after, err := load.MemoryOf(w.controllers.Pid())
	must(t, err)
	t.Logf("with few copies %d KiB, with %d copies %d KiB, at most %d KiB", before.Resident>>10, want, after.Resident>>10, after.Peak>>10)
	if growth := after.Peak - before.Peak; growth > growthBound {
		t.Errorf("the controllers grew by %d KiB among %d copies; want %d KiB at most", growth>>10, want, growthBound>>10)
	}
}

// cleansUp uninstalls an operator with custom resources, so that everything that guards them is read.
func (w *world) cleansUp(t *testing.T, b *bundle) {
	t.Helper()
	operands := w.follow(t, b.widgets(), "")
	w.operands(t, b, w.spaces[0], "widget", 5)
	w.operate(t, b)
	w.optIn(t, b.namespace, b.name)
	w.isHeld(t, b)
	w.uninstall(t, b.namespace, b.name)
	must(t, w.isGone(t.Context(), b.namespace, b.name, operands.length))
	there, _, err := w.remaining(t.Context(), b)
	must(t, err)
	if len(there) != 0 {
		t.Errorf("of %s there remain %q: nothing was cleaned up", b.name, there)
	}
}

// copies is how many copies there are.
func (w *world) copies(t *testing.T) int {
	t.Helper()
	client, err := metadata.NewForConfig(w.Config)
	must(t, err)
	count := 0
	// A busy kube-apiserver may break a long answer off.
	eventually(t, func() error {
		list, err := client.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{LabelSelector: olm.CopiedFromLabel, ResourceVersion: "0"})
		if err == nil {
			count = len(list.Items)
		}
		return err
	})
	return count
}
