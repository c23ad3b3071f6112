package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Kubectl runs kubectl as the cluster administrator and returns what it printed.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	return c.KubectlAs(ctx, c.Admin, args...)
}

// KubectlAs runs kubectl with a kubeconfig. An error carries what kubectl said on stderr.
func (c *Cluster) KubectlAs(ctx context.Context, kubeconfig string, args ...string) (string, error) {
	return runKubectl(ctx, c.paths.tools, c.Dir, kubeconfig, nil, args...)
}

// FollowAs starts a kubectl that goes on by itself, such as `get --watch`.
func (c *Cluster) FollowAs(ctx context.Context, kubeconfig string, args ...string) (*Following, error) {
	return follow(ctx, c.paths.tools, c.Dir, kubeconfig, args...)
}

// KubectlDir is the folder of the kubectl in use.
func (c *Cluster) KubectlDir() string { return c.paths.tools }

// KubectlPath is the kubectl in use, for who runs it in another way.
func KubectlPath() (string, error) {
	paths, err := findPaths()
	return filepath.Join(paths.tools, "kubectl"), err
}

// RunKubectl runs kubectl against any server, with home as its home directory and more in its environment.
func RunKubectl(ctx context.Context, home, kubeconfig string, more []string, args ...string) (string, error) {
	paths, err := findPaths()
	if err != nil {
		return "", err
	}
	return runKubectl(ctx, paths.tools, home, kubeconfig, more, args...)
}

// FollowKubectl is FollowAs against any server, with home as its home directory.
func FollowKubectl(ctx context.Context, home, kubeconfig string, args ...string) (*Following, error) {
	paths, err := findPaths()
	if err != nil {
		return nil, err
	}
	return follow(ctx, paths.tools, home, kubeconfig, args...)
}

// Following is a kubectl that goes on until it is stopped, or the context that it was started in ends.
type Following struct {
	command *exec.Cmd
	stderr  bytes.Buffer

	mutex  sync.Mutex
	stdout bytes.Buffer
}

func follow(ctx context.Context, tools, home, kubeconfig string, args ...string) (*Following, error) {
	f := &Following{command: kubectlCommand(ctx, tools, home, kubeconfig, nil, args...)}
	f.command.Stdout, f.command.Stderr = f, &f.stderr
	return f, f.command.Start()
}

// Write takes what it prints.
func (f *Following) Write(p []byte) (int, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.stdout.Write(p)
}

// Said is what it has printed so far.
func (f *Following) Said() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.stdout.String()
}

// Stop ends it, and returns an error if it had ended by itself or the server had refused something.
func (f *Following) Stop() error {
	_ = f.command.Process.Kill()
	_ = f.command.Wait()
	if f.command.ProcessState.ExitCode() != -1 || strings.Contains(f.stderr.String(), "rror from server") {
		return fmt.Errorf("%s: %s: %s", strings.Join(f.command.Args, " "), f.command.ProcessState, f.stderr.String())
	}
	return nil
}

// runKubectl runs the kubectl of the folder tools with home as its home directory, and more in its environment.
func runKubectl(ctx context.Context, tools, home, kubeconfig string, more []string, args ...string) (string, error) {
	command := kubectlCommand(ctx, tools, home, kubeconfig, more, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// kubectlCommand has a bare environment: neither the developer's kubeconfig nor their kubectl settings may leak in.
func kubectlCommand(ctx context.Context, tools, home, kubeconfig string, more []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(tools, "kubectl"), args...)
	command.Env = append([]string{"KUBECONFIG=" + kubeconfig, "HOME=" + home, "PATH=/usr/bin:/bin"}, more...)
	return command
}
