package installplans_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/olm"
)

var (
	installPlans = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}
	budgets      = schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}
	rules        = schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1", Resource: "prometheusrules"}
)

func core(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: resource}
}

// step is one of a plan: a manifest inline, or what stands in place of it.
type step struct {
	manifest  *olm.Object
	reference map[string]any
	optional  bool
}

func mandatory(manifest *olm.Object) step { return step{manifest: manifest} }
func optional(manifest *olm.Object) step  { return step{manifest: manifest, optional: true} }

// object is a manifest.
func object(apiVersion, kind, namespace, name string, fields map[string]any) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	for key, value := range fields {
		made.Object[key] = value
	}
	made.SetName(name)
	made.SetNamespace(namespace)
	return made
}

func csv(namespace, name string) *olm.Object {
	made := olm.CSV(name, olm.OperatorGroup(namespace, "group"))
	made.SetAnnotations(nil)
	made.SetLabels(nil)
	delete(made.Object, "status")
	return made
}

func configMap(namespace, name string) *olm.Object {
	return object("v1", "ConfigMap", namespace, name, map[string]any{"data": map[string]any{"a": "1"}})
}

func rule(namespace, name string) *olm.Object {
	return object("monitoring.coreos.com/v1", present, namespace, name, map[string]any{"spec": map[string]any{}})
}

func monitor(namespace, name string) *olm.Object {
	return object("monitoring.coreos.com/v1", unservedKind, namespace, name, map[string]any{"spec": map[string]any{"endpoints": []any{}}})
}

func autoscaler(namespace, name string) *olm.Object {
	return object("autoscaling.k8s.io/v1", absentKind, namespace, name, map[string]any{"spec": map[string]any{}})
}

func budget(namespace, name string, spec map[string]any) *olm.Object {
	return object("policy/v1", "PodDisruptionBudget", namespace, name, map[string]any{"spec": spec})
}

// definition is of a kind that takes anything, in version v1.
func definition(group, kind, scope string) *olm.Object {
	made := olm.Definition(group, kind, scope, "v1")
	made.SetLabels(nil)
	if strings.HasSuffix(group, ".k8s.io") {
		made.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, a test"})
	}
	return made
}

// planned is an approved plan for one operator, as it is once OLM has resolved it.
func planned(t *testing.T, namespace, name, operator string, steps ...step) *olm.Object {
	t.Helper()
	list := []any{}
	for _, each := range steps {
		kind := each.manifest.GroupVersionKind()
		text, err := json.Marshal(each.manifest.Object)
		if each.reference != nil {
			text, err = json.Marshal(each.reference)
		}
		must(t, err)
		entry := map[string]any{
			"resolving": operator, "status": "Unknown",
			"resource": map[string]any{
				"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": each.manifest.GetName(),
				"sourceName": "catalog", "sourceNamespace": "olm", "manifest": string(text),
			},
		}
		if each.optional {
			entry["optional"] = true
		}
		list = append(list, entry)
	}
	return object("operators.coreos.com/v1alpha1", "InstallPlan", namespace, name, map[string]any{
		"spec":   map[string]any{"approval": "Automatic", "approved": true, "clusterServiceVersionNames": []any{operator}},
		"status": map[string]any{"phase": "Installing", "catalogSources": []any{}, "plan": list},
	})
}

// install writes a plan.
func install(t *testing.T, plan *olm.Object) {
	t.Helper()
	must(t, olm.CreateAs(t.Context(), shared.Any, installPlans, plan))
}

// emptySpace makes a namespace without an OperatorGroup.
func emptySpace(t *testing.T) string {
	t.Helper()
	name := "plans-" + rand.String(6)
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	return name
}

// space makes a namespace with an OperatorGroup.
func space(t *testing.T) string {
	t.Helper()
	name := emptySpace(t)
	must(t, olm.Create(t.Context(), shared.Any, olm.OperatorGroup(name, "group", name)))
	return name
}

func planOf(t *testing.T, namespace, name string) *olm.Object {
	t.Helper()
	plan, err := shared.Any.Resource(installPlans).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	return plan
}

func text(object *olm.Object, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}

func phaseOf(plan *olm.Object) string   { return text(plan, "status", "phase") }
func messageOf(plan *olm.Object) string { return text(plan, "status", "message") }

// statusesOf are those of the steps, in the plan's order.
func statusesOf(plan *olm.Object) (statuses []string) {
	steps, _, _ := unstructured.NestedSlice(plan.Object, "status", "plan")
	for _, each := range steps {
		status, _ := each.(map[string]any)["status"].(string)
		statuses = append(statuses, status)
	}
	return statuses
}

// installed is the condition of that type, as "status reason"; message is its own.
func installed(plan *olm.Object) (condition, message string) {
	conditions, _, _ := unstructured.NestedSlice(plan.Object, "status", "conditions")
	for _, each := range conditions {
		fields := each.(map[string]any)
		field := func(key string) string { value, _ := fields[key].(string); return value }
		if field("type") == "Installed" {
			return strings.TrimSpace(field("status") + " " + field("reason")), field("message")
		}
	}
	return "", ""
}

// ends waits until a plan is Complete or Failed, which must be the phase that is wanted.
func ends(t *testing.T, namespace, name, phase string) *olm.Object {
	t.Helper()
	var plan *olm.Object
	eventually(t, func() error {
		plan = planOf(t, namespace, name)
		if got := phaseOf(plan); got != "Complete" && got != "Failed" {
			return fmt.Errorf("%s/%s is %q, its steps are %q: %s", namespace, name, got, statusesOf(plan), messageOf(plan))
		}
		return nil
	})
	if got := phaseOf(plan); got != phase {
		t.Fatalf("%s/%s is %s, want %s; its steps are %q: %s", namespace, name, got, phase, statusesOf(plan), messageOf(plan))
	}
	condition, _ := installed(plan)
	if want := map[string]string{"Complete": "True", "Failed": "False InstallComponentFailed"}[phase]; condition != want {
		t.Errorf("%s/%s: the condition Installed is %q, want %q", namespace, name, condition, want)
	}
	if _, err := time.Parse(time.RFC3339, text(plan, "status", "startTime")); err != nil {
		t.Errorf("%s/%s: startTime: %v", namespace, name, err)
	}
	return plan
}

// completes waits until a plan is Complete, with these statuses of its steps.
func completes(t *testing.T, namespace, name string, statuses ...string) *olm.Object {
	t.Helper()
	plan := ends(t, namespace, name, "Complete")
	if got := statusesOf(plan); !slices.Equal(got, statuses) {
		t.Errorf("%s/%s: the steps are %q, want %q: %s", namespace, name, got, statuses, messageOf(plan))
	}
	return plan
}

// comes waits until a plan is as it is wanted to be, and has not ended.
func comes(t *testing.T, namespace, name string, is func(plan *olm.Object) bool) *olm.Object {
	t.Helper()
	var plan *olm.Object
	eventually(t, func() error {
		plan = planOf(t, namespace, name)
		if phase := phaseOf(plan); phase == "Complete" || phase == "Failed" {
			t.Fatalf("%s/%s is %s: %s", namespace, name, phase, messageOf(plan))
		}
		if condition, message := installed(plan); !is(plan) {
			return fmt.Errorf("%s/%s is %s, %q: %s; %s: %s", namespace, name, phaseOf(plan), statusesOf(plan), messageOf(plan), condition, message)
		}
		return nil
	})
	return plan
}

// stays looks at a plan for some time, in which it must not leave a phase.
func stays(t *testing.T, namespace, name, phase string, during time.Duration) {
	t.Helper()
	for until := time.Now().Add(during); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if plan := planOf(t, namespace, name); phaseOf(plan) != phase {
			t.Fatalf("%s/%s is %s, and was %s: %s", namespace, name, phaseOf(plan), phase, messageOf(plan))
		}
	}
}

// history has every state of a plan, from before it is there; what it returns ends it and gives the states.
func history(t *testing.T, namespace, name string) func() []*olm.Object {
	t.Helper()
	list, err := shared.Any.Resource(installPlans).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	watch, err := shared.Any.Resource(installPlans).Namespace(namespace).Watch(ctx, metav1.ListOptions{
		ResourceVersion: list.GetResourceVersion(), FieldSelector: "metadata.name=" + name,
	})
	must(t, err)
	states := make(chan []*olm.Object, 1)
	until := make(chan string, 1)
	go func() {
		var seen []*olm.Object
		last := ""
		for last == "" || len(seen) == 0 || seen[len(seen)-1].GetResourceVersion() != last {
			select {
			case event, ok := <-watch.ResultChan():
				if state, is := event.Object.(*olm.Object); ok && is {
					seen = append(seen, state)
				} else {
					states <- seen
					return
				}
			case last = <-until:
			}
		}
		states <- seen
	}()
	return func() []*olm.Object {
		until <- planOf(t, namespace, name).GetResourceVersion()
		seen := <-states
		watch.Stop()
		cancel()
		if len(seen) < 2 {
			t.Errorf("%s/%s: %d states were seen", namespace, name, len(seen))
		}
		return seen
	}
}

// never fails when one of the states has a step with that status.
func never(t *testing.T, states []*olm.Object, index int, status string) {
	t.Helper()
	for _, state := range states {
		if statuses := statusesOf(state); index < len(statuses) && statuses[index] == status {
			t.Errorf("%s: step %d was %s: %s", state.GetName(), index+1, status, messageOf(state))
			return
		}
	}
}

// found is an object of a plan's namespace, or of the cluster.
func found(t *testing.T, resource schema.GroupVersionResource, namespace, name string) *olm.Object {
	t.Helper()
	object, err := shared.Any.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	return object
}

// missing fails when there is an object of that name.
func missing(t *testing.T, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	if _, err := shared.Any.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("%s %s/%s: %v, want that it is not there", resource.Resource, namespace, name, err)
	}
}

// contains fails unless a text has all parts.
func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not say %q: %q", what, part, text)
		}
	}
}

// told waits for Events about a plan whose messages have all parts, and returns how often they were told.
func told(t *testing.T, namespace, name string, parts ...string) (count int32) {
	t.Helper()
	eventually(t, func() error {
		count = 0
		events, err := shared.Kube.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var said []string
		for _, event := range events.Items {
			if event.InvolvedObject.Kind != "InstallPlan" || event.InvolvedObject.Name != name {
				continue
			}
			said = append(said, event.Reason+": "+event.Message)
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(event.Message, part) }) {
				count += max(event.Count, 1)
				if event.Type != "Warning" {
					t.Errorf("an Event is %s: %s", event.Type, event.Message)
				}
			}
		}
		if count == 0 {
			return fmt.Errorf("no Event about %s/%s says %q; they are %q", namespace, name, parts, said)
		}
		return nil
	})
	return count
}

// written is one write of the executor's, out of the audit log.
type written struct {
	Verb             string
	RequestURI       string
	User             struct{ Username string }
	ImpersonatedUser *struct{ Username string }
	ObjectRef        struct{ Resource, Namespace, Name, Subresource string }
	ResponseStatus   struct{ Code int }
}

// as is who the write was for.
func (w written) as() string {
	if w.ImpersonatedUser != nil {
		return w.ImpersonatedUser.Username
	}
	return w.User.Username
}

// writes are those that the executor sent for a resource, in a namespace or, with "", in the cluster.
func writes(t *testing.T, namespace, resource string) (list []written) {
	t.Helper()
	file, err := os.Open(auditLog())
	must(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry written
		if json.Unmarshal(lines.Bytes(), &entry) != nil { // the last line may be half written
			continue
		}
		if strings.Contains(entry.RequestURI, "dryRun=") {
			continue
		}
		if entry.ObjectRef.Namespace == namespace && entry.ObjectRef.Resource == resource {
			list = append(list, entry)
		}
	}
	must(t, lines.Err())
	return list
}

// refusal is nil if the error is a policy's refusal, and else says what it is.
func refusal(policy string, err error) error {
	if err == nil {
		return fmt.Errorf("%s lets it through", policy)
	}
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'") {
		return fmt.Errorf("want a refusal by %s, got: %w", policy, err)
	}
	return nil
}
