package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/check"
	"steward.dev/e2e/docs"
	"steward.dev/e2e/olm"
)

// A plan, as OLM has resolved it; what docs/previews.md calls install-ecd336220c.
const waitingPlan = `apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {namespace: databases, name: install-ecd336220c}
spec: {approval: Manual, approved: false, clusterServiceVersionNames: [reed.v1]}
status:
  phase: RequiresApproval
  catalogSources: []
  plan:
  - resolving: reed.v1
    status: Unknown
    resource:
      {group: "", version: v1, kind: ConfigMap, name: settings, sourceName: catalog, sourceNamespace: olm,
       manifest: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}}'}
`

// The commands of docs/previews.md, for an operator that the examples have.
func TestPreviews_AreReadAndAsked(t *testing.T) {
	w := newWalk(t, "docs/previews.md")
	text, err := os.ReadFile(filepath.Join(w.root, w.document))
	must(t, err)
	command := func(expression string) string {
		t.Helper()
		found := regexp.MustCompile("(?m)^" + expression + "$").FindString(string(text))
		if found == "" {
			t.Fatalf("no command is like %s", expression)
		}
		return strings.NewReplacer("payments-operators", "databases", "payments.v1.2.0", "tidepool-postgres.v5.3.1").Replace(found)
	}

	definition, err := yaml.Marshal(olm.Definition("operators.coreos.com", "InstallPlan", "Namespaced", "v1alpha1").Object)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(w.folder, "definition.yaml"), definition, 0o644))
	must(t, os.WriteFile(filepath.Join(w.folder, "plan.yaml"), []byte(waitingPlan), 0o644))
	w.does(t, 0, "kubectl create -f definition.yaml")
	w.does(t, 0, "kubectl wait --for=condition=Established crd/installplans.operators.coreos.com --timeout=60s")
	w.does(t, 0, "kubectl create -f plan.yaml && kubectl replace --subresource=status -f plan.yaml")
	read := command(`kubectl get ppv \S+ \S+ install-\S+ -o yaml`)
	check.Eventually(t, func() error {
		run := w.start(t, docs.Step{Command: read})
		if err := run.end(); err != nil {
			return err
		}
		if code := run.cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("%s: exit code %d: %q", read, code, run.screen())
		}
		return nil
	})
	w.says(t, w.does(t, 0, read), "kind: PlanPreview")

	asked := w.does(t, 0, command(`kubectl create -o yaml -f - <<EOF\n(?s:.*?)\nEOF`))
	for _, want := range []string{"kind: PlanPreview", "outcome: Delete", "name: tidepool-postgres.v5.3.1"} {
		w.says(t, asked, want)
	}
}
