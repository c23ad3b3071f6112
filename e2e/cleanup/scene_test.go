package cleanup_test

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

const (
	optInFinalizer           = "operatorframework.io/delete-custom-resources"
	holdFinalizer            = "steward.operatorframework.io/hold-rights"
	recordAnnotation         = "steward.operatorframework.io/cleanup-record"
	rightsReleasedAnnotation = "steward.operatorframework.io/rights-released"
	optOutAnnotation         = "console.openshift.io/disable-operand-delete"
	operandFinalizer         = "example.com/finish"

	csvName = "operator.v1"
)

var (
	policies       = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	policyBindings = policies.GroupVersion().WithResource("validatingadmissionpolicybindings")

	background = metav1.DeleteOptions{PropagationPolicy: of(metav1.DeletePropagationBackground)}
	foreground = metav1.DeleteOptions{PropagationPolicy: of(metav1.DeletePropagationForeground)}
)

func of[T any](value T) *T { return &value }

var (
	must       = check.Must
	eventually = check.Eventually
)

// scene is one operator with its API group, the namespace that it is installed in, and others.
type scene struct {
	group     string
	namespace string
	spaces    []string
	// Whether the operator owns a cluster-scoped kind, too.
	cluster bool
}

// newScene makes the definitions, which the controllers may clean up, and namespaces; install makes the operator.
func newScene(t *testing.T, spaces int, kinds ...string) *scene {
	t.Helper()
	id := rand.String(6)
	s := &scene{group: id + ".example.com", namespace: "ops-" + id, cluster: slices.Contains(kinds, "Gadget")}
	definitions := []*olm.Object{olm.Definition(s.group, "Widget", "Namespaced", "v1")}
	if s.cluster {
		definitions = append(definitions, olm.Definition(s.group, "Gadget", "Cluster", "v1"))
	}
	cleanable(t, s.group)
	must(t, olm.CreateCRDs(t.Context(), shared.Any, definitions...))
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(s.namespace)))
	for i := range spaces {
		s.spaces = append(s.spaces, fmt.Sprintf("space-%s-%d", id, i))
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(s.spaces[i], "e2e", id)))
	}
	return s
}

// beside is another installation of the same kinds.
func (s *scene) beside(t *testing.T) *scene {
	t.Helper()
	other := &scene{group: s.group, namespace: s.namespace + "-beside", spaces: s.spaces, cluster: s.cluster}
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(other.namespace)))
	return other
}

func (s *scene) widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "widgets"}
}

func (s *scene) gadgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "gadgets"}
}

func (s *scene) resources() []schema.GroupVersionResource {
	if s.cluster {
		return []schema.GroupVersionResource{s.widgets(), s.gadgets()}
	}
	return []schema.GroupVersionResource{s.widgets()}
}

// user is the operator's.
func (s *scene) user() string { return "system:serviceaccount:" + s.namespace + ":operator" }

// described is the entry of a definition in a CSV.
func (s *scene) described(kind string) map[string]any {
	return map[string]any{
		"name": strings.ToLower(kind) + "s." + s.group, "version": "v1", "kind": kind, "displayName": kind, "description": kind,
	}
}

// csv supports cleanup, is opted in, and is as OLM leaves it once it is installed.
func (s *scene) csv(targets ...string) *olm.Object {
	csv := olm.CSV(csvName, olm.OperatorGroup(s.namespace, "group", targets...), targets...)
	csv.SetFinalizers([]string{olm.Finalizer, optInFinalizer})
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	owned := []any{s.described("Widget")}
	if s.cluster {
		owned = append(owned, s.described("Gadget"))
	}
	spec["customresourcedefinitions"] = map[string]any{"owned": owned}
	olm.Deploys(csv)
	return csv
}

// synced is an OperatorGroup whose status OLM has written; without targets it means all namespaces.
func synced(namespace, name string, targets ...string) *olm.Object {
	return olm.Synced(olm.OperatorGroup(namespace, name, targets...), targets...)
}

// install makes an operator that is opted in, beside an OperatorGroup with these targets.
func (s *scene) install(t *testing.T, targets ...string) {
	t.Helper()
	s.installWith(t, synced(s.namespace, "group", targets...), s.csv(targets...))
}

// installWith makes OperatorGroup, CSV, Deployment and rights, and waits until the rights are held if they are to be.
func (s *scene) installWith(t *testing.T, group, csv *olm.Object) {
	t.Helper()
	must(t, olm.Confirm(t.Context(), shared.Any, csv))
	must(t, olm.Create(t.Context(), shared.Any, group, csv))
	made := s.see(t)
	must(t, olm.CreateDeployment(t.Context(), shared.Any, made))
	s.grant(t)
	enabled := made.Object["spec"].(map[string]any)["cleanup"].(map[string]any)["enabled"] == true
	if enabled && slices.Contains(made.GetFinalizers(), optInFinalizer) && phaseOf(made) == "Succeeded" {
		eventually(t, func() error { return s.held(t, true) })
	}
}

func phaseOf(csv *olm.Object) string {
	phase, _ := csv.Object["status"].(map[string]any)["phase"].(string)
	return phase
}

// grant gives the operator its rights as OLM does: cluster-wide, and marked as made for the CSV.
func (s *scene) grant(t *testing.T) {
	t.Helper()
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{"apiGroups": []any{s.group}, "resources": []any{"*"}, "verbs": []any{"*"}}},
	}}
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": s.namespace},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": s.user()}},
	}}
	for resource, object := range map[schema.GroupVersionResource]*olm.Object{olm.ClusterRoles: role, olm.ClusterRoleBindings: binding} {
		object.SetName(s.namespace)
		object.SetLabels(olm.OwnerLabels(s.namespace, csvName))
		_, err := shared.Any.Resource(resource).Create(t.Context(), object, metav1.CreateOptions{})
		must(t, err)
	}
}

// held says whether the operator's rights are there and held (or there and not), as wanted.
func (s *scene) held(t *testing.T, want bool) error {
	for _, resource := range []schema.GroupVersionResource{olm.ClusterRoles, olm.ClusterRoleBindings} {
		object, err := shared.Any.Resource(resource).Get(t.Context(), s.namespace, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if slices.Contains(object.GetFinalizers(), holdFinalizer) != want {
			return fmt.Errorf("%s %s: finalizers %q", object.GetKind(), s.namespace, object.GetFinalizers())
		}
	}
	return nil
}

// see is the CSV.
func (s *scene) see(t *testing.T) *olm.Object {
	t.Helper()
	csv, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	return csv
}

// operands makes widgets that only the operator can finish, in a namespace.
func (s *scene) operands(t *testing.T, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		s.operand(t, s.widgets(), "Widget", namespace, name)
	}
}

func (s *scene) operand(t *testing.T, resource schema.GroupVersionResource, kind, namespace, name string) {
	t.Helper()
	operand := &olm.Object{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": kind}}
	operand.SetName(name)
	operand.SetFinalizers([]string{operandFinalizer})
	_, err := shared.Any.Resource(resource).Namespace(namespace).Create(t.Context(), operand, metav1.CreateOptions{})
	must(t, err)
}

// list is the custom resources that there are, and which of them are being deleted.
func (s *scene) list(t *testing.T) (there, deleting []string) {
	t.Helper()
	for _, resource := range s.resources() {
		list, err := shared.Any.Resource(resource).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		for _, operand := range list.Items {
			there = append(there, nameOf(&operand))
			if operand.GetDeletionTimestamp() != nil {
				deleting = append(deleting, nameOf(&operand))
			}
		}
	}
	slices.Sort(there)
	return there, deleting
}

// deleting waits until so many custom resources are being deleted.
func (s *scene) deleting(t *testing.T, count int) {
	t.Helper()
	eventually(t, func() error {
		if _, deleting := s.list(t); len(deleting) != count {
			return fmt.Errorf("%q are being deleted", deleting)
		}
		return nil
	})
}

// untouched checks that exactly these custom resources are there and not being deleted.
func (s *scene) untouched(t *testing.T, want ...string) {
	t.Helper()
	there, deleting := s.list(t)
	slices.Sort(want)
	if !slices.Equal(there, want) || len(deleting) > 0 {
		t.Errorf("there are %q, of which %q are being deleted; want %q", there, deleting, want)
	}
}

// aged waits until the second in which the namespace was made is over. Times of objects are of whole seconds: a deletion in
// that same one may be older than the namespace, and is not acted on (R-000-75).
func (s *scene) aged(t *testing.T) {
	t.Helper()
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	namespace, err := shared.Any.Resource(namespaces).Get(t.Context(), s.namespace, metav1.GetOptions{})
	must(t, err)
	made := namespace.GetCreationTimestamp().Time
	eventually(t, func() error {
		if now := time.Now(); now.Before(made.Add(time.Second)) {
			return fmt.Errorf("it is %v, and the namespace of %v", now, made)
		}
		return nil
	})
}

// uninstall deletes the CSV, as kubectl does.
func (s *scene) uninstall(t *testing.T) {
	t.Helper()
	s.aged(t)
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Delete(t.Context(), csvName, background))
}

// gone waits until the CSV is gone.
func (s *scene) gone(t *testing.T) {
	t.Helper()
	began := time.Now()
	eventually(t, func() error {
		csv, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("finalizers %q, conditions %v", csv.GetFinalizers(), conditions(csv))
		}
		return err
	})
	t.Logf("gone after %s", time.Since(began).Round(10*time.Millisecond))
}

// says waits until the CSV has a condition with this reason and a message that contains a text.
func (s *scene) says(t *testing.T, reason, contains string) *olm.Object {
	t.Helper()
	var csv *olm.Object
	eventually(t, func() error {
		csv = s.see(t)
		message, _ := conditions(csv)[reason]["message"].(string)
		if conditions(csv)[reason] == nil || !strings.Contains(message, contains) {
			return fmt.Errorf("no %s that says %q: %v", reason, contains, conditions(csv))
		}
		return nil
	})
	return csv
}

// recorded waits until Steward has written down what it may delete.
func (s *scene) recorded(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if s.see(t).GetAnnotations()[recordAnnotation] == "" {
			return fmt.Errorf("nothing is recorded")
		}
		return nil
	})
}

// tells waits for an event about the CSV.
func (s *scene) tells(t *testing.T, kind, reason, contains string) {
	t.Helper()
	eventually(t, func() error {
		events, err := shared.Kube.CoreV1().Events(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var told []string
		for _, event := range events.Items {
			if event.Type == kind && event.Reason == reason && strings.Contains(event.Message, contains) {
				return nil
			}
			told = append(told, event.Type+" "+event.Reason+": "+event.Message)
		}
		return fmt.Errorf("no event %s %s with %q among %q", kind, reason, contains, told)
	})
}

// patch changes the CSV as the administrator.
func (s *scene) patch(t *testing.T, body string) {
	t.Helper()
	_, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType, []byte(body), metav1.PatchOptions{})
	must(t, err)
}

// write is a request of the controllers that the kube-apiserver wrote down.
type write struct {
	Verb          string
	ObjectRef     struct{ APIGroup, Namespace, Name, Resource string }
	RequestObject struct {
		Metadata          struct{ Finalizers []string }
		PropagationPolicy string
		Preconditions     struct{ UID string }
	}
}

// writes are all that the controllers ever wrote to a resource or to an API group (then resource is empty).
func writes(t *testing.T, group, resource string) []write {
	t.Helper()
	file, err := os.Open(auditLog)
	must(t, err)
	defer file.Close()
	var found []write
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var one write
		must(t, json.Unmarshal(lines.Bytes(), &one))
		if one.ObjectRef.APIGroup == group && (resource == "" || one.ObjectRef.Resource == resource) {
			found = append(found, one)
		}
	}
	must(t, lines.Err())
	return found
}

// sent are the deletions of this API group that the controllers ever asked for, as the kube-apiserver saw them. Every one
// must name the object's UID and be a background deletion (R-000-71).
func (s *scene) sent(t *testing.T) []string {
	t.Helper()
	var sent []string
	for _, one := range writes(t, s.group, "") {
		if one.Verb != "delete" || one.RequestObject.Preconditions.UID == "" || one.RequestObject.PropagationPolicy != "Background" {
			t.Errorf("the controllers sent %+v", one)
		}
		sent = append(sent, strings.TrimPrefix(one.ObjectRef.Namespace+"/"+one.ObjectRef.Name, "/"))
	}
	slices.Sort(sent)
	return slices.Compact(sent)
}

// cleaned checks that exactly these custom resources were deleted, and that these others are untouched.
func (s *scene) cleaned(t *testing.T, want, kept []string) {
	t.Helper()
	s.untouched(t, kept...)
	slices.Sort(want)
	if sent := s.sent(t); !slices.Equal(sent, want) {
		t.Errorf("deletions sent: %q, want %q", sent, want)
	}
}

// waitForPolicies waits until the policies of deploy/base are in force: the API server takes up new ones after a moment.
func waitForPolicies(ctx context.Context) error {
	s := &scene{group: "policies.example.com", namespace: fmt.Sprintf("policies-%d", time.Now().UnixNano())}
	if err := olm.Create(ctx, shared.Any, olm.Namespace(s.namespace), s.csv()); err != nil {
		return err
	}
	csvs := shared.Any.Resource(olm.CSVs).Namespace(s.namespace)
	try := foreground
	try.DryRun = []string{metav1.DryRunAll}
	err := check.Poll(func() error {
		if err := csvs.Delete(ctx, csvName, try); !apierrors.IsForbidden(err) {
			return fmt.Errorf("foreground deletion is not refused: %v", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := csvs.Patch(ctx, csvName, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	return csvs.Delete(ctx, csvName, background)
}
