// Package realolm_test holds Steward to the real olm-operator, built from a checkout of operator-lifecycle-manager that
// STEWARD_OLM_SOURCE names; without it every test is skipped. Nothing of OLM is in this tree: its definitions come from the
// checkout as well. Played are only the kubelet, InstallPlans and the operators themselves (actors_test.go, bundle_test.go).
//
// Each test has a cluster of its own, so that each can run alone and none sees another's copies.
package realolm_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"steward.dev/e2e/check"
)

// sourceVariable names a checkout of operator-lifecycle-manager.
const sourceVariable = "STEWARD_OLM_SOURCE"

// uninstallsAtATime is how many operators come and go at a time.
const uninstallsAtATime = "8"

// binaries is where olm-operator is built to.
var binaries string

var (
	must       = check.Must
	eventually = check.Eventually
)

func TestMain(m *testing.M) {
	flag.Parse()
	err := flag.Set("test.parallel", uninstallsAtATime)
	if err == nil {
		binaries, err = os.MkdirTemp("", "steward-e2e-realolm-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "setting up:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(binaries); err != nil {
		fmt.Fprintln(os.Stderr, "tidying up:", err)
		code = 1
	}
	os.Exit(code)
}

// source is the checkout. Without one the test is skipped.
func source(t *testing.T) string {
	t.Helper()
	path := os.Getenv(sourceVariable)
	if path == "" {
		t.Skipf("the real olm-operator was not run: %s names no checkout of operator-lifecycle-manager", sourceVariable)
	}
	absolute, err := filepath.Abs(path)
	must(t, err)
	return absolute
}

// build builds olm-operator once, from vendored sources: nothing is downloaded.
var build = sync.OnceValues(func() (string, error) {
	out := filepath.Join(binaries, "olm-operator")
	command := exec.Command("go", "build", "-mod=vendor", "-ldflags=-s -w", "-o", out, "./cmd/olm")
	command.Dir = os.Getenv(sourceVariable)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOPROXY=off")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building olm-operator: %w: %s", err, text)
	}
	return out, nil
})
