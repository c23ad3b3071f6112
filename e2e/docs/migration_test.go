package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/docs"
	"steward.dev/e2e/olm"
)

// The way off copies and back, command by command, where somebody plays OLM; and what R-004-30 and R-004-34 want told is told.
func TestMigration_R_004_30_34_IsAWayThereAndBack(t *testing.T) {
	w := newWalk(t, "docs/migration.md")
	text, err := os.ReadFile(filepath.Join(w.root, w.document))
	must(t, err)
	for _, section := range []string{"## The console\n", "## What to tell tenants\n", "## The way back\n"} {
		if !strings.Contains(string(text), section) {
			t.Errorf("there is no section %q", section)
		}
	}

	definition, err := yaml.Marshal(olm.Definition("operators.coreos.com", "OLMConfig", "Cluster", "v1").Object)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(w.folder, "definition.yaml"), definition, 0o644))
	w.does(t, 0, "kubectl create -f definition.yaml")
	w.does(t, 0, `echo '{"apiVersion":"operators.coreos.com/v1","kind":"OLMConfig","metadata":{"name":"cluster"}}' | kubectl create -f -`)

	const off = "kubectl patch olmconfig cluster --subresource=status --type=merge -p " +
		`'{"status":{"conditions":[{"type":"DisabledCopiedCSVs","status":"True","reason":"CopiedCSVsDisabled"}]}}'`
	var commands []string
	for _, block := range regexp.MustCompile("(?ms)^```\n(kubectl .*?)^```$").FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, strings.TrimSpace(block[1]))
	}
	if len(commands) != 4 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	verify, turnOff, wait, turnOn := commands[0], commands[1], commands[2], commands[3]
	w.says(t, w.does(t, 1, verify), "There are no copies at all, though no OLMConfig turns them off")
	w.does(t, 0, turnOff)
	w.does(t, 0, off)
	w.says(t, w.does(t, 0, wait), "condition met")
	// Of the operators of the examples those for some namespaces keep their copies, of which there are none here.
	screen := w.does(t, 1, verify)
	w.says(t, screen, "Copies are turned off by the OLMConfig cluster: ")
	w.says(t, screen, "payments/ledger-queue.v1.0.3: an InstalledOperator, but no copy")
	if strings.Contains(screen, "certloop") {
		t.Errorf("an operator for all namespaces is missed:\n%s", screen)
	}
	w.does(t, 0, turnOn)
	w.says(t, w.does(t, 1, verify), "certloop.v1.8.2: an InstalledOperator, but no copy")
}

// does gives a command, and returns what is on the screen then.
func (w *walk) does(t *testing.T, want int, command string) string {
	t.Helper()
	run := w.start(t, docs.Step{Command: command})
	if err := run.end(); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	screen := strings.Join(run.screen(), "\n")
	if code := run.cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", command, code, want, screen)
	}
	return screen
}

func (w *walk) says(t *testing.T, screen, contains string) {
	t.Helper()
	if !strings.Contains(screen, contains) {
		t.Errorf("%q is not in\n%s", contains, screen)
	}
}
