package installplans_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// The cases of this file restart the executor, and so do not run beside others; the cases within them do.

// soon is a timeout after which plans fail soon.
const soon = 3 * time.Second

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// aggregatedAPIDown registers an API whose server is not there, and waits until asking for it fails.
func aggregatedAPIDown(t *testing.T, group, version string) {
	t.Helper()
	service := object("apiregistration.k8s.io/v1", "APIService", "", version+"."+group, map[string]any{"spec": map[string]any{
		"group": group, "version": version, "groupPriorityMinimum": int64(100), "versionPriority": int64(100), "insecureSkipTLSVerify": true,
		"service": map[string]any{"namespace": "default", "name": "nobody", "port": int64(443)},
	}})
	must(t, olm.CreateAs(t.Context(), shared.Any, apiServices, service))
	eventually(t, func() error {
		_, err := shared.Kube.Discovery().ServerResourcesForGroupVersion(group + "/" + version)
		if err == nil || !strings.Contains(err.Error(), "unable to handle the request") {
			return err
		}
		return nil
	})
}

func removeAPI(t *testing.T, group, version string) {
	t.Helper()
	must(t, shared.Any.Resource(apiServices).Delete(t.Context(), version+"."+group, metav1.DeleteOptions{}))
}

// fails waits until a plan is Failed, and checks that its step was never left out and is named.
func fails(t *testing.T, namespace string, states func() []*olm.Object, index int, says ...string) *olm.Object {
	t.Helper()
	plan := ends(t, namespace, "plan", "Failed")
	never(t, states(), index, "NotCreated")
	contains(t, "the message", messageOf(plan), says...)
	_, message := installed(plan)
	contains(t, "the condition", message, says...)
	return plan
}

func TestFailed_R_002_28_37_38_39_40_41_42_43_44_45_46_53_54_OnceItsTimeIsOver(t *testing.T) {
	restarted(t, "--install-plan-retry-timeout="+soon.String())
	t.Run("optional", func(t *testing.T) {
		for _, said := range []string{
			"410 Gone", "410 Expired", "500 ServerTimeout", "504 Timeout", "429 TooManyRequests", "400 BadRequest", "405 MethodNotAllowed",
			"413 RequestEntityTooLarge", "500 InternalError", "503 ServiceUnavailable", "418 Teapot",
		} {
			t.Run(said, func(t *testing.T) {
				t.Parallel()
				failsOver(t, said, true)
			})
		}
	})
	t.Run("mandatory", func(t *testing.T) {
		for _, said := range []string{
			"401 Unauthorized", "404 NotFound", "422 Invalid", "406 NotAcceptable", "415 UnsupportedMediaType", "409 Conflict", "500 InternalError",
		} {
			t.Run(said, func(t *testing.T) {
				t.Parallel()
				failsOver(t, said, false)
			})
		}
		t.Run("absent", func(t *testing.T) {
			t.Parallel()
			absentFails(t, mandatory(autoscaler("", "needed")))
		})
		t.Run("forbidden", func(t *testing.T) {
			t.Parallel()
			forbiddenWaits(t, false)
		})
	})
	t.Run("exempt", func(t *testing.T) {
		t.Parallel()
		namespace := space(t)
		states := history(t, namespace, "plan")
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
			optional(answering(configMap(namespace, "needed"), answer, "404 NotFound"))))
		fails(t, namespace, states, 1, "ConfigMap", "needed")
	})
	t.Run("aggregated", func(t *testing.T) {
		t.Parallel()
		const group, version = "autoscaling.k8s.io", "v1beta2"
		aggregatedAPIDown(t, group, version)
		defer removeAPI(t, group, version)
		for _, optionally := range []bool{true, false} {
			namespace := space(t)
			states := history(t, namespace, "plan")
			each := step{manifest: object(group+"/"+version, absentKind, namespace, "scaled", map[string]any{"spec": map[string]any{}}), optional: optionally}
			install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), each))
			plan := fails(t, namespace, states, 1, absentKind, "scaled")
			if statuses := statusesOf(plan); !slices.Equal(statuses, []string{"Created", "Unknown"}) {
				t.Errorf("the steps are %q", statuses)
			}
		}
	})
	t.Run("bundle", func(t *testing.T) {
		t.Parallel()
		namespace := space(t)
		states := history(t, namespace, "plan")
		install(t, planned(t, namespace, "plan", "some.v1", step{manifest: csv("", "some.v1"), reference: reference(namespace, "gone", "")}))
		fails(t, namespace, states, 0, namespace+"/gone")
	})
	t.Run("definitions", definitionsThatBreak)
	t.Run("unsupported", func(t *testing.T) {
		t.Parallel()
		namespace := space(t)
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
			optional(object("apps/v1", "Deployment", namespace, "odd", map[string]any{"spec": map[string]any{}}))))
		plan := ends(t, namespace, "plan", "Failed")
		contains(t, "the message", messageOf(plan), "Deployment", "odd")
		if statuses := statusesOf(plan); statuses[1] != "UnsupportedResource" {
			t.Errorf("the steps are %q", statuses)
		}
		missing(t, olm.CSVs, namespace, "some.v1")
	})
	t.Run("a group that comes after the timeout", func(t *testing.T) {
		t.Parallel()
		namespace := emptySpace(t)
		install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(configMap(namespace, "settings"))))
		plan := comes(t, namespace, "plan", func(plan *olm.Object) bool {
			condition, _ := installed(plan)
			return condition == "False InstallCheckFailed"
		})
		_, message := installed(plan)
		contains(t, "the condition", message, "operator group")
		stays(t, namespace, "plan", "Installing", 2*soon)
		missing(t, olm.CSVs, namespace, "some.v1")
		must(t, olm.Create(t.Context(), shared.Any, olm.OperatorGroup(namespace, "group", namespace)))
		completes(t, namespace, "plan", "Created", "Created")
	})
}

// failsOver has a step be refused for ever.
func failsOver(t *testing.T, said string, optionally bool) {
	namespace := space(t)
	refused := step{
		manifest: answering(budget(namespace, "refused", map[string]any{"minAvailable": int64(1)}), answer, said),
		optional: optionally,
	}
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1",
		mandatory(csv(namespace, "some.v1")), refused, mandatory(configMap(namespace, "settings"))))
	plan := fails(t, namespace, states, 1, "PodDisruptionBudget", "refused")
	// What a dry run has told stops the plan before its first write; an outage tells nothing.
	outage := strings.HasPrefix(said, "5") || strings.HasPrefix(said, "429")
	first := map[bool]string{true: "Created", false: "Unknown"}[outage]
	if statuses := statusesOf(plan); statuses[0] != first || statuses[1] != "Unknown" {
		t.Errorf("the steps are %q", statuses)
	}
	missing(t, budgets, namespace, "refused")
}

// absentFails has a step need an API that is not there: what OLM does today.
func absentFails(t *testing.T, needed step) {
	namespace := space(t)
	states := history(t, namespace, "plan")
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), needed))
	plan := fails(t, namespace, states, 1, "autoscaling.k8s.io", "v1", absentKind, "needed")
	if statuses := statusesOf(plan); statuses[0] != "Unknown" || statuses[1] != "Unknown" {
		t.Errorf("the steps are %q", statuses)
	}
	missing(t, olm.CSVs, namespace, "some.v1")
}

// forbiddenWaits has a step need a right that comes after the timeout: the plan never fails over that.
func forbiddenWaits(t *testing.T, optionally bool) {
	namespace := scopedSpace(t, "installer", csvRule)
	states := history(t, namespace, "plan")
	each := step{manifest: budget(namespace, "forbidden", map[string]any{"minAvailable": int64(1)}), optional: optionally}
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), each))
	plan := comes(t, namespace, "plan", func(plan *olm.Object) bool {
		return strings.HasPrefix(messageOf(plan), "retrying execution due to error: ")
	})
	contains(t, "the message", messageOf(plan), "forbidden", "system:serviceaccount:"+namespace+":installer")
	stays(t, namespace, "plan", "Installing", 2*soon)
	allow(t, namespace, "installer", rbacv1.PolicyRule{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: []string{"get", "create", "update"}})
	completes(t, namespace, "plan", "Created", "Created")
	never(t, states(), 1, "NotCreated")
}

// With the gate off, which is how it comes, an optional step is one like others.
func TestGate_R_002_06_54_55_IsOffByDefault(t *testing.T) {
	must(t, executing.Stop())
	t.Cleanup(func() {
		must(t, executing.Stop())
		must(t, startExecuting(context.Background()))
	})
	var withoutGate []string
	for _, flag := range flags("--install-plan-retry-timeout=" + soon.String()) {
		if !strings.HasPrefix(flag, "--feature-gates") {
			withoutGate = append(withoutGate, flag)
		}
	}
	var err error
	executing, err = shared.RunControllersAs(t.Context(), account, "install-plans-ungated", withoutGate...)
	must(t, err)
	t.Run("cases", func(t *testing.T) {
		t.Run("absent", func(t *testing.T) {
			t.Parallel()
			absentFails(t, optional(autoscaler("", "needed")))
		})
		t.Run("declared", func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			operator := csv(namespace, "some.v1")
			operator.SetAnnotations(map[string]string{"operatorframework.io/properties": `{"properties":[{"type":"olm.manifests.optional","value":` +
				`{"manifests":[{"group":"autoscaling.k8s.io","kind":"` + absentKind + `","name":"needed"}]}}]}`})
			states := history(t, namespace, "plan")
			install(t, planned(t, namespace, "plan", "some.v1", mandatory(operator), mandatory(autoscaler("", "needed"))))
			plan := fails(t, namespace, states, 1, absentKind, "needed")
			steps, _, _ := unstructured.NestedSlice(plan.Object, "status", "plan")
			if _, says := steps[1].(map[string]any)["optional"]; says {
				t.Errorf("the step says that it is optional: %v", steps[1])
			}
		})
		t.Run("rejected", func(t *testing.T) {
			t.Parallel()
			failsOver(t, "422 Invalid", true)
		})
		t.Run("conflict", func(t *testing.T) {
			t.Parallel()
			failsOver(t, "409 Conflict", true)
		})
		t.Run("forbidden", func(t *testing.T) {
			t.Parallel()
			forbiddenWaits(t, true)
		})
		t.Run("present", func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			must(t, olm.CreateAs(t.Context(), shared.Any, budgets, budget(namespace, "there", map[string]any{"minAvailable": int64(1)})))
			plan := planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), optional(rule(namespace, "some")),
				mandatory(budget(namespace, "there", map[string]any{"minAvailable": int64(2)})))
			install(t, plan)
			made := completes(t, namespace, "plan", "Created", "Created", "Present")
			steps, _, _ := unstructured.NestedSlice(made.Object, "status", "plan")
			if steps[1].(map[string]any)["optional"] != true {
				t.Errorf("the step lost its mark: %v", steps[1])
			}
		})
		t.Run("supplied", func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			const group, kind = "console.openshift.io", "ConsoleCLIDownload"
			install(t, planned(t, namespace, "plan", "some.v1",
				optional(object(group+"/v1", kind, "", "cli-"+namespace, map[string]any{"spec": map[string]any{}})),
				mandatory(csv(namespace, "some.v1")), mandatory(definition(group, kind, "Cluster"))))
			completes(t, namespace, "plan", "Created", "Created", "Created")
		})
	})
}
