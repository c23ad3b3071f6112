// Package embedded runs `steward up`: Steward on its own store, without a cluster.
package embedded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"steward.dev/e2e/cluster"
)

// Up is a running `steward up`.
type Up struct {
	Kubeconfig string
	Config     *rest.Config
	Any        dynamic.Interface

	cmd    *exec.Cmd
	stderr *bytes.Buffer
	exited chan error
}

// Start runs `steward up` on a data directory and returns once it says that it is ready. It serves on a port that is
// free unless the flags say another.
func Start(data string, flags ...string) (*Up, error) {
	cmd, err := command(append([]string{"--data-dir", data, "--secure-port", "0"}, flags...))
	if err != nil {
		return nil, err
	}
	up := &Up{cmd: cmd, stderr: &bytes.Buffer{}, exited: make(chan error, 1)}
	cmd.Stderr = up.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	go func() { up.exited <- cmd.Wait() }()
	kubeconfig, isReady := strings.CutPrefix(strings.TrimSpace(line), "ready: kubectl --kubeconfig ")
	if !isReady {
		return nil, fmt.Errorf("steward up said %q and then: %w\n%s", line, up.Kill(), up.stderr)
	}
	up.Kubeconfig, _, _ = strings.Cut(kubeconfig, " ")
	return up, up.connect()
}

func command(flags []string) (*exec.Cmd, error) {
	binary, err := cluster.Binary()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, append([]string{"up"}, flags...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, nil
}

func (u *Up) connect() (err error) {
	if u.Config, err = clientcmd.BuildConfigFromFlags("", u.Kubeconfig); err != nil {
		return err
	}
	u.Config.QPS, u.Config.Burst = 1000, 1000
	u.Any, err = dynamic.NewForConfig(u.Config)
	return err
}

// Stop asks it to end and returns how that went.
func (u *Up) Stop(patience time.Duration) error {
	_ = u.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-u.exited:
		u.exited <- err
		return err
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("still running %s after SIGTERM", patience), u.Kill())
	}
}

// Kill ends it as a crash would.
func (u *Up) Kill() error {
	_ = u.cmd.Process.Kill()
	err := <-u.exited
	u.exited <- err
	return err
}

// Said is what it wrote to its log. Only of one that has ended.
func (u *Up) Said() string { return u.stderr.String() }

// Refuse runs `steward up`, which is to end by itself, and returns its exit code and what it said on stderr.
func Refuse(flags ...string) (int, string, error) {
	cmd, err := command(flags)
	if err != nil {
		return 0, "", err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), stderr.String(), nil
}
