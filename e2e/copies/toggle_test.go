package copies_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The cluster-admin's choice, in the OLMConfig `cluster`. Each case leaves the cluster without one.

const (
	reason  = "DisabledCopiedCSVs"
	enabled = "False CopiedCSVsEnabled Copied CSVs are enabled and present across the cluster"
	off     = "True CopiedCSVsDisabled Copied CSVs are disabled and no unexpected copied CSVs were found for operators " +
		"installed in AllNamespace mode"
)

// choose writes the OLMConfig `cluster` with these features, as kubectl would.
func choose(t *testing.T, features map[string]any) {
	t.Helper()
	configs := shared.Any.Resource(olm.OLMConfigs)
	spec := map[string]any{"features": features}
	_, err := configs.Get(t.Context(), "cluster", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		must(t, olm.Create(t.Context(), shared.Any, olmConfig("cluster", spec)))
		t.Cleanup(func() { forget(t) })
		return
	}
	must(t, err)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.OLMConfigs, "", "cluster", func(config *olm.Object) {
		config.Object["spec"] = spec
	}))
}

func olmConfig(name string, spec map[string]any) *olm.Object {
	return &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig",
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// forget deletes the OLMConfig. It may be called when the test's own context has ended.
func forget(t *testing.T) {
	t.Helper()
	err := shared.Any.Resource(olm.OLMConfigs).Delete(context.Background(), "cluster", metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Error(err)
	}
}

// says is satisfied when the condition of the OLMConfig is this one.
func says(t *testing.T, want string) func() error {
	return func() error {
		config, err := shared.Any.Resource(olm.OLMConfigs).Get(t.Context(), "cluster", metav1.GetOptions{})
		if err != nil {
			return err
		}
		text, err := json.Marshal(config.Object["status"])
		if err != nil {
			return err
		}
		var status struct{ Conditions []metav1.Condition }
		if err := json.Unmarshal(text, &status); err != nil {
			return err
		}
		for _, each := range status.Conditions {
			got := fmt.Sprint(each.Status, " ", each.Reason, " ", each.Message)
			if each.Type == reason && got == want && !each.LastTransitionTime.IsZero() {
				return nil
			}
		}
		return fmt.Errorf("the status of the OLMConfig is %s, want %q", text, want)
	}
}

// everywhere is nil when each active namespace but `home` is satisfied.
func everywhere(t *testing.T, satisfied func(namespace string) error) func() error {
	return func() (err error) {
		for _, namespace := range activeNamespaces(t) {
			if namespace != home {
				err = errors.Join(err, satisfied(namespace))
			}
		}
		return err
	}
}

// notices are the Events in a namespace that say that copies are disabled: their kinds.
func notices(t *testing.T, namespace string) (kinds []string) {
	t.Helper()
	events, err := shared.Kube.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=" + reason})
	must(t, err)
	for _, event := range events.Items {
		if event.Type != corev1.EventTypeWarning {
			t.Errorf("%s/%s is of type %s", event.Namespace, event.Name, event.Type)
		}
		kinds = append(kinds, event.InvolvedObject.Kind+"/"+event.InvolvedObject.Name)
	}
	return kinds
}

func noticed(t *testing.T, namespace string, want ...string) func() error {
	return func() error {
		if got := notices(t, namespace); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%s has Events about %v, want %v", namespace, got, want)
		}
		return nil
	}
}

// Upstream's second and third case of disabling_copied_csv_e2e_test.go: disabled, only protected namespaces keep copies, and
// the condition says so; enabled, all are back.
func TestToggle_R_004_17_18_19_25_48_OffAndOn(t *testing.T) {
	const name, protected = "toggled.v1", "copies-protected"
	newNamespace(t, protected)
	namespace := newNamespace(t, "copies-toggled")
	restart(t, "--protected-copied-csv-namespaces="+protected, "--disable-copied-csvs")
	t.Cleanup(func() { restart(t) })
	newOperator(t, name)
	eventually(t, copied(t, protected, name)) // R-004-26: without an OLMConfig the flag counts
	if err := gone(t, namespace, name)(); err != nil {
		t.Error(err)
	}

	choose(t, map[string]any{})
	eventually(t, gone(t, namespace, name)) // R-004-21: it says nothing, so the flag counts
	eventually(t, says(t, off))
	choose(t, map[string]any{"disableCopiedCSVs": false})
	eventually(t, copied(t, namespace, name)) // R-004-25: it counts, and not the flag
	eventually(t, says(t, enabled))

	choose(t, map[string]any{"disableCopiedCSVs": true})
	eventually(t, everywhere(t, func(namespace string) error {
		if namespace == protected {
			return copied(t, namespace, name)()
		}
		return gone(t, namespace, name)()
	}))
	eventually(t, says(t, off))
	if _, err := get(t, home, name); err != nil {
		t.Errorf("the original: %v", err)
	}
	eventually(t, noticed(t, home, "ClusterServiceVersion/"+name))
	eventually(t, noticed(t, namespace, "Namespace/"+namespace))
	eventually(t, noticed(t, protected))
	later := newNamespace(t, "copies-toggled-later")
	eventually(t, noticed(t, later, "Namespace/"+later))
	must(t, gone(t, later, name)())
	// The same is still to be seen.
	view, err := shared.Any.Resource(olm.InstalledOperators).Namespace(later).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || view.GetName() != name {
		t.Errorf("its InstalledOperator: %v", err)
	}

	forget(t) // R-004-26: the flag counts still
	for _, each := range []string{home, namespace, later} {
		must(t, gone(t, namespace, name)())
		eventually(t, func() error {
			if len(notices(t, each)) == 0 {
				return fmt.Errorf("%s has no Event although copies are off", each)
			}
			return nil
		})
	}
	restart(t)
	eventually(t, everywhere(t, func(namespace string) error { return copied(t, namespace, name)() }))
	for _, each := range []string{home, namespace, later} {
		eventually(t, noticed(t, each))
	}
}

// R-004-28: copies of operators for some namespaces are not touched.
func TestToggle_R_004_28_OthersKeepTheirs(t *testing.T) {
	const name, source = "few.v1", "copies-few"
	target := newNamespace(t, "copies-few-target")
	newNamespace(t, source)
	few := olm.OperatorGroup(source, "few", target)
	must(t, olm.Create(t.Context(), shared.Any, few, olm.Installed(olm.CSV(name, few, target), few, target)))
	t.Cleanup(func() { remove(t, source, name) })
	newOperator(t, "many.v1")
	eventually(t, copiedFrom(t, source, target, name))
	before, err := get(t, target, name)
	must(t, err)
	choose(t, map[string]any{"disableCopiedCSVs": true})
	eventually(t, gone(t, target, "many.v1"))
	after, err := get(t, target, name)
	must(t, err)
	if before.GetUID() != after.GetUID() || before.GetResourceVersion() != after.GetResourceVersion() {
		t.Error("the copy for one namespace was touched")
	}
}

// R-004-23: another OLMConfig means nothing, and is not written to.
func TestToggle_R_004_23_OnlyCluster(t *testing.T) {
	const name = "another.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-another")
	other := olmConfig("another", map[string]any{"features": map[string]any{"disableCopiedCSVs": true}})
	must(t, olm.Create(t.Context(), shared.Any, other))
	t.Cleanup(func() {
		must(t, shared.Any.Resource(olm.OLMConfigs).Delete(context.Background(), "another", metav1.DeleteOptions{}))
	})
	choose(t, map[string]any{})
	eventually(t, says(t, enabled))
	must(t, copied(t, namespace, name)())
	config, err := shared.Any.Resource(olm.OLMConfigs).Get(t.Context(), "another", metav1.GetOptions{})
	must(t, err)
	if status := config.Object["status"]; status != nil {
		t.Errorf("its status is %v", status)
	}
}

// R-004-24: the definition of deploy/ keeps both spellings, of which OLM's prunes one. It comes last, as it replaces OLM's.
func TestToggle_R_004_24_TheOtherSpelling(t *testing.T) {
	const name = "spelt.v1"
	root, err := cluster.Root()
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "apply", "--server-side", "--force-conflicts", "-k",
		filepath.Join(root, "deploy", "overlays", "copies", "crds"))
	must(t, err)
	newOperator(t, name)
	namespace := newNamespace(t, "copies-spelt")
	eventually(t, copied(t, namespace, name))
	eventually(t, func() error {
		forget(t)
		choose(t, map[string]any{"disable-copied-csvs": true})
		config, err := shared.Any.Resource(olm.OLMConfigs).Get(t.Context(), "cluster", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if text, _ := json.Marshal(config.Object["spec"]); string(text) != `{"features":{"disable-copied-csvs":true}}` {
			return fmt.Errorf("its spec is %s", text)
		}
		return nil
	})
	eventually(t, gone(t, namespace, name))
	eventually(t, says(t, off))
}

// What RBAC and the policy allow the account about the choice, and no more.
func TestToggle_TheAccountDecidesNothing(t *testing.T) {
	choose(t, map[string]any{})
	as, err := asAccount()
	must(t, err)
	configs := as.Resource(olm.OLMConfigs)
	config, err := configs.Get(t.Context(), "cluster", metav1.GetOptions{})
	must(t, err)
	patch := []byte(`{"spec":{"features":{"disableCopiedCSVs":true}}}`)
	if _, err := configs.Patch(t.Context(), "cluster", types.MergePatchType, patch, metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a choice: %v", err)
	}
	config.SetName("another")
	if _, err := configs.UpdateStatus(t.Context(), config, metav1.UpdateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the status of another: %v", err)
	}
	if err := configs.Delete(t.Context(), "cluster", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a deletion: %v", err)
	}
	namespace := newNamespace(t, "copies-events")
	for _, each := range []struct {
		reason string
		may    bool
	}{{reason, true}, {"Killing", false}} {
		event, err := shared.Kube.CoreV1().Events(namespace).Create(t.Context(), &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{GenerateName: "e2e-"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: namespace, Name: "x"},
			Reason:         each.reason,
		}, metav1.CreateOptions{})
		must(t, err)
		err = as.Resource(corev1.SchemeGroupVersion.WithResource("events")).Namespace(namespace).
			Delete(t.Context(), event.Name, metav1.DeleteOptions{})
		if each.may != (err == nil) || (err != nil && !apierrors.IsForbidden(err)) {
			t.Errorf("deletion of an Event %s: %v", each.reason, err)
		}
	}
}

// A choice that was made while nobody worked is carried out.
func TestToggle_WhileNobodyWorked(t *testing.T) {
	const name = "asleep.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-asleep")
	eventually(t, copied(t, namespace, name))
	must(t, copying.Stop())
	choose(t, map[string]any{"disableCopiedCSVs": true})
	must(t, startCopying(t.Context()))
	eventually(t, gone(t, namespace, name))
	eventually(t, says(t, off))
}

// plugin runs `steward kubectl copied-csvs ARGS` as the cluster's administrator.
func plugin(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	binary, err := cluster.Binary()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"kubectl", "copied-csvs"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"KUBECONFIG=" + shared.Admin, "HOME=" + cmd.Dir, "PATH=/usr/bin:/bin"}
	text, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	t.Logf("copied-csvs %s: %d\n%s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), text)
	return string(text), cmd.ProcessState.ExitCode()
}

// R-004-09, 10: by one command, off and on, with what it will do shown first, and done when it ends.
func TestToggle_R_004_09_10_ByTheCommand(t *testing.T) {
	const name = "commanded.v1"
	newOperator(t, name)
	namespace := newNamespace(t, "copies-commanded")
	eventually(t, copied(t, namespace, name))
	t.Cleanup(func() { forget(t) })
	count := fmt.Sprintf("  %s/%s: %d copies\n", home, name, len(activeNamespaces(t))-1)

	if out, code := plugin(t, "off", "--dry-run"); code != 0 || !strings.Contains(out, count) {
		t.Errorf("a dry run ends with %d, and does not say %q", code, count)
	}
	must(t, copied(t, namespace, name)())
	if out, code := plugin(t, "off", "--yes", "--timeout=1m"); code != 0 || !strings.Contains(out, count) {
		t.Fatalf("off ends with %d, and does not say %q", code, count)
	}
	// It ends when everything is done.
	must(t, everywhere(t, func(namespace string) error { return gone(t, namespace, name)() })())
	must(t, says(t, off)())
	if out, code := plugin(t, "status"); code != 0 || !strings.Contains(out, "turned off\n") || !strings.Contains(out, name+": 0 copies\n") {
		t.Errorf("status ends with %d", code)
	}
	if out, code := plugin(t, "on", "--yes", "--timeout=1m"); code != 0 || !strings.Contains(out, count) {
		t.Fatalf("on ends with %d, and does not say %q", code, count)
	}
	must(t, everywhere(t, func(namespace string) error { return copied(t, namespace, name)() })())
	must(t, says(t, enabled)())
	if _, code := plugin(t, "verify", "-A"); code != 0 {
		t.Errorf("verify ends with %d", code)
	}
}

// A CSV of the same name in a namespace without OperatorGroup, which any tenant can create, pins no copies; an operator whose own
// group is doubled keeps its copies, and the command says that it is not done.
func TestToggle_R_004_17_18_NamesakesAndCopiesThatStay(t *testing.T) {
	const name, lost = "pinned.v1", "copies-lost"
	namespace, tenant := newNamespace(t, "copies-pinned"), newNamespace(t, "copies-pinned-tenant")
	must(t, olm.Create(t.Context(), shared.Any, olm.CSV(name, olm.OperatorGroup(tenant, "none"), "")))
	t.Cleanup(func() { remove(t, tenant, name) })
	newOperator(t, name)
	eventually(t, copied(t, namespace, name))
	choose(t, map[string]any{"disableCopiedCSVs": true})
	eventually(t, gone(t, namespace, name))
	eventually(t, says(t, off))
	choose(t, map[string]any{"disableCopiedCSVs": false})
	eventually(t, copied(t, namespace, name))
	remove(t, home, name)
	eventually(t, gone(t, namespace, name))
	if own, err := get(t, tenant, name); err != nil || own.GetLabels()[olm.CopiedFromLabel] != "" {
		t.Errorf("the tenant's own: %v", err)
	}

	newNamespace(t, lost)
	one, two := olm.OperatorGroup(lost, "one"), olm.OperatorGroup(lost, "two")
	must(t, olm.Create(t.Context(), shared.Any, one, olm.CSV("lost.v1", one, "")))
	t.Cleanup(func() { remove(t, lost, "lost.v1") })
	there := func() error { _, err := get(t, namespace, "lost.v1"); return err }
	eventually(t, there)
	must(t, olm.Create(t.Context(), shared.Any, two))
	out, code := plugin(t, "off", "--yes", "--timeout=1m")
	if code != 4 || !strings.Contains(out, lost+"/lost.v1 stay: its namespace has not exactly one valid OperatorGroup") {
		t.Errorf("off ends with %d", code)
	}
	must(t, there())
	if condition := says(t, off)(); condition == nil {
		t.Error("the condition says that no copy is left")
	}
}

// Killed at any moment, also between the choice and its end, while the choice is turned again and again: who comes next finishes what
// was begun, and no original is touched.
func TestToggle_KilledOften(t *testing.T) {
	random := rand.New(rand.NewPCG(check.Seed(t, "STEWARD_SEED"), 0))
	var names []string
	originals := map[string]types.UID{}
	for i := range 5 {
		name := fmt.Sprintf("killed-%d.v1", i)
		newOperator(t, name)
		original, err := get(t, home, name)
		must(t, err)
		names, originals[name] = append(names, name), original.GetUID()
	}
	for i := range 20 {
		newNamespace(t, fmt.Sprintf("copies-killed-%d", i))
	}
	disabled := false
	for range 8 {
		disabled = !disabled
		choose(t, map[string]any{"disableCopiedCSVs": disabled})
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		if random.IntN(2) == 0 {
			disabled = !disabled
			choose(t, map[string]any{"disableCopiedCSVs": disabled})
			time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
		}
		copying.Kill()
		must(t, startCopying(t.Context()))
		// It leads when the Lease of the killed one has run out.
		eventually(t, func() error {
			value, err := copying.Metric(t.Context(), `leader_election_master_status{name="steward-copied-csvs"}`)
			if err == nil && value != 1 {
				err = fmt.Errorf("leader_election_master_status is %v", value)
			}
			return err
		})
	}
	for _, disabled := range []bool{disabled, !disabled} {
		choose(t, map[string]any{"disableCopiedCSVs": disabled})
		eventually(t, everywhere(t, func(namespace string) (err error) {
			for _, name := range names {
				if disabled {
					err = errors.Join(err, gone(t, namespace, name)())
				} else {
					err = errors.Join(err, copied(t, namespace, name)())
				}
			}
			return err
		}))
		if disabled {
			eventually(t, says(t, off))
		} else {
			eventually(t, says(t, enabled))
		}
	}
	for name, uid := range originals {
		original, err := get(t, home, name)
		if err != nil || original.GetUID() != uid {
			t.Errorf("the original of %s: %v", name, err)
		}
	}
}
