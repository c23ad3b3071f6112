package plugin_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// plugin is a run of `kubectl steward`, or one that is still going on.
type plugin struct {
	cmd            *exec.Cmd
	stdout, stderr buffer
	done           chan struct{}
}

// buffer can be read while it is written to.
type buffer struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.Write(p)
}

func (b *buffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.String()
}

// command is `kubectl steward ARGS` with a kubeconfig, and a bare environment but for more.
func command(t *testing.T, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(shared.KubectlDir(), "kubectl"), append([]string{"steward"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + cmd.Dir, "PATH=" + pluginDir + ":/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// start runs it with pipes for input and output.
func start(t *testing.T, kubeconfig string, args ...string) *plugin {
	t.Helper()
	p := &plugin{cmd: command(t, kubeconfig, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	must(t, p.cmd.Start())
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	t.Cleanup(p.kill)
	return p
}

// kill ends it as a crash would.
func (p *plugin) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// wait is for its end, with what it said and its exit code.
func (p *plugin) wait(t *testing.T) (stdout, stderr string, code int) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(2 * patience):
		t.Fatalf("still running; it said\n%s\n%s", p.stdout.String(), p.stderr.String())
	}
	return p.stdout.String(), p.stderr.String(), p.cmd.ProcessState.ExitCode()
}

// run is start and wait.
func run(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	stdout, stderr, code = start(t, kubeconfig, args...).wait(t)
	t.Logf("kubectl steward %s: %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	return stdout, stderr, code
}

// report is run with -o json, and the document that came of it.
func report(t *testing.T, kubeconfig string, want int, args ...string) map[string]any {
	t.Helper()
	stdout, stderr, code := run(t, kubeconfig, append(args, "-o", "json")...)
	if code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
	var document map[string]any
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if int(document["exitCode"].(float64)) != code {
		t.Errorf("exit code %d, but in the document %v", code, document["exitCode"])
	}
	return document
}

// ends checks an exit code and that a text was said.
func ends(t *testing.T, code, want int, said, contains string) {
	t.Helper()
	if code != want || !strings.Contains(said, contains) {
		t.Errorf("exit code %d, want %d; %q not in\n%s", code, want, contains, said)
	}
}

// count is the number of saved files.
func count(t *testing.T, folder string) (files int) {
	t.Helper()
	must(t, filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files++
			if info.Mode().Perm() != 0o600 {
				err = errors.New(path + " can be read by others")
			}
		}
		return err
	}))
	return files
}
