package upgrade_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/olm"
)

var (
	policies       = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	policyBindings = policies.GroupVersion().WithResource("validatingadmissionpolicybindings")

	configMaps   = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	installPlans = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}
)

const held = "example.com/held"

// release takes the finalizers of an object off.
func release(t *testing.T, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	_, err := shared.Any.Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(t, err)
}

// get is an object, or nil if there is none.
func get(t *testing.T, resource schema.GroupVersionResource, namespace, name string) *olm.Object {
	t.Helper()
	object, err := shared.Any.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(t, err)
	return object
}

// Controllers of one build delete custom resources of an operator that is uninstalled, of which a finalizer holds one. Those of the other
// build know what was recorded, wait, and let the operator go once the last is gone. Nothing else is deleted by either.
func TestCleanup(t *testing.T) {
	orders(t, func(t *testing.T, first, second *build) {
		name := "cleanup-" + rand.String(6)
		group := name + ".example.com"
		widgets := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}
		definition := olm.Definition(group, "Widget", "Namespaced", "v1")
		role := &olm.Object{Object: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
			"rules": []any{map[string]any{"apiGroups": []any{group}, "resources": []any{"*"}, "verbs": []any{"list", "watch", "delete"}}},
		}}
		role.SetName(name)
		role.SetLabels(map[string]string{"steward.operators.coreos.com/aggregate-to-cleanup": "true"})
		must(t, olm.CreateAs(t.Context(), shared.Any, olm.ClusterRoles, role))
		must(t, olm.CreateCRDs(t.Context(), shared.Any, definition))
		operators := olm.OperatorGroup(name, "group", name)
		csv := olm.CSV(name, operators, name)
		csv.SetFinalizers([]string{"operatorframework.io/delete-custom-resources"})
		spec := csv.Object["spec"].(map[string]any)
		spec["cleanup"] = map[string]any{"enabled": true}
		spec["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
			"name": definition.GetName(), "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
		}}}
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name), olm.Synced(operators, name), csv))
		for _, place := range []struct{ namespace, name string }{{name, "free"}, {name, "held"}, {metav1.NamespaceDefault, "elsewhere"}} {
			widget := &olm.Object{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Widget"}}
			widget.SetNamespace(place.namespace)
			widget.SetName(place.name)
			if place.name == "held" {
				widget.SetFinalizers([]string{held})
			}
			must(t, olm.CreateAs(t.Context(), shared.Any, widgets, widget))
		}

		begun := first.controllers(t, "controllers", append(grpcFlags, "--reconcilers=cleanup")...)
		readers := follow(t, first, second)
		readers.agrees(t, name+"/"+name)
		must(t, shared.Any.Resource(olm.CSVs).Namespace(name).Delete(t.Context(), name, metav1.DeleteOptions{}))
		// pending are those that the controllers wait for, as both builds' API servers learn from them.
		pending := func() error {
			for _, each := range []*build{older, newer} {
				text, err := each.raw.Get().AbsPath("/apis/views.operators.coreos.com/v1alpha1/namespaces", name, "cleanupstatuses", name, "pending").
					Do(t.Context()).Raw()
				if err != nil {
					return fmt.Errorf("the %s API server: %w", each.name, err)
				}
				var list struct {
					Items  []any
					Hidden int
				}
				must(t, json.Unmarshal(text, &list))
				// Whoever may not list them learns their number.
				if len(list.Items)+list.Hidden != 1 {
					return fmt.Errorf("the %s API server: %s", each.name, text)
				}
			}
			return nil
		}
		waits := func() error {
			if widget := get(t, widgets, name, "held"); widget == nil || widget.GetDeletionTimestamp() == nil || get(t, widgets, name, "free") != nil {
				return fmt.Errorf("the held one: %v; the free one: %v", widget, get(t, widgets, name, "free"))
			}
			return pending()
		}
		eventually(t, waits)
		recorded := get(t, olm.CSVs, name, name).GetAnnotations()["steward.operatorframework.io/cleanup-record"]
		if recorded == "" {
			t.Error("nothing was recorded")
		}

		must(t, begun.Stop())
		second.controllers(t, "controllers", append(grpcFlags, "--reconcilers=cleanup")...)
		eventually(t, waits)
		if now := get(t, olm.CSVs, name, name); now == nil || now.GetAnnotations()["steward.operatorframework.io/cleanup-record"] == "" {
			t.Fatalf("the operator did not wait, or its record is gone: %v", now)
		}
		release(t, widgets, name, "held")
		eventually(t, func() error {
			if csv := get(t, olm.CSVs, name, name); csv != nil {
				return fmt.Errorf("the operator is there: %v", csv.Object["status"])
			}
			return nil
		})
		if widget := get(t, widgets, metav1.NamespaceDefault, "elsewhere"); widget == nil || widget.GetDeletionTimestamp() != nil {
			t.Errorf("what was elsewhere is %v", widget)
		}
		eventually(t, func() error {
			if readers.knows(name + "/" + name) {
				return errors.New("no watch has shown that the operator is gone")
			}
			return nil
		})
		readers.agrees(t)
	})
}

// Controllers of one build execute an InstallPlan, of which one step is refused that its dry run did not foresee. Those of the other
// build go on with it, and complete it.
func TestInstallPlan(t *testing.T) {
	orders(t, func(t *testing.T, first, second *build) {
		name := "plan-" + rand.String(6)
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name), olm.OperatorGroup(name, "group", name)))
		settings := configMap(name, "settings")
		admit := refuse(t, settings)
		csv := olm.CSV(name, olm.OperatorGroup(name, "group"))
		csv.SetAnnotations(nil)
		csv.SetLabels(nil)
		delete(csv.Object, "status")
		steps := []any{}
		for _, manifest := range []*olm.Object{csv, settings, configMap(name, "later")} {
			kind := manifest.GroupVersionKind()
			text, err := json.Marshal(manifest.Object)
			must(t, err)
			steps = append(steps, map[string]any{"resolving": name, "status": "Unknown", "resource": map[string]any{
				"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": manifest.GetName(),
				"sourceName": "catalog", "sourceNamespace": "olm", "manifest": string(text),
			}})
		}
		plan := &olm.Object{Object: map[string]any{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
			"spec":   map[string]any{"approval": "Automatic", "approved": true, "clusterServiceVersionNames": []any{name}},
			"status": map[string]any{"phase": "Installing", "catalogSources": []any{}, "plan": steps},
		}}
		plan.SetNamespace(name)
		plan.SetName("plan")
		readers := follow(t, first, second)
		begun := first.controllers(t, "install-plans", "--reconcilers=install-plans")
		must(t, olm.CreateAs(t.Context(), shared.Any, installPlans, plan))
		waits := func() error {
			now := get(t, installPlans, name, "plan")
			message, _, _ := unstructured.NestedString(now.Object, "status", "message")
			if !strings.Contains(message, "not yet, says a test") || get(t, olm.CSVs, name, name) == nil {
				return fmt.Errorf("the plan is %v", now.Object["status"])
			}
			return nil
		}
		eventually(t, waits)

		must(t, begun.Stop())
		second.controllers(t, "install-plans", "--reconcilers=install-plans")
		must(t, waits())
		admit()
		eventually(t, func() error {
			now := get(t, installPlans, name, "plan")
			if phase, _, _ := unstructured.NestedString(now.Object, "status", "phase"); phase != "Complete" {
				return fmt.Errorf("the plan is %v", now.Object["status"])
			}
			return nil
		})
		made, _, _ := unstructured.NestedSlice(get(t, installPlans, name, "plan").Object, "status", "plan")
		for _, each := range made {
			if status := each.(map[string]any)["status"]; status != "Created" {
				t.Errorf("a step is %v: %v", status, each)
			}
		}
		if get(t, configMaps, name, "settings") == nil || get(t, configMaps, name, "later") == nil {
			t.Error("not all that the plan brings is there")
		}
		readers.agrees(t)
	})
}

// Controllers of one build apply a payload, and begin a removal that a finalizer holds. Those of the other build keep what was recorded,
// refuse the next minor release until the removal has ended, and apply it then.
func TestPayload(t *testing.T) {
	orders(t, func(t *testing.T, first, second *build) {
		name := "payload-" + rand.String(6)
		err := shared.Kube.CoreV1().ConfigMaps(home).Delete(t.Context(), "steward-payload-record", metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(name)))
		old := configMap(name, "old")
		old.SetFinalizers([]string{held})
		must(t, olm.CreateAs(t.Context(), shared.Any, configMaps, old))
		folder := t.TempDir()
		ships := func(version string, manifests ...*olm.Object) {
			t.Helper()
			var text strings.Builder
			for _, each := range manifests {
				document, err := yaml.Marshal(each.Object)
				must(t, err)
				fmt.Fprintf(&text, "---\n%s", document)
			}
			// As the kubelet makes it of a ConfigMap: files are links into a folder that is exchanged at once.
			next := ".." + version
			must(t, os.Mkdir(filepath.Join(folder, next), 0o755))
			for name, content := range map[string]string{
				"0000_10_some.yaml": text.String(),
				"release-metadata":  fmt.Sprintf(`{"kind": "cincinnati-metadata-v0", "version": %q, "previous": [], "metadata": {}}`, version),
			} {
				must(t, os.WriteFile(filepath.Join(folder, next, name), []byte(content), 0o644))
				if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil && !os.IsExist(err) {
					t.Fatal(err)
				}
			}
			must(t, os.Symlink(next, filepath.Join(folder, "..data_tmp")))
			must(t, os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
		}
		included := func(object *olm.Object, more ...string) *olm.Object {
			made := object.DeepCopy()
			made.SetFinalizers(nil)
			marks := map[string]string{"include.release.openshift.io/self-managed-high-availability": "true"}
			for _, each := range more {
				marks[each] = "true"
			}
			made.SetAnnotations(marks)
			return made
		}
		flags := []string{"--reconcilers=payload", "--payload-dir=" + folder, "--payload-interval=1s"}
		record := func() map[string]string {
			t.Helper()
			made := get(t, configMaps, home, "steward-payload-record")
			if made == nil {
				return nil
			}
			data, _, _ := unstructured.NestedStringMap(made.Object, "data")
			return data
		}
		ongoing := func() error {
			if r := record(); r["completed"] == "" || r["version"] != "4.5.0" || !strings.Contains(r["removals"], `"Ongoing"`) {
				return fmt.Errorf("the record is %v", r)
			}
			return nil
		}
		readers := follow(t, first, second)
		ships("4.5.0", included(old, "release.openshift.io/delete"), included(configMap(name, "kept")))
		begun := first.controllers(t, "payload", flags...)
		eventually(t, ongoing)
		if get(t, configMaps, name, "kept") == nil || get(t, configMaps, name, "old").GetDeletionTimestamp() == nil {
			t.Error("what was shipped is not there, or what was to go is not being deleted")
		}

		must(t, begun.Stop())
		ships("4.6.0", included(configMap(name, "kept")), included(configMap(name, "new")))
		second.controllers(t, "payload", flags...)
		eventually(t, func() error {
			events, err := shared.Kube.CoreV1().Events(home).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, event := range events.Items {
				if event.Reason == "UpdateBlocked" && strings.Contains(event.Message, name+"/old") {
					return nil
				}
			}
			return fmt.Errorf("nothing says that the update is blocked: %v", record())
		})
		must(t, ongoing())
		if get(t, configMaps, name, "new") != nil {
			t.Error("the next release was applied")
		}
		release(t, configMaps, name, "old")
		eventually(t, func() error {
			if r := record(); r["version"] != "4.6.0" || r["completed"] == "" || r["state"] != "Reconciling" {
				return fmt.Errorf("the record is %v", r)
			}
			return nil
		})
		if get(t, configMaps, name, "old") != nil || get(t, configMaps, name, "kept") == nil || get(t, configMaps, name, "new") == nil {
			t.Error("the release was not applied")
		}
		readers.agrees(t)
	})
}

// refuse has an object not be created, but by dry runs, until it is admitted.
func refuse(t *testing.T, object *olm.Object) (admit func()) {
	t.Helper()
	name := "refuse-" + object.GetNamespace()
	policy := &olm.Object{Object: map[string]any{
		"apiVersion": policies.GroupVersion().String(), "kind": "ValidatingAdmissionPolicy",
		"spec": map[string]any{
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"configmaps"},
			}}},
			"validations": []any{map[string]any{
				"expression": fmt.Sprintf("has(request.dryRun) && request.dryRun || object.metadata.namespace != %q || object.metadata.name != %q",
					object.GetNamespace(), object.GetName()),
				"message": "not yet, says a test", "reason": "Forbidden",
			}},
		},
	}}
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": policies.GroupVersion().String(), "kind": "ValidatingAdmissionPolicyBinding",
		"spec": map[string]any{"policyName": name, "validationActions": []any{"Deny"}},
	}}
	policy.SetName(name)
	binding.SetName(name)
	must(t, olm.CreateAs(t.Context(), shared.Any, policies, policy))
	must(t, olm.CreateAs(t.Context(), shared.Any, policyBindings, binding))
	// A policy is in force a moment later.
	at := shared.Any.Resource(configMaps).Namespace(object.GetNamespace())
	eventually(t, func() error {
		_, err := at.Create(t.Context(), object, metav1.CreateOptions{})
		if apierrors.IsForbidden(err) {
			return nil
		}
		return fmt.Errorf("it is not refused: %v, %v", err, at.Delete(t.Context(), object.GetName(), metav1.DeleteOptions{}))
	})
	return func() {
		t.Helper()
		must(t, shared.Any.Resource(policyBindings).Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
}

func configMap(namespace, name string) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "1"}}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}
