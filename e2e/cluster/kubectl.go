package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs kubectl as the cluster administrator and returns what it printed.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	return c.KubectlAs(ctx, c.Admin, args...)
}

// KubectlAs runs kubectl with a kubeconfig. An error carries what kubectl said on stderr.
func (c *Cluster) KubectlAs(ctx context.Context, kubeconfig string, args ...string) (string, error) {
	return runKubectl(ctx, c.paths.tools, c.Dir, kubeconfig, nil, args...)
}

// KubectlDir is the folder of the kubectl in use.
func (c *Cluster) KubectlDir() string { return c.paths.tools }

// RunKubectl runs kubectl against any server, with home as its home directory and more in its environment.
func RunKubectl(ctx context.Context, home, kubeconfig string, more []string, args ...string) (string, error) {
	paths, err := findPaths()
	if err != nil {
		return "", err
	}
	return runKubectl(ctx, paths.tools, home, kubeconfig, more, args...)
}

// runKubectl runs the kubectl of the folder tools with home as its home directory, and more in its environment.
func runKubectl(ctx context.Context, tools, home, kubeconfig string, more []string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(tools, "kubectl"), args...)
	// A bare environment: neither the developer's kubeconfig nor their kubectl settings may leak in.
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + home, "PATH=/usr/bin:/bin"}
	command.Env = append(command.Env, more...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
