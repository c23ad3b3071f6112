package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// testUpgrade goes from the manifests of the commit before to today's, and back, while somebody reads.
func testUpgrade(t *testing.T, s *scene) {
	previous := t.TempDir()
	archive := filepath.Join(previous, "deploy.tar")
	if out, err := exec.CommandContext(t.Context(), "git", "-C", s.root, "archive", "--output", archive, "HEAD~1", "deploy").CombinedOutput(); err != nil {
		t.Skipf("there is no commit before: %v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "tar", "--extract", "--file", archive, "--directory", previous).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const overlay = "overlays/standalone"
	if _, err := os.Stat(filepath.Join(previous, "deploy", overlay)); err != nil {
		t.Skipf("the commit before has no %s", overlay)
	}
	now, before := s.render(t, overlay), s.renderIn(t, filepath.Join(previous, "deploy"), overlay)
	l := startLoad(t, s, 20, 20)
	for _, step := range []struct{ name, file string }{{"before", before}, {"now", now}, {"before again", before}, {"now again", now}} {
		s.kubectl(t, "apply", "-f", step.file)
		s.awaitReady(t)
		s.awaitAnswers(t)
	}
	l.end(t)
}
