package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
)

// The alerts say what they are to say, and only when: Prometheus' own checker plays series to the rules (e2e/promtool).
func TestAlerts(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	room := filepath.Join(root, "e2e", "promtool")
	dir := t.TempDir()
	promtool := filepath.Join(dir, "promtool")
	// Without the dozens of clients of clouds that find what to scrape.
	build := exec.CommandContext(t.Context(), "go", "build", "-tags=remove_all_sd", "-o", promtool, "github.com/prometheus/prometheus/cmd/promtool")
	build.Dir = room
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building promtool: %v\n%s", err, out)
	}
	objects, _, err := rendered(t.Context(), "overlays/prometheus")
	must(t, err)
	runbook, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	must(t, err)
	rules := 0
	for _, object := range objects {
		if object.GetKind() != "PrometheusRule" {
			continue
		}
		rules++
		text, err := yaml.Marshal(object.Object["spec"])
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, object.GetName()+".rules.yaml"), text, 0o644))
		for _, alert := range regexp.MustCompile(`(?m)^ *-? *alert: (\w+)$`).FindAllSubmatch(text, -1) {
			if !bytes.Contains(runbook, append(append([]byte("| `"), alert[1]...), "` |"...)) {
				t.Errorf("docs/troubleshooting.md does not say what to do at %s", alert[1])
			}
		}
	}
	tests, err := filepath.Glob(filepath.Join(room, "testdata", "*.yaml"))
	must(t, err)
	if rules != 2 || len(tests) != rules {
		t.Fatalf("%d sets of rules, %d of tests", rules, len(tests))
	}
	for _, test := range tests {
		text, err := os.ReadFile(test)
		must(t, err)
		name := filepath.Base(test)
		must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), promtool, "test", "rules", name)
			command.Dir = dir
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
