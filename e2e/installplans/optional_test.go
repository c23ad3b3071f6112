package installplans_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// The faces of an API that is not there: no group, no such version, no such kind in a version that is served. The plan goes on, and
// says which step was left out in its status, its message, one Event and the log.
func TestOptional_R_002_05_18_23_27_29_AnAbsentAPIStopsNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		manifest *olm.Object
	}{
		{"no-group", autoscaler("", "left-out")},
		{"no-version", object("monitoring.coreos.com/v9", present, "", "left-out", map[string]any{"spec": map[string]any{}})},
		{"no-kind", monitor("", "left-out")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			install(t, planned(t, namespace, "plan", "some.v1",
				mandatory(csv(namespace, "some.v1")), optional(tc.manifest), mandatory(configMap(namespace, "settings"))))
			plan := completes(t, namespace, "plan", "Created", "NotCreated", "Created")
			contains(t, "the message", messageOf(plan), tc.manifest.GetKind(), "left-out")
			found(t, core("configmaps"), namespace, "settings")
			if count := told(t, namespace, "plan", tc.manifest.GetKind(), "left-out"); count != 1 {
				t.Errorf("it was told %d times", count)
			}
			log, err := os.ReadFile(executing.Log)
			must(t, err)
			if !slices.ContainsFunc(strings.Split(string(log), "\n"), func(line string) bool {
				return strings.Contains(line, namespace) && strings.Contains(line, tc.manifest.GetKind()) && strings.Contains(line, "left-out")
			}) {
				t.Error("the log does not say what was left out")
			}
		})
	}
}

func TestOptional_R_002_26_APresentAPIIsUsed(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	install(t, planned(t, namespace, "plan", "some.v1",
		mandatory(csv(namespace, "some.v1")), optional(rule(namespace, "some")), mandatory(rule(namespace, "other"))))
	plan := completes(t, namespace, "plan", "Created", "Created", "Created")
	if message := messageOf(plan); message != "" {
		t.Errorf("the message is %q", message)
	}
	owner := found(t, olm.CSVs, namespace, "some.v1")
	for _, name := range []string{"some", "other"} {
		made := found(t, rules, namespace, name)
		if owners := made.GetOwnerReferences(); len(owners) != 1 || owners[0].UID != owner.GetUID() {
			t.Errorf("%s is owned by %v", name, owners)
		}
	}
}

// A plan in which nothing that is optional could be made is Complete (R-002-52), and nothing more is done about it (R-002-66).
func TestOptional_R_002_05_52_66_NothingOfItCanBeMade(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		optional(autoscaler(namespace, "one")), optional(monitor(namespace, "two")), optional(autoscaler(namespace, "three"))))
	plan := completes(t, namespace, "plan", "Created", "NotCreated", "NotCreated", "NotCreated")
	contains(t, "the message", messageOf(plan), "one", "two", "three")
	// Another plan of the namespace comes and goes; this one stays as it was written.
	install(t, planned(t, namespace, "marker", "marker.v1", mandatory(csv(namespace, "marker.v1"))))
	completes(t, namespace, "marker", "Created")
	if now := planOf(t, namespace, "plan"); now.GetResourceVersion() != plan.GetResourceVersion() {
		t.Errorf("the plan was written again: %s", messageOf(now))
	}
}

// R-002-24, 25: the definition comes before its objects, wherever the plan has them, and the plan keeps its order.
func TestOptional_R_002_24_25_ABundleThatBringsItsAPI(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	const kind = "ConsoleYAMLSample" // cluster-scoped
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1",
		optional(object("console.openshift.io/v1", kind, "", "sample-"+namespace, map[string]any{"spec": map[string]any{}})),
		mandatory(definition("console.openshift.io", kind, "Cluster")),
		mandatory(csv(namespace, "some.v1"))))
	completes(t, namespace, "plan", "Created", "Created", "Created")
	seen := states()
	never(t, seen, 0, "NotCreated")
	for _, state := range seen {
		if statuses := statusesOf(state); len(statuses) == 3 && statuses[0] == "Created" && (statuses[1] != "Created" || statuses[2] != "Created") {
			t.Errorf("the object came before its definition or its operator: %q", statuses)
		}
	}
	made := found(t, schema.GroupVersionResource{Group: "console.openshift.io", Version: "v1", Resource: "consoleyamlsamples"}, "", "sample-"+namespace)
	if labels := made.GetLabels(); labels["olm.owner"] != "some.v1" || labels["olm.owner.namespace"] != namespace {
		t.Errorf("the object's labels are %v", labels)
	}
}

// The same with a definition that takes 20 seconds: another one of the group has a name that it wants.
func TestOptional_R_002_25_ADefinitionThatTakesLong(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	const group, kind = "console.openshift.io", "ConsolePlugin"
	inTheWay := definition(group, "InTheWay", "Cluster")
	must(t, unstructured.SetNestedField(inTheWay.Object, kind+"List", "spec", "names", "listKind"))
	must(t, olm.CreateCRDs(t.Context(), shared.Any, inTheWay))
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		mandatory(definition(group, kind, "Cluster")),
		optional(object(group+"/v1", kind, "", "plugin-"+namespace, map[string]any{"spec": map[string]any{}})),
		optional(autoscaler(namespace, "other"))))
	comes(t, namespace, "plan", func(plan *olm.Object) bool {
		statuses := statusesOf(plan)
		return len(statuses) == 4 && statuses[1] == "WaitingForApi"
	})
	stays(t, namespace, "plan", "Installing", 20*time.Second)
	if statuses := statusesOf(planOf(t, namespace, "plan")); !slices.Equal(statuses, []string{"Created", "WaitingForApi", "Unknown", "Unknown"}) {
		t.Errorf("while the definition is not established the steps are %q", statuses)
	}
	must(t, shared.Any.Resource(olm.Definitions).Delete(t.Context(), inTheWay.GetName(), metav1.DeleteOptions{}))
	completes(t, namespace, "plan", "Created", "Created", "Created", "NotCreated")
	never(t, states(), 2, "NotCreated")
}

// The answers of the cluster that mean this cluster does not take the object (R-002-30 to 36, and R-002-52), from a webhook and, where a
// cluster gives them by itself, from that.
func TestOptional_R_002_30_31_32_33_34_35_36_52_TheClusterRefuses(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"401 Unauthorized", "403 Forbidden", "404 NotFound", "422 Invalid", "406 NotAcceptable", "415 UnsupportedMediaType", "409 Conflict",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			refused := answering(budget(namespace, "refused", map[string]any{"minAvailable": int64(1)}), answer, said)
			install(t, planned(t, namespace, "plan", "some.v1",
				mandatory(csv(namespace, "some.v1")), optional(refused), mandatory(configMap(namespace, "settings"))))
			plan := completes(t, namespace, "plan", "Created", "NotCreated", "Created")
			contains(t, "the message", messageOf(plan), "PodDisruptionBudget", "refused", "the case wants "+said)
			missing(t, budgets, namespace, "refused")
		})
	}
	t.Run("validation", func(t *testing.T) {
		t.Parallel()
		namespace := space(t)
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
			optional(budget(namespace, "both", map[string]any{"minAvailable": int64(1), "maxUnavailable": int64(1)}))))
		plan := completes(t, namespace, "plan", "Created", "NotCreated")
		contains(t, "the message", messageOf(plan), "both", `PodDisruptionBudget.policy "both" is invalid`)
	})
	t.Run("RBAC", func(t *testing.T) {
		t.Parallel()
		namespace := scopedSpace(t, "installer", csvRule)
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
			optional(rule(namespace, "forbidden"))))
		plan := completes(t, namespace, "plan", "Created", "NotCreated")
		contains(t, "the message", messageOf(plan), "forbidden", "system:serviceaccount:"+namespace+":installer")
		missing(t, rules, namespace, "forbidden")
	})
}

// What is no word about the object is no reason to leave it out (R-002-37 to 46): it is tried again, and made.
func TestOptional_R_002_28_37_38_39_40_41_42_43_44_45_46_TriedAgain(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"410 Gone", "410 Expired", "500 ServerTimeout", "504 Timeout", "429 TooManyRequests", "400 BadRequest", "405 MethodNotAllowed",
		"413 RequestEntityTooLarge", "500 InternalError", "503 ServiceUnavailable", "418 Teapot",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			late := answering(budget(namespace, "late", map[string]any{"minAvailable": int64(1)}), answer, said, times, "2")
			states := history(t, namespace, "plan")
			install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), optional(late)))
			completes(t, namespace, "plan", "Created", "Created")
			never(t, states(), 1, "NotCreated")
		})
	}
}

// R-002-47: what is there is changed instead. A Conflict of that write is no word about the object either (R-002-65).
func TestOptional_R_002_36_47_WhatIsThereIsUpdated(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	for _, name := range []string{"plain", "contested", "mandatory", "kept"} {
		must(t, olm.CreateAs(t.Context(), shared.Any, budgets, budget(namespace, name, map[string]any{"minAvailable": int64(1)})))
	}
	wanted := map[string]any{"minAvailable": int64(2)}
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
		optional(budget(namespace, "plain", wanted)),
		optional(answering(budget(namespace, "contested", wanted), answer, "409 Conflict", operation, "UPDATE", times, "7")),
		mandatory(budget(namespace, "mandatory", wanted)),
		optional(answering(budget(namespace, "kept", wanted), answer, "422 Invalid", operation, "UPDATE"))))
	plan := completes(t, namespace, "plan", "Created", "Present", "Present", "Present", "NotCreated")
	// Where the change is refused the object stays as it is, which is said.
	contains(t, "the message", messageOf(plan), "kept", "422 Invalid", "stays as it is")
	if least, _, _ := unstructured.NestedInt64(found(t, budgets, namespace, "kept").Object, "spec", "minAvailable"); least != 1 {
		t.Errorf("what was not to be changed: spec.minAvailable is %d", least)
	}
	never(t, states(), 2, "NotCreated")
	for _, name := range []string{"plain", "contested", "mandatory"} {
		if least, _, _ := unstructured.NestedInt64(found(t, budgets, namespace, name).Object, "spec", "minAvailable"); least != 2 {
			t.Errorf("%s: spec.minAvailable is %d", name, least)
		}
	}
}

// An upgrade's plan tries afresh; a plan that has ended does not (R-002-67).
func TestOptional_R_002_67_TheNextPlanTriesAfresh(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	const group, kind = "console.openshift.io", "ConsoleQuickStart"
	start := object(group+"/v1", kind, "", "start-"+namespace, map[string]any{"spec": map[string]any{}})
	install(t, planned(t, namespace, "first", "some.v1", mandatory(csv(namespace, "some.v1")), optional(start)))
	first := completes(t, namespace, "first", "Created", "NotCreated")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, definition(group, kind, "Cluster")))
	install(t, planned(t, namespace, "second", "some.v2", mandatory(csv(namespace, "some.v2")), optional(start)))
	completes(t, namespace, "second", "Created", "Created")
	if now := planOf(t, namespace, "first"); now.GetResourceVersion() != first.GetResourceVersion() {
		t.Errorf("the first plan was written again: its steps are %q", statusesOf(now))
	}
}

// R-002-15: some kinds are never optional, whatever a step says. That their answers are errors is seen where they end in time.
func TestOptional_R_002_15_ExemptKindsAreTriedAgain(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	late := answering(configMap(namespace, "late"), answer, "404 NotFound", times, "1")
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), optional(late)))
	completes(t, namespace, "plan", "Created", "Created")
	never(t, states(), 1, "NotCreated")
}

// A plan of OLM's says nothing of optionality. It is found where the bundle's properties are, and written into the step.
func TestOptional_R_002_08_11_12_19_22_51_ByTheBundlesProperties(t *testing.T) {
	t.Parallel()
	properties := func(group, kind, namespace, name string) string {
		in := ""
		if namespace != "" {
			in = fmt.Sprintf(`"namespace":%q,`, namespace)
		}
		return fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":"some","version":"1.0.0"}},`+
			`{"type":"olm.manifests.optional","value":{"manifests":[{"group":%q,"kind":%q,%s"name":%q}]}}]}`, group, kind, in, name)
	}
	for _, tc := range []struct {
		name  string
		where func(t *testing.T, namespace string, plan *olm.Object, operator *olm.Object)
	}{
		{"an annotation of the operator", func(_ *testing.T, _ string, _ *olm.Object, operator *olm.Object) {
			operator.SetAnnotations(map[string]string{"operatorframework.io/properties": properties("autoscaling.k8s.io/v1", absentKind, "", "scaled")})
		}},
		{"a bundle lookup", func(t *testing.T, _ string, plan *olm.Object, _ *olm.Object) {
			must(t, unstructured.SetNestedSlice(plan.Object, []any{map[string]any{
				"identifier": "some.v1", "path": "registry.example.com/some@sha256:0", "replaces": "",
				"catalogSourceRef": map[string]any{"name": "catalog", "namespace": "olm"},
				"properties":       properties("autoscaling.k8s.io", absentKind, "", "scaled"),
			}}, "status", "bundleLookups"))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			operator, unmarked := csv(namespace, "some.v1"), autoscaler("", "scaled")
			tc.where(t, namespace, &olm.Object{Object: map[string]any{}}, operator)
			plan := planned(t, namespace, "plan", "some.v1", mandatory(operator), mandatory(unmarked))
			tc.where(t, namespace, plan, csv(namespace, "other"))
			install(t, plan)
			made := completes(t, namespace, "plan", "Created", "NotCreated")
			steps, _, _ := unstructured.NestedSlice(made.Object, "status", "plan")
			if steps[1].(map[string]any)["optional"] != true {
				t.Errorf("the step does not say that it is optional: %v", steps[1])
			}
			if _, says := steps[0].(map[string]any)["optional"]; says {
				t.Errorf("the operator's step says something of optionality: %v", steps[0])
			}
		})
	}
	t.Run("a reference to the bundle", func(t *testing.T) {
		t.Parallel()
		namespace := space(t)
		operator, scaled := csv("", "some.v1"), autoscaler("", "scaled")
		bundle(t, namespace, "unpacked", operator, scaled, configMap("", "settings"))
		refer := func(manifest *olm.Object) step {
			return step{manifest: manifest, reference: reference(namespace, "unpacked", properties("autoscaling.k8s.io/v1", absentKind, "", "scaled"))}
		}
		install(t, planned(t, namespace, "plan", "some.v1", refer(operator), refer(scaled), refer(configMap("", "settings"))))
		completes(t, namespace, "plan", "Created", "NotCreated", "Created")
		contains(t, "the annotation", found(t, olm.CSVs, namespace, "some.v1").GetAnnotations()["operatorframework.io/properties"], "olm.manifests.optional")
	})
}
