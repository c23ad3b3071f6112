package cleanup_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// blocks are the fenced blocks of a document.
func blocks(t *testing.T, name string) (blocks []string) {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	for i, part := range strings.Split(string(text), "\n```\n") {
		if i%2 == 1 {
			blocks = append(blocks, part)
		}
	}
	return blocks
}

// The commands of docs/cleanup.md, as they stand there: those by which an administrator opts in and uninstalls, and the one
// that lists what was opted in before Steward was installed.
func TestDocument_ItsCommandsDoWhatItSays(t *testing.T) {
	t.Parallel()
	found := blocks(t, "docs/cleanup.md")
	if len(found) != 2 {
		t.Fatalf("it has other commands: %q", found)
	}
	optIn, uninstall, both := strings.Cut(found[0], "kubectl delete ")
	list := found[1]
	if !both || !strings.HasPrefix(optIn, "kubectl patch csv ") || !strings.HasPrefix(list, "kubectl get csv ") {
		t.Fatalf("it has other commands: %q", found)
	}
	must(t, olm.OptInsSettle(t.Context(), shared.Any))
	s := newScene(t, 1)
	s.bundled(t, s.described("Widget"))
	s.operands(t, s.spaces[0], "some")
	s.operate(t, 0)
	give := func(script string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "/bin/bash", "-c", strings.NewReplacer("etcd.v1", csvName, "-n ops", "-n "+s.namespace).Replace(script))
		command.Env = []string{"KUBECONFIG=" + shared.Admin, "HOME=" + t.TempDir(), "PATH=" + shared.KubectlDir() + ":/usr/bin:/bin"}
		out, err := command.CombinedOutput()
		if _, ended := err.(*exec.ExitError); err != nil && !(ended && script == list) {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
		return string(out)
	}
	shows := func() bool {
		for line := range strings.Lines(give(list)) {
			if fields := strings.Fields(line); len(fields) > 2 && fields[0] == s.namespace && fields[1] == csvName {
				return true
			}
		}
		return false
	}
	if shows() {
		t.Error("it is listed before anybody opted in")
	}
	give(optIn)
	if !shows() {
		t.Error("it is not listed")
	}
	eventually(t, func() error {
		if s.see(t).GetLabels()[olm.ConfirmedLabel] == "" {
			return fmt.Errorf("nobody has confirmed it: %v", conditions(s.see(t)))
		}
		return s.held(t, true)
	})
	s.aged(t)
	give("kubectl delete " + strings.TrimSuffix(uninstall, "\n") + " --wait=false")
	s.gone(t)
	s.cleaned(t, []string{s.spaces[0] + "/some"}, nil)
}
