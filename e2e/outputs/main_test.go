// Package outputs_test proves what `kubectl steward` prints for programs: on standard output nothing but what was asked for, and
// templates of jsonpath as client-go has them. It runs on `steward up` with the examples.
package outputs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
)

const patience = check.Patience

var up *embedded.Up

func TestMain(m *testing.M) { os.Exit(withUp(m.Run)) }

// withUp runs the tests beside a `steward up`.
func withUp(tests func() int) int {
	data, err := os.MkdirTemp("", "steward-outputs-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(data)
	root, err := cluster.Root()
	if err != nil {
		panic(err)
	}
	if up, err = embedded.Start(filepath.Join(data, "up"), "--load", filepath.Join(root, "examples")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := tests()
	if err := up.Stop(patience); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// run runs `steward kubectl ARGS` on a kubeconfig, into pipes.
func run(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	binary, err := cluster.Binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, binary, append([]string{"kubectl"}, args...)...)
	command.Dir = t.TempDir()
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + command.Dir, "PATH=/usr/bin:/bin"}
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err = command.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), said.String(), command.ProcessState.ExitCode()
}

// prints is the standard output of a run that ends well.
func prints(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := run(t, up.Kubeconfig, args...)
	if code != 0 {
		t.Fatalf("%s: %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}
