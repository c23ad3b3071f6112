package operators_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

var (
	serviceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	definitions     = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// subscribe makes a Subscription of `pack` whose installed CSV is `csv`.
func (s *scene) subscribe(pack, csv string) {
	s.t.Helper()
	sub := object("operators.coreos.com/v1alpha1", "Subscription", s.home, "sub")
	sub.Object["spec"] = map[string]any{"name": pack, "channel": "stable", "source": "cat", "sourceNamespace": "olm"}
	s.create(sub)
	must(s.t, olm.MutateStatus(s.t.Context(), shared.Any, subscriptions, s.home, "sub", func(sub *olm.Object) {
		sub.Object["status"] = map[string]any{"installedCSV": csv, "currentCSV": csv, "lastUpdated": "2026-01-02T03:04:05Z"}
	}))
}

// forget has everything of the Operator go at the end of the test.
func forget(t *testing.T, name string) {
	t.Cleanup(func() { _ = shared.Any.Resource(operators).Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// Upstream's "should surface components in its status", and R-004-11, 12, 13.
func TestOperator_R_004_11_12_13_Components(t *testing.T) {
	s := newScene(t, 1)
	s.subscribe("reed", "reed.v1")
	s.create(olm.CSV("reed.v1", s.group, s.targets...))
	name := "reed." + s.home
	forget(t, name)
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1", "Subscription "+s.home+"/sub"))
	operator := s.found(operators, "", name)
	selector := operator.Object["status"].(map[string]any)["components"].(map[string]any)["labelSelector"]
	if want := `{"matchExpressions":[{"key":"operators.coreos.com/` + name + `","operator":"Exists"}]}`; asJSON(selector) != want {
		t.Errorf("the selector is %s, want %s", asJSON(selector), want)
	}
	// A label that comes, and goes.
	label := "operators.coreos.com/" + name
	account := object("v1", "ServiceAccount", s.home, "labelled")
	account.SetLabels(map[string]string{label: "", olm.ManagedLabel: "true"})
	s.create(account)
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1", "Subscription "+s.home+"/sub", "ServiceAccount "+s.home+"/labelled"))
	must(t, olm.Mutate(t.Context(), shared.Any, serviceAccounts, s.home, "labelled", func(account *olm.Object) { account.SetLabels(nil) }))
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1", "Subscription "+s.home+"/sub"))
	// Copies are none.
	eventually(t, func() error { _, err := lookUp(olm.CSVs, s.targets[0], "reed.v1"); return err })
	must(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1", "Subscription "+s.home+"/sub")())
}

func TestOperator_R_004_13_OfAFreeCSV(t *testing.T) {
	s := newScene(t, 0)
	s.create(olm.CSV("free.v1", s.group))
	name := "free.v1." + s.home
	forget(t, name)
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/free.v1"))
}

// R-004-14, 15: an orphaned one keeps its Operator; one that is deleted is made again, while anything is left.
func TestOperator_R_004_14_15_OrphansAndRegeneration(t *testing.T) {
	s := newScene(t, 0)
	s.subscribe("reed", "reed.v1")
	s.create(olm.CSV("reed.v1", s.group))
	name := "reed." + s.home
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1", "Subscription "+s.home+"/sub"))
	must(t, shared.Any.Resource(subscriptions).Namespace(s.home).Delete(t.Context(), "sub", metav1.DeleteOptions{}))
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1"))
	uid := s.found(operators, "", name).GetUID()
	must(t, shared.Any.Resource(operators).Delete(t.Context(), name, metav1.DeleteOptions{}))
	eventually(t, func() error {
		again, err := lookUp(operators, "", name)
		if err == nil && again.GetUID() == uid {
			err = fmt.Errorf("it is the same")
		}
		return err
	})
	eventually(t, has(name, "ClusterServiceVersion "+s.home+"/reed.v1"))
	if got, err := lookUp(operators, "", "reed.v1."+s.home); err == nil {
		t.Errorf("an orphan got a second Operator: %v", got.GetName())
	}
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "reed.v1", metav1.DeleteOptions{}))
	eventually(t, gone(operators, "", name))
}

// Upstream's "should automatically adopt components".
func TestOperator_Adopts(t *testing.T) {
	s := newScene(t, 0)
	definition := olm.Definition("operators-"+s.home+".example.com", "Reed", "Namespaced", "v1")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
	t.Cleanup(func() {
		_ = shared.Any.Resource(definitions).Delete(context.Background(), definition.GetName(), metav1.DeleteOptions{})
	})
	csv := olm.CSV("reed.v1", s.group)
	csv.Object["spec"].(map[string]any)["customresourcedefinitions"] = map[string]any{"owned": []any{
		map[string]any{"name": definition.GetName(), "version": "v1", "kind": "Reed"},
	}}
	s.create(csv)
	owner := s.found(olm.CSVs, s.home, "reed.v1")
	account := object("v1", "ServiceAccount", s.home, "reed")
	account.SetLabels(map[string]string{olm.ManagedLabel: "true"})
	account.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: "reed.v1", UID: owner.GetUID()}})
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.home+"-role")
	labels := olm.OwnerLabels(s.home, "reed.v1")
	labels[olm.ManagedLabel] = "true"
	role.SetLabels(labels)
	s.create(account)
	s.grant(olm.ClusterRoles, role)
	plan := object("operators.coreos.com/v1alpha1", "InstallPlan", s.home, "install-reed")
	plan.Object["spec"] = map[string]any{"approval": "Automatic", "approved": true, "clusterServiceVersionNames": []any{"reed.v1"}}
	s.create(plan)
	s.subscribe("reed", "reed.v1")
	must(t, olm.MutateStatus(t.Context(), shared.Any, subscriptions, s.home, "sub", func(sub *olm.Object) {
		sub.Object["status"].(map[string]any)["installPlanRef"] = map[string]any{
			"apiVersion": plan.GetAPIVersion(), "kind": "InstallPlan", "namespace": s.home, "name": plan.GetName(), "uid": string(s.found(installPlans, s.home, plan.GetName()).GetUID()),
		}
	}))
	name := "reed." + s.home
	all := []string{"ClusterServiceVersion " + s.home + "/reed.v1", "Subscription " + s.home + "/sub", "InstallPlan " + s.home + "/install-reed",
		"ServiceAccount " + s.home + "/reed", "ClusterRole " + role.GetName(), "CustomResourceDefinition " + definition.GetName()}
	eventually(t, has(name, all...))
	// What is left after an uninstallation is said, and the Operator goes with it.
	must(t, shared.Any.Resource(subscriptions).Namespace(s.home).Delete(t.Context(), "sub", metav1.DeleteOptions{}))
	must(t, shared.Any.Resource(installPlans).Namespace(s.home).Delete(t.Context(), "install-reed", metav1.DeleteOptions{}))
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.home).Delete(t.Context(), "reed.v1", metav1.DeleteOptions{}))
	must(t, shared.Any.Resource(olm.ClusterRoles).Delete(t.Context(), role.GetName(), metav1.DeleteOptions{}))
	eventually(t, has(name, "CustomResourceDefinition "+definition.GetName()))
	s.told("default", name, "OperatorKept")
	must(t, shared.Any.Resource(definitions).Delete(t.Context(), definition.GetName(), metav1.DeleteOptions{}))
	eventually(t, gone(operators, "", name))
}

// Upstream's "should not adopt copied csvs": a namespace that becomes a target gets a copy, which is no component.
func TestOperator_R_004_08_ANewNamespacesCopyIsNone(t *testing.T) {
	s := newScene(t, 2)
	both := s.targets
	s.targets = both[:1]
	s.retarget(s.targets...)
	s.subscribe("reed", "reed.v1")
	s.create(olm.CSV("reed.v1", s.group, s.targets...))
	name := "reed." + s.home
	forget(t, name)
	alone := []string{"ClusterServiceVersion " + s.home + "/reed.v1", "Subscription " + s.home + "/sub"}
	eventually(t, has(name, alone...))
	s.retarget(both...)
	for _, target := range both {
		eventually(t, func() error { _, err := lookUp(olm.CSVs, target, "reed.v1"); return err })
	}
	// One that bears the label all the same is disowned.
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, both[1], "reed.v1", func(csv *olm.Object) {
		labels := csv.GetLabels()
		labels["operators.coreos.com/"+name] = ""
		csv.SetLabels(labels)
	}))
	eventually(t, func() error {
		csv, err := lookUp(olm.CSVs, both[1], "reed.v1")
		if err != nil {
			return err
		}
		if _, labelled := csv.GetLabels()["operators.coreos.com/"+name]; labelled {
			return fmt.Errorf("the copy bears the label")
		}
		return nil
	})
	must(t, has(name, alone...)())
}
