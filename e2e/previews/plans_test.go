package previews_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/olm"
)

// planned is one step of a plan.
type planned struct {
	manifest *olm.Object
	optional bool
}

// plan is one that nobody has approved yet, as OLM has resolved it.
func plan(t *testing.T, namespace, name, operator string, steps ...planned) {
	t.Helper()
	list := []any{}
	for _, each := range steps {
		kind := each.manifest.GroupVersionKind()
		text, err := json.Marshal(each.manifest.Object)
		must(t, err)
		entry := map[string]any{"resolving": operator, "status": "Unknown", "resource": map[string]any{
			"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": each.manifest.GetName(),
			"sourceName": "catalog", "sourceNamespace": "olm", "manifest": string(text),
		}}
		if each.optional {
			entry["optional"] = true
		}
		list = append(list, entry)
	}
	must(t, olm.CreateAs(t.Context(), shared.Any, installPlans, object("operators.coreos.com/v1alpha1", "InstallPlan", namespace, name, map[string]any{
		"spec":   map[string]any{"approval": "Manual", "approved": false, "clusterServiceVersionNames": []any{operator}},
		"status": map[string]any{"phase": "RequiresApproval", "catalogSources": []any{}, "plan": list},
	})))
}

func approve(t *testing.T, namespace, name string) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), shared.Any, installPlans, namespace, name, func(plan *olm.Object) {
		_ = unstructured.SetNestedField(plan.Object, true, "spec", "approved")
	}))
}

func phaseAndStatuses(t *testing.T, namespace, name string) (phase string, statuses []string) {
	t.Helper()
	plan, err := shared.Any.Resource(installPlans).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	phase, _, _ = unstructured.NestedString(plan.Object, "status", "phase")
	steps, _, _ := unstructured.NestedSlice(plan.Object, "status", "plan")
	for _, each := range steps {
		status, _ := each.(map[string]any)["status"].(string)
		statuses = append(statuses, status)
	}
	return phase, statuses
}

func ends(t *testing.T, namespace, name, phase string) {
	t.Helper()
	eventually(t, func() error {
		if got, statuses := phaseAndStatuses(t, namespace, name); got != phase {
			return fmt.Errorf("%s is %s, not %s: %q", name, got, phase, statuses)
		}
		return nil
	})
}

func csv(namespace, name string) *olm.Object {
	made := olm.CSV(name, olm.OperatorGroup(namespace, "group"))
	made.SetAnnotations(nil)
	made.SetLabels(nil)
	delete(made.Object, "status")
	return made
}

func configMap(namespace, name, value string) *olm.Object {
	return object("v1", "ConfigMap", namespace, name, map[string]any{"data": map[string]any{"a": value}})
}

func service(namespace, name, affinity string) *olm.Object {
	return object("v1", "Service", namespace, name, map[string]any{"spec": map[string]any{
		"ports": []any{map[string]any{"port": int64(80)}}, "sessionAffinity": affinity}})
}

func role(namespace, name, verb string) *olm.Object {
	return object("rbac.authorization.k8s.io/v1", "Role", namespace, name, map[string]any{"rules": []any{
		map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{verb}}}})
}

// Each step of a plan is what it was said to be. Nothing but dry runs is sent before the plan is approved.
func TestPlan_R_PRJ_07_StepByStep(t *testing.T) {
	namespace := space(t)
	// Of a kind that plans may bring, with its definition.
	const group, kind = "monitoring.coreos.com", "PrometheusRule"
	kindred := object(group+"/v1", kind, namespace, "first", map[string]any{"spec": map[string]any{"size": int64(1)}})
	steps := []planned{
		{manifest: csv(namespace, "reed.v1")},
		{manifest: olm.Definition(group, kind, "Namespaced", "v1")},
		{manifest: kindred},
		{manifest: configMap(namespace, "fresh", "1")},
		{manifest: configMap(namespace, "same", "1")},
		{manifest: configMap(namespace, "other", "2")},
		{manifest: service(namespace, "served", "None")},
		{manifest: role(namespace, "reader", "get")},
		{manifest: object("v1", "ServiceAccount", namespace, "reed", nil)},
		{manifest: object("policy/v1", "PodDisruptionBudget", namespace, "wrong", map[string]any{"spec": map[string]any{"minAvailable": int64(1), "maxUnavailable": int64(1)}}), optional: true},
		{manifest: object("monitoring.coreos.com/v1", "ServiceMonitor", namespace, "absent", map[string]any{"spec": map[string]any{}}), optional: true},
	}
	plan(t, namespace, "install-1", "reed.v1", steps...)
	// What is there before, as a plan of an older version left it.
	before := []*olm.Object{configMap(namespace, "same", "1"), configMap(namespace, "other", "1")}
	for _, each := range before {
		_, err := shared.Any.Resource(core("configmaps")).Namespace(namespace).Create(t.Context(), each, metav1.CreateOptions{})
		must(t, err)
	}
	client := clientOf(t, installer)
	_, from := writesSince(t, 0)
	said := asked(t, client, namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
	sent, _ := writesSince(t, from)
	dry := 0
	for _, each := range sent {
		if each.ObjectRef.Namespace != namespace && each.ObjectRef.Name != "prometheusrules."+group {
			continue
		}
		// Another test's operator for all namespaces is copied into this one, too.
		if strings.HasSuffix(each.User.Username, ":steward-copied-csvs") {
			continue
		}
		if dry++; !strings.Contains(each.RequestURI, "dryRun=All") {
			t.Errorf("a preview sent %s %s", each.Verb, each.RequestURI)
		}
	}
	if dry == 0 {
		t.Error("a preview asked nothing of the cluster")
	}
	if len(said.Status.Steps) != len(steps) {
		t.Fatalf("%d steps of a plan with %d", len(said.Status.Steps), len(steps))
	}
	if got := said.condition(); got != "False NotApproved" {
		t.Errorf("the plan is %q", got)
	}
	states := said.states(t)
	approve(t, namespace, "install-1")
	ends(t, namespace, "install-1", "Complete")
	compare(t, said, states)
	want := []string{"Create", "Create", "Unknown", "Create", "", "", "Create", "Create", "Create", "NotCreated", "NotCreated"}
	for i, got := range said.outcomes() {
		if want[i] != "" && got != want[i] {
			t.Errorf("step %d is %s, want %s", i, got, want[i])
		}
	}
	// Afterwards it says what happened.
	after := asked(t, client, namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
	if got := after.condition(); got != "False PlanIsComplete" {
		t.Errorf("the plan that is complete is %q", got)
	}
	// An upgrade: what is there is updated, what is as it shall be stays.
	steps[0] = planned{manifest: csv(namespace, "reed.v2")}
	for i := range steps[3:] {
		steps[i+3].manifest = steps[i+3].manifest.DeepCopy()
	}
	steps[3] = planned{manifest: configMap(namespace, "fresh", "2")}
	steps[6] = planned{manifest: service(namespace, "served", "ClientIP")}
	steps[7] = planned{manifest: role(namespace, "reader", "list")}
	plan(t, namespace, "install-2", "reed.v2", steps...)
	said = asked(t, client, namespace, map[string]any{"installPlan": map[string]any{"name": "install-2"}})
	states = said.states(t)
	approve(t, namespace, "install-2")
	ends(t, namespace, "install-2", "Complete")
	compare(t, said, states)
	for i, field := range map[int]string{6: "spec.sessionAffinity", 7: "rules"} {
		each := said.Status.Steps[i]
		if each.Outcome != "Update" || !strings.Contains(strings.Join(each.ChangedFields, " "), field) {
			t.Errorf("want an update of %s: %s", field, each)
		}
	}
}

// Values before and after are those that are there before and after; what is secret is not told. What the cluster warns of is.
func TestPlan_R_PRJ_07_Values(t *testing.T) {
	namespace := space(t)
	const group, kind = "console.openshift.io", "ConsoleLink"
	old := olm.Definition(group, kind, "Cluster", "v1")
	versions, _, _ := unstructured.NestedSlice(old.Object, "spec", "versions")
	versions[0].(map[string]any)["deprecated"] = true
	must(t, unstructured.SetNestedSlice(old.Object, versions, "spec", "versions"))
	must(t, olm.CreateCRDs(t.Context(), shared.Any, old))
	secret := func(value string) *olm.Object {
		return object("v1", "Secret", namespace, "key", map[string]any{"stringData": map[string]any{"a": value, "b": "stays"}})
	}
	for _, each := range []*olm.Object{configMap(namespace, "settings", "1"), secret("hidden-before")} {
		each.SetLabels(map[string]string{"olm.managed": "true"})
		_, err := shared.Any.Resource(resources[each.GetKind()]).Namespace(namespace).Create(t.Context(), each, metav1.CreateOptions{})
		must(t, err)
	}
	plan(t, namespace, "install-1", "reed.v1",
		planned{manifest: csv(namespace, "reed.v1")},
		planned{manifest: configMap(namespace, "settings", "2")},
		planned{manifest: secret("hidden-after")},
		planned{manifest: configMap(namespace, "fresh", "3")},
		planned{manifest: object(group+"/v1", kind, "", "old-"+namespace, map[string]any{"spec": map[string]any{"size": int64(1)}})})
	said := asked(t, clientOf(t, installer), namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
	if got := said.outcomes(); !slices.Equal(got, []string{"Create", "Update", "Update", "Create", "Create"}) {
		t.Fatalf("the steps are %q", got)
	}
	changes := func(index int, path string) change {
		for _, each := range said.Status.Steps[index].Changes {
			if each.Path == path {
				return each
			}
		}
		t.Errorf("step %d has no change of %q: %+v", index+1, path, said.Status.Steps[index].Changes)
		return change{}
	}
	if got := changes(1, "data.a"); got.Before != "1" || got.After != "2" || got.Cut {
		t.Errorf("the ConfigMap changes by %+v", got)
	}
	if got := changes(2, "data.a"); got.Before != "*** (before)" || got.After != "*** (after)" {
		t.Errorf("the Secret changes by %+v", got)
	}
	created, _ := changes(3, "").After.(map[string]any)
	if value, _, _ := unstructured.NestedString(created, "data", "a"); value != "3" {
		t.Errorf("what is created is %v", created)
	}
	if warnings := said.Status.Steps[4].Warnings; len(warnings) != 1 || !strings.Contains(warnings[0], "deprecated") {
		t.Errorf("the warnings are %q", warnings)
	}
	for _, args := range [][]string{{"-o", "json"}, {"-o", "yaml"}, {"--diff"}, {"-o", "wide"}} {
		printed, said, code := run(t, installer, append([]string{"kubectl", "preview", "plan", "install-1", "-n", namespace}, args...)...)
		if code != 0 || strings.Contains(printed+said, "hidden-") || strings.Contains(printed, "aGlkZGVuL") {
			t.Errorf("%q ends with %d, and shows what is secret: %v", args, code, strings.Contains(printed, "hidden-"))
		}
		// To people it is a note, which goes to standard error.
		if !strings.Contains(printed+said, "deprecated") {
			t.Errorf("%q does not show the warning", args)
		}
		if args[0] == "--diff" {
			for _, want := range []string{"@@ data.a\n-\"1\"\n+\"2\"\n", "@@ data.a\n-\"*** (before)\"\n+\"*** (after)\"\n", "+++ MERGED/v1.ConfigMap." + namespace + ".fresh\n@@ -0,0 +1,"} {
				if !strings.Contains(printed, want) {
					t.Errorf("no %q in the diff", want)
				}
			}
		}
	}
	// Whoever may not list ConfigMaps is told nothing of them.
	allow(t, "valueless", namespace, "create views.operators.coreos.com/planpreviews", "get operators.coreos.com/installplans", "list /secrets")
	few := asked(t, user(t, "valueless"), namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
	for _, each := range few.Status.Steps {
		if each.Kind != "Secret" && len(each.Changes) > 0 {
			t.Errorf("somebody who may list Secrets alone is told %s: %+v", each, each.Changes)
		}
	}
	approve(t, namespace, "install-1")
	ends(t, namespace, "install-1", "Complete")
	settings := said.Status.Steps[1].state(t)
	if value, _, _ := unstructured.NestedString(settings.Object, "data", "a"); value != changes(1, "data.a").After {
		t.Errorf("the value is %q", value)
	}
}

// A plan that fails: the failing step, and what is behind it.
func TestPlan_R_PRJ_07_ThatFails(t *testing.T) {
	namespace := space(t)
	quota := object("v1", "ResourceQuota", namespace, "few", map[string]any{"spec": map[string]any{"hard": map[string]any{"count/secrets": "0"}}})
	_, err := shared.Any.Resource(core("resourcequotas")).Namespace(namespace).Create(t.Context(), quota, metav1.CreateOptions{})
	must(t, err)
	eventually(t, func() error {
		got, err := shared.Any.Resource(core("resourcequotas")).Namespace(namespace).Get(t.Context(), "few", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if hard, _, _ := unstructured.NestedMap(got.Object, "status", "hard"); len(hard) == 0 {
			return fmt.Errorf("the quota counts nothing yet")
		}
		return nil
	})
	secret := object("v1", "Secret", namespace, "refused", map[string]any{"stringData": map[string]any{"a": "b"}})
	plan(t, namespace, "install-1", "reed.v1", planned{manifest: csv(namespace, "reed.v1")}, planned{manifest: secret},
		planned{manifest: configMap(namespace, "behind", "1")})
	client := clientOf(t, installer)
	said := asked(t, client, namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
	if got := said.outcomes(); !slices.Equal(got, []string{"Blocked", "Fail", "Blocked"}) {
		t.Errorf("the steps are to be %q", got)
	}
	if failing := said.Status.Steps[1]; failing.Code != 403 || failing.Basis != "DryRun" {
		t.Errorf("the failing step: %s", failing)
	}
	states := said.states(t)
	approve(t, namespace, "install-1")
	eventually(t, func() error {
		made, err := shared.Any.Resource(installPlans).Namespace(namespace).Get(t.Context(), "install-1", metav1.GetOptions{})
		must(t, err)
		message, _, _ := unstructured.NestedString(made.Object, "status", "message")
		if !strings.Contains(message, "exceeded quota") {
			return fmt.Errorf("the message is %q", message)
		}
		return nil
	})
	if _, statuses := phaseAndStatuses(t, namespace, "install-1"); !slices.Equal(statuses, []string{"Unknown", "Unknown", "Unknown"}) {
		t.Errorf("the steps are %q", statuses)
	}
	compare(t, said, states)
}

// writeBundle makes the folder of a bundle: an operator, a definition, and manifests, of which monitors are optional.
func writeBundle(t *testing.T, operator *olm.Object, manifests ...*olm.Object) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.Mkdir(filepath.Join(folder, "manifests"), 0o755))
	must(t, os.Mkdir(filepath.Join(folder, "metadata"), 0o755))
	for i, each := range append([]*olm.Object{operator}, manifests...) {
		each.SetNamespace("")
		text, err := yaml.Marshal(each.Object)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(folder, "manifests", fmt.Sprintf("%02d.yaml", i)), text, 0o644))
	}
	must(t, os.WriteFile(filepath.Join(folder, "metadata", "properties.yaml"), []byte(
		"properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - {group: monitoring.coreos.com, kind: ServiceMonitor, name: watched}\n"), 0o644))
	return folder
}

// A bundle's preview by the command, as the user, and then the bundle by the command.
func TestBundle_R_PRJ_07_StepByStep(t *testing.T) {
	namespace, id := space(t), rand.String(6)
	folder := writeBundle(t, csv(namespace, "rush.v1"), olm.Definition(id+".example.com", "Gizmo", "Namespaced", "v1"),
		configMap(namespace, "settings", "1"), service(namespace, "served", "None"),
		object("monitoring.coreos.com/v1", "ServiceMonitor", namespace, "watched", map[string]any{"spec": map[string]any{}}))
	_, err := shared.Any.Resource(core("configmaps")).Namespace(namespace).Create(t.Context(), configMap(namespace, "settings", "0"), metav1.CreateOptions{})
	must(t, err)
	printed, code := plugin(t, installer, "kubectl", "preview", "bundle", folder, "-n", namespace, "-o", "json")
	var report struct{ Preview preview }
	must(t, json.Unmarshal([]byte(printed), &report))
	said := report.Preview
	for _, each := range said.Status.Steps {
		t.Log(each)
	}
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	states := said.states(t)
	if _, code = plugin(t, installer, "bundle", "install", folder, "-n", namespace, "--approve"); code != 0 {
		t.Fatalf("the bundle is not installed: %d", code)
	}
	eventually(t, func() error {
		list, err := shared.Any.Resource(installPlans).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != 1 {
			return fmt.Errorf("%d plans: %v", len(list.Items), err)
		}
		if phase, statuses := phaseAndStatuses(t, namespace, list.Items[0].GetName()); phase != "Complete" {
			return fmt.Errorf("%s: %q", phase, statuses)
		}
		return nil
	})
	compare(t, said, states)
	// Whoever may not create what is in it learns that for each step.
	allow(t, "bundler", namespace, "create views.operators.coreos.com/planpreviews")
	kubeconfig, err := shared.User("bundler")
	must(t, err)
	printed, code = plugin(t, kubeconfig, "kubectl", "preview", "bundle", folder, "-n", namespace, "-o", "yaml")
	if code != 5 || !strings.Contains(printed, "outcome: Fail") || !strings.Contains(printed, "reason: Forbidden") {
		t.Errorf("who may create nothing is told: %d", code)
	}
	t.Run("WithoutControllers", func(t *testing.T) {
		for _, each := range served {
			if each.Reconcilers == "install-plans" {
				must(t, each.Process.Stop())
				t.Cleanup(func() { must(t, shared.StartFamily(context.Background(), each)) })
			}
		}
		_, err := ask(t, clientOf(t, installer), namespace, map[string]any{"installPlan": map[string]any{"name": "install-1"}})
		if kubernetesCode(err) != 503 {
			t.Errorf("without the controllers: %v", err)
		}
		if _, err := shared.KubectlAs(t.Context(), installer, "get", "ppv", "-n", namespace); err != nil {
			t.Errorf("reading does not depend on the controllers: %v", err)
		}
	})
	// The API server finds out by trying that they are back.
	eventually(t, func() error {
		_, err := ask(t, clientOf(t, installer), namespace, map[string]any{"installPlan": map[string]any{"name": "nobodys"}})
		if kubernetesCode(err) != 404 {
			return fmt.Errorf("the plan of nobody: %v", err)
		}
		return nil
	})
}
