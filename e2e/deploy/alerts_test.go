package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
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
		for _, alert := range typed[prometheusRule](t, object).alerts() {
			if want := "docs/troubleshooting.md#" + strings.ToLower(alert.Alert); alert.Annotations["runbook_url"] != want {
				t.Errorf("%s has the runbook_url %q, and not %s", alert.Alert, alert.Annotations["runbook_url"], want)
			}
			if !bytes.Contains(runbook, []byte("\n### "+alert.Alert+"\n\n")) {
				t.Errorf("docs/troubleshooting.md does not say what to do at %s", alert.Alert)
			}
		}
	}
	checkQueries(t, promtool, dashboardQueries(t, objects))
	tests, err := filepath.Glob(filepath.Join(room, "testdata", "*.yaml"))
	must(t, err)
	if rules != 3 || len(tests) != rules {
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

// prometheusRule is what the Prometheus operator knows by this name.
type prometheusRule struct {
	Spec struct {
		Groups []struct {
			Rules []alert `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

type alert struct {
	Alert       string            `json:"alert"`
	Annotations map[string]string `json:"annotations"`
}

func (r prometheusRule) alerts() (all []alert) {
	for _, group := range r.Spec.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// dashboardQueries is what the dashboard's panels ask Prometheus for.
func dashboardQueries(t *testing.T, objects []*olm.Object) (queries []string) {
	t.Helper()
	for _, object := range objects {
		if object.GetLabels()["grafana_dashboard"] != "1" {
			continue
		}
		for name, text := range typed[corev1.ConfigMap](t, object).Data {
			var dashboard struct {
				UID    string `json:"uid"`
				Panels []struct {
					Type, Title string
					Targets     []struct{ Expr string }
				}
			}
			must(t, json.Unmarshal([]byte(text), &dashboard))
			if dashboard.UID == "" || filepath.Ext(name) != ".json" {
				t.Errorf("%s, uid %q, is no dashboard", name, dashboard.UID)
			}
			for _, panel := range dashboard.Panels {
				if panel.Title == "" || (panel.Type == "row") != (len(panel.Targets) == 0) {
					t.Errorf("panel %q shows nothing", panel.Title)
				}
				for _, target := range panel.Targets {
					queries = append(queries, target.Expr)
				}
			}
		}
	}
	if len(queries) < 20 {
		t.Errorf("the dashboard asks for %d things", len(queries))
	}
	return queries
}

// checkQueries has promtool parse each.
func checkQueries(t *testing.T, promtool string, queries []string) {
	t.Helper()
	var rules []any
	for _, query := range queries {
		rules = append(rules, map[string]any{"record": "dashboard", "expr": query, "labels": map[string]any{"query": fmt.Sprint(len(rules))}})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	must(t, err)
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	must(t, os.WriteFile(file, text, 0o644))
	if out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
