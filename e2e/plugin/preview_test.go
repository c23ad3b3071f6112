package plugin_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// R-000-79: what is kept although the operator claims to own it is shown as kept, with the reason, before anything is done.
func TestUninstall_KeepsWhatOLMDidNotInstall(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.Definitions, "", "widgets."+s.group, func(definition *olm.Object) {
		definition.SetLabels(nil)
	}))
	s.known(t, "NotOptedIn")
	stdout, _, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--dry-run")
	ends(t, code, 0, stdout, "no custom resources: there are none")
	if !strings.Contains(stdout, "widgets."+s.group+"  4: OLM did not install their definition (--cleanup-unmanaged-definitions") {
		t.Errorf("it does not say why:\n%s", stdout)
	}
	s.unchanged(t)
}

// By the end of an owner of the CSV the garbage collector would uninstall the operator, whoever ended it. So nothing is cleaned up while it
// has one, which is said before anything is changed.
func TestUninstall_R_000_77_WithAnOwner(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	owner := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	owner.SetName("planted")
	owner = s.create(t, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, s.namespace, owner)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "planted", UID: owner.GetUID()}})
	}))
	s.known(t, "NotOptedIn")
	stdout, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes")
	ends(t, code, 3, stdout+stderr, "metadata.ownerReferences has ConfigMap planted")
	s.unchanged(t)
}

// A limit that docs/cleanup.md and docs/kubectl-steward.md tell: a preview does not show what is stored in APIs of the
// operator's own. Where it comes to show them, the documents change.
func TestUninstall_APreviewShowsNoOwnAPIs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		api := map[string]any{"name": "stored", "group": "api." + s.group, "version": "v1", "kind": "Stored"}
		csv.Object["spec"].(map[string]any)["apiservicedefinitions"] = map[string]any{"owned": []any{api}}
	}))
	s.known(t, "NotOptedIn")
	stdout, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--dry-run")
	ends(t, code, 0, stdout, csvName)
	for _, absent := range []string{"stored", "api." + s.group} {
		if strings.Contains(stdout+stderr, absent) {
			t.Errorf("it shows %s, and the documents say that it does not:\n%s", absent, stdout)
		}
	}
}
