package node_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/upgrade"
)

// testUpgrade goes from an older build's manifests and image to today's, and back, while somebody reads.
func testUpgrade(t *testing.T, s *scene) {
	folder := os.Getenv("STEWARD_OLDER_IMAGE")
	if folder == "" {
		t.Skip("STEWARD_OLDER_IMAGE names no image of an older build; ./dev test --full makes one")
	}
	older := imageIn(t, folder)
	_, err := s.Exec(t.Context(), "ctr", "-n", "k8s.io", "images", "import", older.archive)
	must(t, err)
	tree := t.TempDir()
	archive := filepath.Join(tree, "deploy.tar")
	for _, command := range [][]string{
		{"git", "-C", s.root, "archive", "--output", archive, upgrade.Older, "deploy"},
		{"tar", "--extract", "--file", archive, "--directory", tree},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", command, err, out)
		}
	}
	const overlay = "overlays/standalone"
	before, now := s.renderIn(t, filepath.Join(tree, "deploy"), overlay, older), s.render(t, overlay)
	l := startLoad(t, s, 20, 20)
	for _, step := range []struct {
		name, file string
		image      image
	}{{"older", before, older}, {"newer", now, s.image}, {"older again", before, older}, {"newer again", now, s.image}} {
		s.kubectl(t, "apply", "-f", step.file)
		s.awaitReady(t)
		s.awaitAnswers(t)
		await(t, func() error { return s.runsOnly(t, step.image) })
		t.Logf("%s: %s", step.name, step.image.name())
	}
	l.end(t)
}

// runsOnly is nil when every container of Steward's runs an image.
func (s *scene) runsOnly(t *testing.T, made image) error {
	t.Helper()
	pods, err := s.Kube.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(pods.Items) == 0 {
		return errors.New("there are no pods")
	}
	for _, pod := range pods.Items {
		for _, each := range pod.Spec.Containers {
			if each.Image != made.name() {
				return fmt.Errorf("%s runs %s", pod.Name, each.Image)
			}
		}
	}
	return nil
}
