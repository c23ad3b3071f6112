// Package node runs a real Kubernetes of one node, pods included: kubelet, containerd, kube-proxy, CoreDNS, NetworkPolicies and a
// control plane, in namespaces of their own (node.sh).
package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/cluster"
)

// ErrUnable is why a machine cannot be a node.
var ErrUnable = errors.New("this machine cannot be a node")

// Node is a running one. Its methods may be called from several goroutines.
type Node struct {
	State      string // its folder
	Kubeconfig string // of an administrator, for programs on this machine
	Config     *rest.Config
	Viewer     *rest.Config // of a user who has the rights that are given to "viewer", and those of every authenticated user
	Kube       kubernetes.Interface
	Any        dynamic.Interface

	script  string
	process *cluster.Process
}

// Build makes what a node consists of, which takes minutes at first. ErrUnable says why a machine cannot be one.
func Build(ctx context.Context) error {
	script, err := findScript()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, script, "build")
	out, err := command.CombinedOutput()
	if command.ProcessState != nil && command.ProcessState.ExitCode() == 2 {
		return fmt.Errorf("%w: %s", ErrUnable, strings.TrimSpace(string(out)))
	}
	if err != nil {
		return fmt.Errorf("building a node: %w: %s", err, out)
	}
	return nil
}

// Start runs a node that has the images of these archives, and returns once pods can be made on it.
func Start(ctx context.Context, images ...string) (n *Node, err error) {
	script, err := findScript()
	if err != nil {
		return nil, err
	}
	state, err := os.MkdirTemp("", "steward-node-")
	if err != nil {
		return nil, err
	}
	n = &Node{State: state, Kubeconfig: filepath.Join(state, "kubeconfig"), script: script}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Stop())
		}
	}()
	if err := n.boot(ctx, append([]string{"run", state}, images...)...); err != nil {
		return n, err
	}
	if n.Config, err = cluster.ClientFor(n.Kubeconfig); err != nil {
		return n, err
	}
	n.Config.QPS = -1
	if n.Viewer, err = cluster.ClientFor(filepath.Join(state, "viewer.kubeconfig")); err != nil {
		return n, err
	}
	if n.Kube, err = kubernetes.NewForConfig(n.Config); err != nil {
		return n, err
	}
	n.Any, err = dynamic.NewForConfig(n.Config)
	return n, err
}

// boot runs the script that becomes the node, and returns once pods can be made.
func (n *Node) boot(ctx context.Context, args ...string) error {
	logs, err := os.MkdirTemp("", "steward-node-log-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(logs)
	if n.process, err = cluster.Spawn(logs, "node", n.script, args...); err != nil {
		return err
	}
	for !exists(filepath.Join(n.State, "ready")) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.process.Exited():
			return fmt.Errorf("the node ended: %s", n.process.Tail(20))
		case <-time.After(100 * time.Millisecond):
		}
		if exists(filepath.Join(n.State, "failed")) || exists(filepath.Join(n.State, "died")) {
			return errors.New("the node does not start")
		}
	}
	return nil
}

// Reboot ends every process of the node at once, as when its power fails, and starts it again with what is on its disk.
func (n *Node) Reboot(ctx context.Context) error {
	n.process.Kill()
	for _, old := range []string{"ready", "failed", "died"} {
		if err := os.Remove(filepath.Join(n.State, old)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return n.boot(ctx, "reboot", n.State)
}

// Stop ends every process of the node, and removes what it was.
func (n *Node) Stop() error {
	n.process.Kill()
	out, err := exec.Command(n.script, "clean", n.State).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cleaning up a node: %w: %s", err, out)
	}
	return nil
}

// Kubectl runs kubectl on this machine as an administrator of the node.
func (n *Node) Kubectl(ctx context.Context, args ...string) (string, error) {
	return cluster.RunKubectl(ctx, n.State, n.Kubeconfig, nil, args...)
}

// Exec runs a command in the node, and returns what it printed.
func (n *Node) Exec(ctx context.Context, command ...string) (string, error) {
	run := exec.CommandContext(ctx, n.script, append([]string{"exec", n.State}, command...)...)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

// Logs are the ends of what the node's programs said.
func (n *Node) Logs(lines int) string {
	var all strings.Builder
	for _, name := range []string{"failed", "died"} {
		if text, err := os.ReadFile(filepath.Join(n.State, name)); err == nil {
			fmt.Fprintf(&all, "== %s\n%s", name, text)
		}
	}
	files, _ := filepath.Glob(filepath.Join(n.State, "log", "*.log"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		ends := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&all, "== %s\n%s\n", filepath.Base(file), strings.Join(ends[max(0, len(ends)-lines):], "\n"))
	}
	return all.String()
}

func findScript() (string, error) {
	root, err := cluster.Root()
	return filepath.Join(root, "e2e", "node", "node.sh"), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
