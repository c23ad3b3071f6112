package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

const (
	optInFinalizer   = "operatorframework.io/delete-custom-resources"
	holdFinalizer    = "steward.operatorframework.io/hold-rights"
	operandFinalizer = "example.com/finish"

	csvName = "operator.v1"

	// glance is how often the actors look.
	glance = 50 * time.Millisecond
)

var (
	subscriptions = olm.CSVs.GroupVersion().WithResource("subscriptions")
	installPlans  = olm.CSVs.GroupVersion().WithResource("installplans")
)

var (
	must       = check.Must
	eventually = check.Eventually
)

// scene is an operator with its API group, the namespace that it is installed in, and two in which it works. It owns
// namespaced Widgets and cluster-scoped Gadgets.
type scene struct {
	group     string
	namespace string
	spaces    []string
}

// newScene makes definitions, namespaces, OperatorGroup, a CSV that supports cleanup and nobody opted in to, its
// Deployment, its rights, its Subscription, and an InstallPlan that is done and one that is not.
func newScene(t *testing.T) *scene {
	t.Helper()
	id := rand.String(6)
	s := &scene{group: id + ".example.com", namespace: "ops-" + id, spaces: []string{"a-" + id, "b-" + id}}
	must(t, olm.CreateCRDs(t.Context(), shared.Any, olm.Definition(s.group, "Widget", "Namespaced", "v1"), olm.Definition(s.group, "Gadget", "Cluster", "v1")))
	for _, name := range append([]string{s.namespace}, s.spaces...) {
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
	}
	s.install(t)
	return s
}

// install makes the operator, as OLM does.
func (s *scene) install(t *testing.T) {
	t.Helper()
	group := olm.Synced(olm.OperatorGroup(s.namespace, "group", s.spaces...), s.spaces...)
	must(t, olm.Create(t.Context(), shared.Any, group, s.csv()))
	must(t, olm.CreateDeployment(t.Context(), shared.Any, s.see(t)))
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{"apiGroups": []any{s.group}, "resources": []any{"*"}, "verbs": []any{"*"}}},
	}}
	role.SetName(s.namespace)
	role.SetLabels(olm.OwnerLabels(s.namespace, csvName))
	s.create(t, olm.ClusterRoles, "", role)
	s.subscribe(t)
}

func (s *scene) subscribe(t *testing.T) {
	t.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	subscription := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"spec": map[string]any{"name": "operator", "channel": "stable", "source": "catalog", "sourceNamespace": "olm"},
	}}
	subscription.SetName("subscription")
	made := s.create(t, subscriptions, s.namespace, subscription)
	made.Object["status"] = map[string]any{"installedCSV": csvName, "currentCSV": csvName, "lastUpdated": now}
	_, err := shared.Any.Resource(subscriptions).Namespace(s.namespace).UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	for name, phase := range map[string]string{"install-done": "Complete", "install-waits": "RequiresApproval"} {
		plan := &olm.Object{Object: map[string]any{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
			"spec": map[string]any{"approval": "Manual", "approved": phase == "Complete", "clusterServiceVersionNames": []any{csvName}},
		}}
		plan.SetName(name)
		made := s.create(t, installPlans, s.namespace, plan)
		made.Object["status"] = map[string]any{"phase": phase, "catalogSources": []any{}}
		_, err := shared.Any.Resource(installPlans).Namespace(s.namespace).UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
		must(t, err)
	}
}

func (s *scene) create(t *testing.T, resource schema.GroupVersionResource, namespace string, object *olm.Object) *olm.Object {
	t.Helper()
	made, err := shared.Any.Resource(resource).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
	return made
}

func (s *scene) csv() *olm.Object {
	csv := olm.CSV(csvName, olm.OperatorGroup(s.namespace, "group", s.spaces...), s.spaces...)
	csv.SetFinalizers([]string{olm.Finalizer})
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	owned := []any{}
	for _, kind := range []string{"Widget", "Gadget"} {
		owned = append(owned, map[string]any{"name": strings.ToLower(kind) + "s." + s.group, "version": "v1", "kind": kind})
	}
	spec["customresourcedefinitions"] = map[string]any{"owned": owned}
	olm.Deploys(csv)
	return csv
}

func (s *scene) resource(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: plural}
}

// operands makes two widgets in the first namespace, one in the second, one where the operator does not work, and a gadget.
func (s *scene) operands(t *testing.T) {
	t.Helper()
	for _, at := range [][2]string{{s.spaces[0], "x"}, {s.spaces[0], "y"}, {s.spaces[1], "x"}, {s.namespace, "elsewhere"}} {
		s.create(t, s.resource("widgets"), at[0], s.operand("Widget", at[1]))
	}
	s.create(t, s.resource("gadgets"), "", s.operand("Gadget", "g"))
}

func (s *scene) operand(kind, name string) *olm.Object {
	operand := &olm.Object{Object: map[string]any{
		"apiVersion": s.group + "/v1", "kind": kind, "spec": map[string]any{"text": "yes", "lines": "a\nb\n", "number": int64(7)},
	}}
	operand.SetName(name)
	operand.SetFinalizers([]string{operandFinalizer})
	return operand
}

// list is the widgets that there are.
func (s *scene) list(t *testing.T) []string {
	t.Helper()
	list, err := shared.Any.Resource(s.resource("widgets")).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	var names []string
	for _, each := range list.Items {
		names = append(names, each.GetNamespace()+"/"+each.GetName())
	}
	slices.Sort(names)
	return names
}

// all is what list gives while nothing is deleted; kept what it gives at the end of a cleanup.
func (s *scene) all() []string {
	return []string{s.spaces[0] + "/x", s.spaces[0] + "/y", s.spaces[1] + "/x", s.namespace + "/elsewhere"}
}
func (s *scene) kept() []string { return []string{s.namespace + "/elsewhere"} }

func (s *scene) has(t *testing.T, want ...string) {
	t.Helper()
	if got := s.list(t); !slices.Equal(got, want) {
		t.Errorf("widgets %q, want %q", got, want)
	}
}

// see is the CSV.
func (s *scene) see(t *testing.T) *olm.Object {
	t.Helper()
	csv, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	return csv
}

func (s *scene) gone(t *testing.T) {
	t.Helper()
	_, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the CSV is still there: %v", err)
	}
}

// deleting waits until the CSV is being deleted.
func (s *scene) deleting(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if s.see(t).GetDeletionTimestamp() == nil {
			return fmt.Errorf("it is not being deleted")
		}
		return nil
	})
}

// unchanged checks that nothing has been done: the CSV stays as it was, with what would install it.
func (s *scene) unchanged(t *testing.T) {
	t.Helper()
	csv := s.see(t)
	if csv.GetDeletionTimestamp() != nil || slices.Contains(csv.GetFinalizers(), optInFinalizer) {
		t.Errorf("the CSV has changed: %v", csv.Object["metadata"])
	}
	if left := s.related(t); len(left) != 3 {
		t.Errorf("what installs it has changed: %q", left)
	}
	s.has(t, s.all()...)
}

// related is the Subscriptions and InstallPlans.
func (s *scene) related(t *testing.T) (names []string) {
	t.Helper()
	for _, resource := range []schema.GroupVersionResource{subscriptions, installPlans} {
		list, err := shared.Any.Resource(resource).Namespace(s.namespace).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		for _, each := range list.Items {
			names = append(names, each.GetName())
		}
	}
	return names
}

// known waits until Steward's API shows the operator in this phase, and its OperatorGroup was seen.
func (s *scene) known(t *testing.T, phase string) {
	t.Helper()
	resource := schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "cleanupstatuses"}
	eventually(t, func() error {
		object, err := shared.Any.Resource(resource).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got, _, _ := unstructured.NestedString(object.Object, "status", "phase"); got != phase {
			return fmt.Errorf("phase %q, want %q", got, phase)
		}
		blockers, _, _ := unstructured.NestedSlice(object.Object, "status", "blockers")
		for _, blocker := range blockers {
			if blocker.(map[string]any)["reason"] == "OperatorGroupGone" {
				return errors.New("the OperatorGroup was not seen yet")
			}
		}
		return nil
	})
}

// operate starts an operator that finishes custom resources, one after each pace, until the test ends.
func (s *scene) operate(t *testing.T, pace time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(glance) {
			for _, plural := range []string{"widgets", "gadgets"} {
				list, err := shared.Any.Resource(s.resource(plural)).List(ctx, metav1.ListOptions{})
				if err != nil {
					continue
				}
				for _, operand := range list.Items {
					if operand.GetDeletionTimestamp() == nil {
						continue
					}
					_, _ = shared.Any.Resource(s.resource(plural)).Namespace(operand.GetNamespace()).Patch(ctx, operand.GetName(), types.MergePatchType,
						[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
					select {
					case <-ctx.Done():
						return
					case <-time.After(pace):
					}
				}
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// waitForPolicy waits until the policy of deploy/base about opting in is in force.
func waitForPolicy(ctx context.Context, namespace string) error {
	const user = "nobody-in-particular"
	kubeconfig, err := shared.User(user)
	if err != nil {
		return err
	}
	if err := olm.Create(ctx, shared.Any, olm.Namespace(namespace), olm.CSV(csvName, olm.OperatorGroup(namespace, "group"))); err != nil {
		return err
	}
	if _, err := shared.Kubectl(ctx, "create", "rolebinding", user, "--clusterrole=cluster-admin", "--user="+user, "-n", namespace); err != nil {
		return err
	}
	err = check.Poll(func() error {
		_, err := shared.KubectlAs(ctx, kubeconfig, "patch", "csv", csvName, "-n", namespace, "--type=merge", "--dry-run=server", "-p",
			`{"metadata":{"finalizers":["`+optInFinalizer+`"]}}`)
		if err == nil || !strings.Contains(err.Error(), "cleanupstatuses/optin") {
			return fmt.Errorf("opting in is not refused: %v", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return shared.Any.Resource(olm.CSVs).Namespace(namespace).Delete(ctx, csvName, metav1.DeleteOptions{})
}
