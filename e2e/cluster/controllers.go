package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Controllers is one `steward controllers` process.
type Controllers struct {
	*Process
	metrics, probes int // ports
}

// RunControllers starts `steward controllers` as the cluster's administrator, with ports for its metrics and probes, and
// waits until it is ready. Metrics are plain, unless a flag says something else: tests read them often, and what the cluster
// is asked for is to be only what they are about. The caller ends it.
func (c *Cluster) RunControllers(ctx context.Context, name string, flags ...string) (*Controllers, error) {
	return c.RunControllersAs(ctx, c.Admin, name, flags...)
}

// RunControllersAs is RunControllers for whoever a kubeconfig stands for.
func (c *Cluster) RunControllersAs(ctx context.Context, kubeconfig, name string, flags ...string) (*Controllers, error) {
	return c.RunControllersOf(ctx, c.paths.steward, kubeconfig, name, flags...)
}

// RunControllersOf is RunControllersAs of any build's program.
func (c *Cluster) RunControllersOf(ctx context.Context, program, kubeconfig, name string, flags ...string) (*Controllers, error) {
	return c.runControllers(ctx, []string{program}, kubeconfig, name, flags...)
}

// FakeTime is the library that shows a program another time, "" where it is not installed.
func FakeTime() string {
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// RunControllersAt is RunControllersAs on a machine whose clock goes before the cluster's by so much, or behind it. It needs FakeTime.
func (c *Cluster) RunControllersAt(ctx context.Context, skew time.Duration, kubeconfig, name string, flags ...string) (*Controllers, error) {
	command := []string{c.paths.steward}
	if skew != 0 {
		// As this process itself, and not as a child that outlives it.
		command = append([]string{
			"env", "LD_PRELOAD=" + FakeTime(), fmt.Sprintf("FAKETIME=%+d", int(skew.Seconds())), "FAKETIME_DONT_FAKE_MONOTONIC=1",
		}, command...)
	}
	return c.runControllers(ctx, command, kubeconfig, name, flags...)
}

func (c *Cluster) runControllers(ctx context.Context, command []string, kubeconfig, name string, flags ...string) (*Controllers, error) {
	controllers := &Controllers{}
	var err error
	for _, port := range []*int{&controllers.metrics, &controllers.probes} {
		if *port, err = freePort(); err != nil {
			return nil, err
		}
	}
	args := append(command[1:], "controllers", "--kubeconfig="+kubeconfig, "--metrics-bind-address="+loopback(controllers.metrics),
		"--metrics-secure=false", "--health-probe-bind-address="+loopback(controllers.probes))
	controllers.Process, err = startProcess(name, filepath.Join(c.Dir, name+".log"), command[0], append(args, flags...)...)
	if err != nil {
		return nil, err
	}
	return controllers, controllers.waitReady(ctx)
}

// RunCleanup starts the one process that cleans up, under a name of its own. Its Lease is short, so that one that was killed
// is soon followed.
func (c *Cluster) RunCleanup(ctx context.Context, kubeconfig string, stallTimeout time.Duration) (*Controllers, error) {
	return c.RunControllersAs(ctx, kubeconfig, "controllers-"+time.Now().Format("150405.000"),
		"--reconcilers=cleanup", "--cleanup-stall-timeout="+stallTimeout.String(), "--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2")
}

// Stop ends the process in order; it is no error if it does not run.
func (s *Controllers) Stop() error { return s.Process.Stop(stopGrace) }

// MetricsAddress is where metrics are served.
func (s *Controllers) MetricsAddress() string { return loopback(s.metrics) }

// Get asks the process itself: /metrics, /healthz, /readyz.
func (s *Controllers) Get(ctx context.Context, path string) (code int, body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	port := s.probes
	if path == "/metrics" {
		port = s.metrics
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+loopback(port)+path, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// Metric is the value of one series, written as in /metrics: name{label="value"}.
func (s *Controllers) Metric(ctx context.Context, series string) (float64, error) {
	_, text, err := s.Get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), series+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("%s: no series %s", s.Name, series)
}

func (s *Controllers) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		code, body, err := s.Get(ctx, "/readyz")
		if err == nil && code == http.StatusOK {
			return nil
		}
		select {
		case <-s.Exited():
			return s.failure()
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %d %s: %w", s.Name, code, body, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
