package plugin_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// With the controllers away nothing is deleted; the same command goes on when they are back.
func TestDisruption_ControllersAway(t *testing.T) {
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	must(t, reconciling.Stop())
	args := []string{"uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--save", filepath.Join(t.TempDir(), "saved")}
	_, stderr, code := run(t, shared.Admin, append(args, "--timeout=3s")...)
	ends(t, code, 4, stderr, "not ready within 3s")
	csv := s.see(t)
	if csv.GetDeletionTimestamp() != nil || !slices.Contains(csv.GetFinalizers(), optInFinalizer) {
		t.Errorf("finalizers %q, deleted %v", csv.GetFinalizers(), csv.GetDeletionTimestamp())
	}
	if left := s.related(t); len(left) != 3 {
		t.Errorf("what installs it has changed: %q", left)
	}
	s.has(t, s.all()...)
	s.operate(t, 0)
	must(t, startControllers(t.Context()))
	_, _, code = run(t, shared.Admin, args...)
	ends(t, code, 0, "", "")
	s.gone(t)
	s.has(t, s.kept()...)
}

// What Steward said of an earlier opt-in does not count: rights that are not held are waited for.
func TestDisruption_RightsOfAnEarlierOptIn(t *testing.T) {
	s := newScene(t)
	s.operands(t)
	held := func(want bool) {
		eventually(t, func() error {
			role, err := shared.Any.Resource(olm.ClusterRoles).Get(t.Context(), s.namespace, metav1.GetOptions{})
			if err == nil && slices.Contains(role.GetFinalizers(), holdFinalizer) != want {
				err = fmt.Errorf("finalizers %q", role.GetFinalizers())
			}
			return err
		})
	}
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
	}))
	held(true)
	eventually(t, func() error {
		if !strings.Contains(fmt.Sprint(s.see(t).Object["status"]), "RightsHeld") {
			return fmt.Errorf("it is not said that the rights are held")
		}
		return nil
	})
	_, _, code := run(t, shared.Admin, "abort", csvName, "-n", s.namespace, "--yes")
	ends(t, code, 0, "", "")
	held(false)
	must(t, reconciling.Stop())
	args := []string{"uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--no-save"}
	_, stderr, code := run(t, shared.Admin, append(args, "--timeout=3s")...)
	ends(t, code, 4, stderr, "not ready within 3s")
	if s.see(t).GetDeletionTimestamp() != nil {
		t.Error("deleted without rights")
	}
	must(t, startControllers(t.Context()))
	s.operate(t, 0)
	_, _, code = run(t, shared.Admin, args...)
	ends(t, code, 0, "", "")
	s.gone(t)
}

// Every process may end in the middle: the plugin, the controllers, Steward's API server, the kube-apiserver.
func TestDisruption_EndsMidway(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "saved")
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	args := []string{"uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--save", folder}
	first := start(t, shared.Admin, args...)
	s.deleting(t)
	first.kill()
	if files := count(t, folder); files != 3 {
		t.Errorf("%d files saved, want 3", files)
	}

	second := start(t, shared.Admin, args...)
	eventually(t, func() error {
		if second.stdout.String() == "" {
			return fmt.Errorf("it has not begun")
		}
		return nil
	})
	reconciling.Kill()
	must(t, startControllers(t.Context()))
	steward.Kill()
	must(t, steward.Start())
	must(t, steward.WaitReady(t.Context()))
	shared.KillAPIServer()
	time.Sleep(2 * time.Second) // whoever looks now finds nobody
	must(t, shared.StartAPIServer(t.Context()))
	must(t, shared.WaitAvailable(t.Context()))
	s.operate(t, 0)
	stdout, stderr, code := second.wait(t)
	t.Logf("%s%s", stdout, stderr)
	if code == 4 {
		// It took longer than a stall does.
		eventually(t, func() error {
			if _, _, code = run(t, shared.Admin, append(args, "--ignore-not-found")...); code != 0 {
				return fmt.Errorf("exit code %d", code)
			}
			return nil
		})
	}
	ends(t, code, 0, "", "")
	s.gone(t)
	s.has(t, s.kept()...)
	if files := count(t, folder); files != 3 {
		t.Errorf("%d files saved, want 3", files)
	}
}

// Killed again and again, wherever it is just then, it comes to the same end.
func TestDisruption_KilledOften(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "saved")
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	s.operate(t, 200*time.Millisecond)
	args := []string{"uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--ignore-not-found", "--save", folder}
	for life := 20 * time.Millisecond; life < 600*time.Millisecond; life += 30 * time.Millisecond {
		p := start(t, shared.Admin, args...)
		select {
		case <-p.done:
		case <-time.After(life):
			p.kill()
		}
	}
	_, _, code := run(t, shared.Admin, args...)
	ends(t, code, 0, "", "")
	s.gone(t)
	s.has(t, s.kept()...)
	if files := count(t, folder); files != 3 {
		t.Errorf("%d files saved, want 3", files)
	}
}
