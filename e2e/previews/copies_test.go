package previews_test

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

func choose(t *testing.T, off bool) {
	t.Helper()
	config := object("operators.coreos.com/v1", "OLMConfig", "", "cluster", map[string]any{"spec": map[string]any{"features": map[string]any{"disableCopiedCSVs": off}}})
	err := olm.Create(t.Context(), shared.Any, config)
	if apierrors.IsAlreadyExists(err) || err != nil {
		must(t, olm.Mutate(t.Context(), shared.Any, olm.OLMConfigs, "", "cluster", func(there *olm.Object) { there.Object["spec"] = config.Object["spec"] }))
	}
}

// What turning copies off and on was said to do in each namespace is what it does.
func TestCopies_R_PRJ_07_StepByStep(t *testing.T) {
	id := rand.String(6)
	home, other, name := "home-"+id, "copied-"+id, "global-"+id+".v1"
	group := olm.Synced(olm.OperatorGroup(home, "all"))
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(home), olm.Namespace(other), group, olm.CSV(name, group, "")))
	copied := func(want bool) {
		t.Helper()
		eventually(t, func() error {
			_, err := shared.Any.Resource(olm.CSVs).Namespace(other).Get(t.Context(), name, metav1.GetOptions{})
			if got := err == nil; got != want {
				return fmt.Errorf("copied: %v, want %v: %w", got, want, err)
			}
			return nil
		})
	}
	choose(t, false)
	copied(true)
	client := clientOf(t, installer)
	for _, off := range []bool{true, false} {
		outcome := map[bool]string{true: "Delete", false: "Create"}[off]
		_, from := writesSince(t, 0)
		var said preview
		eventually(t, func() (err error) {
			if said, err = ask(t, client, other, map[string]any{"copiedCSVs": map[string]any{"enabled": !off}}); err != nil {
				return err
			}
			for _, each := range said.Status.Steps {
				if each.Namespace == other && each.Name == name && each.Outcome == outcome && each.Basis == "DryRun" {
					return nil
				}
			}
			return fmt.Errorf("%s is not among the steps: %v", name, said.Status.Steps)
		})
		sent, _ := writesSince(t, from)
		for _, each := range sent {
			if each.ObjectRef.Namespace == other && each.ObjectRef.Resource == "clusterserviceversions" && each.Verb != "update" && !contains(each.RequestURI, "dryRun=All") {
				t.Errorf("a preview sent %s %s", each.Verb, each.RequestURI)
			}
		}
		states := said.states(t)
		choose(t, off)
		copied(!off)
		eventually(t, func() error {
			for i, each := range said.Status.Steps {
				if got := became(states[i], each.state(t)); each.Basis == "DryRun" && got != each.Outcome {
					return fmt.Errorf("%s came to %s", each, got)
				}
			}
			return nil
		})
		compare(t, said, states)
	}
}
