package installplans_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// version is one of a definition, in which spec.size has a type.
func version(name, size string, served, storage bool) map[string]any {
	return map[string]any{
		"name": name, "served": served, "storage": storage,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
			"spec": map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": size}}},
		}}},
	}
}

// versioned is a definition with these versions.
func versioned(group string, versions ...any) *olm.Object {
	made := definition(group, "Widget", "Namespaced")
	if err := unstructured.SetNestedSlice(made.Object, versions, "spec", "versions"); err != nil {
		panic(err)
	}
	return made
}

// widget is an object of such a definition, which is there.
func widget(t *testing.T, group, version, namespace, name string, size any) {
	t.Helper()
	made := object(group+"/"+version, "Widget", namespace, name, map[string]any{"spec": map[string]any{"size": size}})
	must(t, olm.CreateAs(t.Context(), shared.Any, schema.GroupVersionResource{Group: group, Version: version, Resource: "widgets"}, made))
}

// A definition that is there is changed where that breaks nothing. A version that is no longer served is told.
func TestDefinitions_AreUpdated(t *testing.T) {
	t.Parallel()
	namespace := space(t)
	const group = "updated.example.com"
	must(t, olm.CreateCRDs(t.Context(), shared.Any, versioned(group, version("v1", "integer", true, true), version("v1beta1", "integer", true, false))))
	widget(t, group, "v1", namespace, "one", int64(1))
	wanted := versioned(group, version("v2", "integer", true, false), version("v1", "integer", true, true), version("v1beta1", "integer", false, false))
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")), mandatory(wanted)))
	completes(t, namespace, "plan", "Created", "Present")
	told(t, namespace, "plan", wanted.GetName(), "v1beta1")
	versions, _, _ := unstructured.NestedSlice(found(t, olm.Definitions, "", wanted.GetName()).Object, "spec", "versions")
	if len(versions) != 3 {
		t.Errorf("the definition has versions %v", versions)
	}
}

// What would break objects that are there, or lose a stored version, stops the plan before anything is written; the object and its
// field, or the version, are named.
func definitionsThatBreak(t *testing.T) {
	for _, tc := range []struct {
		name, group  string
		live, wanted func(group string) *olm.Object
		stored       string // the version that the object is written in
		says         []string
	}{
		{
			"an object", "breaks.example.com",
			func(group string) *olm.Object { return versioned(group, version("v1", "integer", true, true)) },
			func(group string) *olm.Object { return versioned(group, version("v1", "string", true, true)) },
			"v1", []string{"/one", "spec.size"},
		},
		{
			"a stored version", "loses.example.com",
			func(group string) *olm.Object { return versioned(group, version("v1alpha1", "integer", true, true)) },
			func(group string) *olm.Object { return versioned(group, version("v1", "integer", true, true)) },
			"v1alpha1", []string{"v1alpha1"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			namespace := space(t)
			live, wanted := tc.live(tc.group), tc.wanted(tc.group)
			must(t, olm.CreateCRDs(t.Context(), shared.Any, live))
			widget(t, tc.group, tc.stored, namespace, "one", int64(1))
			before := found(t, olm.Definitions, "", live.GetName())
			install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1")),
				mandatory(configMap(namespace, "settings")), mandatory(wanted)))
			plan := ends(t, namespace, "plan", "Failed")
			contains(t, "the message", messageOf(plan), append(tc.says, wanted.GetName())...)
			missing(t, olm.CSVs, namespace, "some.v1")
			missing(t, core("configmaps"), namespace, "settings")
			if after := found(t, olm.Definitions, "", live.GetName()); after.GetGeneration() != before.GetGeneration() {
				t.Error("the definition was changed")
			}
		})
	}
}
