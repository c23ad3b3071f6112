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
	command := exec.CommandContext(ctx, filepath.Join(c.paths.tools, "kubectl"), args...)
	// A bare environment: neither the developer's kubeconfig nor their kubectl settings may leak in.
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + c.Dir, "PATH=/usr/bin:/bin"}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// KubectlDir is the folder of the kubectl in use.
func (c *Cluster) KubectlDir() string { return c.paths.tools }
