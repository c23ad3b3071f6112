package operators_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// scene is one operator with namespaces of its own: home, where it is installed, and its targets.
type scene struct {
	t       *testing.T
	home    string
	targets []string
	group   *olm.Object
	csv     *olm.Object
}

var count int

func newScene(t *testing.T, targets int) *scene {
	t.Helper()
	count++
	prefix := fmt.Sprintf("operators-%d-%s", count, time.Now().Format("150405"))
	s := &scene{t: t, home: prefix + "-home"}
	s.create(olm.Namespace(s.home))
	for i := range targets {
		s.targets = append(s.targets, fmt.Sprintf("%s-t%d", prefix, i))
		s.create(olm.Namespace(s.targets[i]))
	}
	if targets == 0 {
		s.targets = []string{s.home}
	}
	s.group = olm.Synced(olm.OperatorGroup(s.home, "group", s.targets...), s.targets...)
	s.create(s.group)
	t.Cleanup(func() { removeNamespaces(append([]string{s.home}, s.targets...)) })
	return s
}

func removeNamespaces(names []string) {
	for _, name := range names {
		_ = shared.Any.Resource(olm.Namespaces).Delete(context.Background(), name, metav1.DeleteOptions{})
	}
}

var kinds = map[string]schema.GroupVersionResource{
	"Role": roles, "RoleBinding": roleBindings, "ServiceAccount": serviceAccounts, "Subscription": subscriptions, "InstallPlan": installPlans,
}

func (s *scene) create(objects ...*olm.Object) {
	s.t.Helper()
	for _, each := range objects {
		if resource, found := kinds[each.GetKind()]; found {
			must(s.t, olm.CreateAs(s.t.Context(), shared.Any, resource, each))
		} else {
			must(s.t, olm.Create(s.t.Context(), shared.Any, each))
		}
	}
}

// grant makes objects of the whole cluster.
func (s *scene) grant(resource schema.GroupVersionResource, objects ...*olm.Object) {
	s.t.Helper()
	for _, each := range objects {
		must(s.t, olm.CreateAs(s.t.Context(), shared.Any, resource, each))
		s.t.Cleanup(func() {
			_ = shared.Any.Resource(resource).Delete(context.Background(), each.GetName(), metav1.DeleteOptions{})
		})
	}
}

// rules of the operator's Role: what its CSV asks for.
func secretsRules(verbs ...string) []any {
	return []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"secrets"}, "verbs": anys(verbs)}}
}

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = value
	}
	return out
}

// install makes the CSV, and the Role and RoleBinding that olm-operator makes for it. `changes` are made to the CSV before.
func (s *scene) install(name string, rules []any, changes ...func(csv *olm.Object)) {
	s.t.Helper()
	csv := olm.CSV(name, s.group, s.targets...)
	csv.Object["spec"].(map[string]any)["install"].(map[string]any)["spec"] = map[string]any{
		"deployments": []any{},
		"permissions": []any{map[string]any{"serviceAccountName": "reed", "rules": rules}},
	}
	for _, change := range changes {
		change(csv)
	}
	s.create(csv)
	if _, err := lookUp(serviceAccounts, s.home, "reed"); err != nil {
		s.create(object("v1", "ServiceAccount", s.home, "reed"))
	}
	s.csv = s.found(olm.CSVs, s.home, name)
	owner := metav1.OwnerReference{APIVersion: s.csv.GetAPIVersion(), Kind: s.csv.GetKind(), Name: name, UID: s.csv.GetUID()}
	labels := olm.OwnerLabels(s.home, name)
	labels[olm.ManagedLabel] = "true"
	role := object("rbac.authorization.k8s.io/v1", "Role", s.home, s.roleName())
	role.Object["rules"] = rules
	binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", s.home, s.roleName())
	binding.Object["roleRef"] = map[string]any{"apiGroup": roles.Group, "kind": "Role", "name": s.roleName()}
	binding.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": "reed", "namespace": s.home}}
	for _, each := range []*olm.Object{role, binding} {
		each.SetLabels(labels)
		each.SetOwnerReferences([]metav1.OwnerReference{owner})
		s.create(each)
	}
}

func (s *scene) roleName() string { return s.csv.GetName() + "-abc" }

// uninstall deletes the CSV, and what is owned by it goes by the garbage collector.
func (s *scene) uninstall() {
	s.t.Helper()
	must(s.t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(s.t.Context(), s.csv.GetName(), metav1.DeleteOptions{}))
}

func (s *scene) retarget(targets ...string) {
	s.t.Helper()
	must(s.t, olm.Mutate(s.t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		group.Object["spec"].(map[string]any)["targetNamespaces"] = anys(targets)
	}))
	must(s.t, olm.MutateStatus(s.t.Context(), shared.Any, olm.OperatorGroups, s.home, "group", func(group *olm.Object) {
		group.Object["status"] = map[string]any{"namespaces": anys(targets), "lastUpdated": time.Now().UTC().Format(time.RFC3339)}
	}))
}

func lookUp(resource schema.GroupVersionResource, namespace, name string) (*olm.Object, error) {
	return shared.Any.Resource(resource).Namespace(namespace).Get(context.Background(), name, metav1.GetOptions{})
}

func (s *scene) found(resource schema.GroupVersionResource, namespace, name string) *olm.Object {
	s.t.Helper()
	got, err := lookUp(resource, namespace, name)
	must(s.t, err)
	return got
}

func gone(resource schema.GroupVersionResource, namespace, name string) func() error {
	return func() error {
		if _, err := lookUp(resource, namespace, name); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s %s/%s is there: %v", resource.Resource, namespace, name, err)
		}
		return nil
	}
}

// copied says whether a target has the copy of Role and RoleBinding, as the original is, and with its owners.
func (s *scene) copied(target string) func() error {
	return func() error {
		if err := s.given(target)(); err != nil {
			return err
		}
		for _, resource := range []schema.GroupVersionResource{roles, roleBindings} {
			copied, err := lookUp(resource, target, s.roleName())
			if err != nil {
				return err
			}
			if err := s.owned(target, copied); err != nil {
				return err
			}
		}
		return nil
	}
}

// given is copied, whatever the owners.
func (s *scene) given(target string) func() error {
	return func() error {
		for _, resource := range []schema.GroupVersionResource{roles, roleBindings} {
			original, err := lookUp(resource, s.home, s.roleName())
			if err != nil {
				return err
			}
			copied, err := lookUp(resource, target, s.roleName())
			if err != nil {
				return err
			}
			for _, part := range []string{"rules", "subjects", "roleRef"} {
				if !reflect.DeepEqual(copied.Object[part], original.Object[part]) {
					return fmt.Errorf("%s: %s are %s, the original's %s", target, part, asJSON(copied.Object[part]), asJSON(original.Object[part]))
				}
			}
			labels := copied.GetLabels()
			for key, value := range map[string]string{
				"olm.copiedFrom": s.home, "olm.owner": s.csv.GetName(), "olm.owner.namespace": target,
				"olm.owner.kind": "ClusterServiceVersion", "olm.managed": "true",
			} {
				if labels[key] != value {
					return fmt.Errorf("%s: the label %s is %q, want %q", target, key, labels[key], value)
				}
			}
		}
		return nil
	}
}

// owned checks that the copied CSV and the Operator own an object (R-004-16).
func (s *scene) owned(target string, copied *olm.Object) error {
	csv, err := lookUp(olm.CSVs, target, s.csv.GetName())
	if err != nil {
		return err
	}
	var kinds []string
	for _, each := range copied.GetOwnerReferences() {
		kinds = append(kinds, each.Kind)
		if each.Kind == "ClusterServiceVersion" && each.UID != csv.GetUID() {
			return fmt.Errorf("%s: the owner is another CSV than the copy", target)
		}
		if each.Kind == "Operator" {
			operator, err := lookUp(operators, "", each.Name)
			if err != nil {
				return err
			}
			if operator.GetUID() != each.UID {
				return fmt.Errorf("%s: the owner is another Operator", target)
			}
		}
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, []string{"ClusterServiceVersion", "Operator"}) {
		return fmt.Errorf("%s: the owners of %s are %v", target, copied.GetKind(), kinds)
	}
	return nil
}

func (s *scene) told(namespace, about, reason string) {
	s.t.Helper()
	eventually(s.t, func() error {
		told, err := eventsAbout(namespace, about, reason)
		if err == nil && told == 0 {
			err = fmt.Errorf("no Event %s about %s/%s", reason, namespace, about)
		}
		return err
	})
}

func eventsAbout(namespace, about, reason string) (count int, err error) {
	events, err := shared.Kube.CoreV1().Events(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	for _, event := range events.Items {
		if event.InvolvedObject.Name == about && event.Reason == reason {
			count++
		}
	}
	return count, nil
}

// components of an Operator, each as "Kind namespace/name".
func components(name string) ([]string, error) {
	operator, err := lookUp(operators, "", name)
	if err != nil {
		return nil, err
	}
	status, _ := operator.Object["status"].(map[string]any)
	parts, _ := status["components"].(map[string]any)
	refs, _ := parts["refs"].([]any)
	var out []string
	for _, each := range refs {
		ref := each.(map[string]any)
		namespace, _ := ref["namespace"].(string)
		out = append(out, fmt.Sprintf("%v %s", ref["kind"], strings.TrimPrefix(namespace+"/"+ref["name"].(string), "/")))
	}
	return out, nil
}

// has says whether the Operator's components are exactly these, in any order.
func has(name string, want ...string) func() error {
	return func() error {
		got, err := components(name)
		if err != nil {
			return err
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s: the components are %v, want %v", name, got, want)
		}
		return nil
	}
}

func asJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
