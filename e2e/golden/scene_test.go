package golden_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	csvName   = "operator.v1"
	namespace = "ops-golden"
	apiGroup  = "golden.example.com"
	// holding is a finalizer that nobody takes away.
	holding = "example.com/finish"
	optIn   = "operatorframework.io/delete-custom-resources"
)

var (
	spaces = []string{"a-golden", "b-golden"}

	subscriptions = olm.CSVs.GroupVersion().WithResource("subscriptions")
	installPlans  = olm.CSVs.GroupVersion().WithResource("installplans")
	widgets       = schema.GroupVersionResource{Group: apiGroup, Version: "v1", Resource: "widgets"}
	gadgets       = widgets.GroupVersion().WithResource("gadgets")
	statuses      = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "cleanupstatuses"}
)

// scene is an operator that owns namespaced Widgets and cluster-scoped Gadgets, and works in two namespaces; and one without
// custom resources that works in all. On a cluster or on `steward up`.
type scene struct {
	client dynamic.Interface
	// finalizers are OLM's of an operator, where somebody plays OLM.
	finalizers []string
}

func installDefinitions(ctx context.Context, client dynamic.Interface) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	definitions, err := olm.Read(filepath.Join(root, "examples", "crds"), filepath.Join(root, "deploy", "overlays", "copies", "crds", "olmconfigs.yaml"))
	if err != nil {
		return err
	}
	return olm.CreateCRDs(ctx, client, append(definitions,
		olm.Definition(installPlans.Group, "InstallPlan", "Namespaced", "v1alpha1"), olm.Definition(installPlans.Group, "Subscription", "Namespaced", "v1alpha1"),
		olm.Definition(apiGroup, "Widget", "Namespaced", "v1"), olm.Definition(apiGroup, "Gadget", "Cluster", "v1"))...)
}

func newScene(t *testing.T, client dynamic.Interface, finalizers ...string) *scene {
	t.Helper()
	s := &scene{client: client, finalizers: finalizers}
	for _, name := range append([]string{namespace, "ops-everywhere"}, spaces...) {
		must(t, olm.Create(t.Context(), client, olm.Namespace(name)))
	}
	everywhere := olm.OperatorGroup("ops-everywhere", "group")
	must(t, olm.Create(t.Context(), client, olm.Synced(everywhere), olm.CSV("everywhere.v1", everywhere, "")))
	must(t, olm.Create(t.Context(), client, olm.Synced(olm.OperatorGroup(namespace, "group", spaces...), spaces...)))
	s.install(t)
	s.operand(t, widgets, "a-golden", "x")
	s.operand(t, widgets, "a-golden", "y")
	s.operand(t, widgets, "b-golden", "x")
	s.operand(t, widgets, namespace, "elsewhere")
	s.operand(t, gadgets, "", "g")
	return s
}

// install makes the operator, as OLM does: with its Deployment where Deployments are served.
func (s *scene) install(t *testing.T) {
	t.Helper()
	csv := olm.CSV(csvName, olm.OperatorGroup(namespace, "group", spaces...), spaces...)
	csv.SetFinalizers(s.finalizers)
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	owned := []any{}
	for _, kind := range []string{"Widget", "Gadget"} {
		owned = append(owned, map[string]any{"name": strings.ToLower(kind) + "s." + apiGroup, "version": "v1", "kind": kind})
	}
	spec["customresourcedefinitions"] = map[string]any{"owned": owned}
	olm.Deploys(csv)
	must(t, olm.Create(t.Context(), s.client, csv))
	made, err := s.client.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), csvName, metav1.GetOptions{})
	must(t, err)
	// The garbage collector may not have taken that of an earlier installation yet.
	eventually(t, func() error {
		if err := olm.CreateDeployment(t.Context(), s.client, made); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	s.make(t, subscriptions, object("operators.coreos.com/v1alpha1", "Subscription", "subscription", map[string]any{
		"spec":   map[string]any{"name": "operator", "channel": "stable", "source": "catalog", "sourceNamespace": "olm"},
		"status": map[string]any{"installedCSV": csvName, "currentCSV": csvName, "lastUpdated": "2026-11-30T00:00:00Z"},
	}))
	s.make(t, installPlans, object("operators.coreos.com/v1alpha1", "InstallPlan", "install-waits", map[string]any{
		"spec": map[string]any{"approval": "Manual", "approved": false, "clusterServiceVersionNames": []any{csvName}},
		"status": map[string]any{"phase": "RequiresApproval", "catalogSources": []any{}, "plan": []any{
			planned(t, object("v1", "ConfigMap", "settings", map[string]any{"data": map[string]any{"a": "1"}})),
			planned(t, object("v1", "ServiceAccount", "operator", nil)),
		}},
	}))
}

func (s *scene) make(t *testing.T, resource schema.GroupVersionResource, made *olm.Object) {
	t.Helper()
	if err := olm.CreateAs(t.Context(), s.client, resource, made); !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
}

func object(apiVersion, kind, name string, fields map[string]any) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	for key, value := range fields {
		made.Object[key] = value
	}
	return made
}

// planned is a step of an InstallPlan.
func planned(t *testing.T, manifest *olm.Object) map[string]any {
	t.Helper()
	text, err := json.Marshal(manifest.Object)
	must(t, err)
	kind := manifest.GroupVersionKind()
	return map[string]any{"resolving": csvName, "status": "Unknown", "resource": map[string]any{
		"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": manifest.GetName(),
		"sourceName": "catalog", "sourceNamespace": "olm", "manifest": string(text),
	}}
}

func (s *scene) operand(t *testing.T, resource schema.GroupVersionResource, in, name string) {
	t.Helper()
	kind := map[string]string{"widgets": "Widget", "gadgets": "Gadget"}[resource.Resource]
	operand := object(apiGroup+"/v1", kind, name, map[string]any{"spec": map[string]any{"text": "yes"}})
	operand.SetNamespace(in)
	s.make(t, resource, operand)
}

// optIn is what an administrator does by hand.
func (s *scene) optIn(t *testing.T) {
	t.Helper()
	must(t, olm.Mutate(t.Context(), s.client, olm.CSVs, namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optIn))
	}))
}

// known waits until Steward says of the operator that it is in this phase, and says these words besides.
func (s *scene) known(t *testing.T, phase string, words ...string) {
	t.Helper()
	eventually(t, func() error {
		object, err := s.client.Resource(statuses).Namespace(namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status, err := json.Marshal(object.Object["status"])
		if err != nil {
			return err
		}
		got, _, _ := unstructured.NestedString(object.Object, "status", "phase")
		missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(string(status), `"`+word+`"`) })
		if got != phase || missing || strings.Contains(string(status), `"OperatorGroupGone"`) {
			return fmt.Errorf("phase %s, want %s and %q: %s", got, phase, words, status)
		}
		return nil
	})
}

// left waits until these widgets are what there is.
func (s *scene) left(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, func() error {
		list, err := s.client.Resource(widgets).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var names []string
		for _, each := range list.Items {
			names = append(names, each.GetNamespace()+"/"+each.GetName())
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			return fmt.Errorf("there are %q", names)
		}
		return nil
	})
}

// gone waits for the end of the operator.
func (s *scene) gone(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		_, err := s.client.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the CSV: %v", err)
		}
		return nil
	})
}

// copied waits until the operator that works in all namespaces has its copies in all others.
func (s *scene) copied(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		all, err := s.client.Resource(olm.Namespaces).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		copies, err := s.client.Resource(olm.CSVs).List(t.Context(), metav1.ListOptions{LabelSelector: olm.CopiedFromLabel})
		if err != nil {
			return err
		}
		// Those of the other operator are in the namespaces that it works in.
		if want := len(all.Items) - 1 + len(spaces); len(copies.Items) != want {
			return fmt.Errorf("%d copies, want %d", len(copies.Items), want)
		}
		return nil
	})
}
