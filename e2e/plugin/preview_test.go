package plugin_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

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

// Limits that docs/cleanup.md and docs/kubectl-steward.md tell: a preview shows neither the CSV's owners nor what is stored in
// APIs of the operator's own. Where it comes to show them, the documents change.
func TestUninstall_APreviewShowsNoOwnersAndNoOwnAPIs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	owner := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	owner.SetName("planted")
	owner = s.create(t, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, s.namespace, owner)
	_, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Patch(t.Context(), csvName, types.MergePatchType, []byte(fmt.Sprintf(`{
		"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"planted","uid":%q}]},
		"spec":{"apiservicedefinitions":{"owned":[{"name":"stored","group":"api.%s","version":"v1","kind":"Stored"}]}}}`,
		owner.GetUID(), s.group)), metav1.PatchOptions{})
	must(t, err)
	s.known(t, "NotOptedIn")
	stdout, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--dry-run")
	ends(t, code, 0, stdout, csvName)
	for _, absent := range []string{"planted", "stored", "api." + s.group} {
		if strings.Contains(stdout+stderr, absent) {
			t.Errorf("it shows %s, and the documents say that it does not:\n%s", absent, stdout)
		}
	}
}
