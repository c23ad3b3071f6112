// Package controllers_test proves what `steward controllers` promises, on a control plane of its own: what works here is
// otherwise OLM's part.
package controllers_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	controllersNamespace = "steward-system"
	controllersLease     = "steward-controllers"
	masterStatus         = `leader_election_master_status{name="steward-controllers"}`
)

// leaseSeconds is how long a Lease lasts; a leader on a busy machine has that long to renew it, but for two seconds.
const leaseSeconds = 10

var (
	must       = check.Must
	eventually = check.Eventually
)

// A mistake on the command line is one sentence and exit code 2.
func TestFlags(t *testing.T) {
	for _, row := range []struct{ flags, want string }{
		{"--reconcilers=nope", `steward controllers: --reconcilers: there is no "nope"; known are: `},
		{"--feature-gates=Nope=true", `steward controllers: --feature-gates: unknown feature gate "Nope"`},
		{"--leader-elect-lease-duration=5s", "steward controllers: --leader-elect: the renew deadline must be shorter"},
		{"--tls-min-version=VersionTLS11", `steward controllers: --tls-min-version: "VersionTLS11" is neither`},
		{"--tls-cipher-suites=NULL", `steward controllers: --tls-cipher-suites: there is no "NULL"`},
		{"--metrics-bind-address=here", `steward controllers: --metrics-bind-address: "here" is no IP address and port`},
	} {
		command := exec.Command(binary(t), "controllers", "--reconcilers=operator-groups", row.flags)
		out, err := command.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%s: %v, want exit code 2", row.flags, err)
		}
		if text := string(out); !strings.HasPrefix(text, row.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %q", row.flags, text)
		}
	}
}

func binary(t *testing.T) string {
	t.Helper()
	path, err := cluster.Binary()
	must(t, err)
	return path
}

// Of several processes one works, and when it is gone another does. The steps stand on each other.
func TestElection(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	e := &election{cluster: c}
	t.Cleanup(func() {
		if t.Failed() {
			for _, p := range e.processes {
				t.Logf("%s:\n%s", p.Name, p.Tail(40))
			}
		}
		for _, p := range e.processes {
			p.Kill()
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	root, err := cluster.Root()
	must(t, err)
	must(t, olm.InstallCRDs(t.Context(), c.Any, root))
	must(t, olm.Create(t.Context(), c.Any, olm.Namespace(controllersNamespace), olm.Namespace("ops")))
	e.run(t)
	e.run(t)
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"OneWorks", e.oneWorks},
		{"AKilledLeaderIsFollowed", e.aKilledLeaderIsFollowed},
		{"AStoppedLeaderLetsGoAtOnce", e.aStoppedLeaderLetsGoAtOnce},
		{"AHangingLeaderIsDeposed", e.aHangingLeaderIsDeposed},
	} {
		if !t.Run(step.name, step.run) {
			return
		}
	}
}

type election struct {
	cluster   *cluster.Cluster
	processes []*cluster.Controllers
	groups    int
}

func (e *election) run(t *testing.T) *cluster.Controllers {
	t.Helper()
	p, err := e.cluster.RunControllers(t.Context(), fmt.Sprintf("controllers-%d", len(e.processes)),
		"--reconcilers=operator-groups", fmt.Sprintf("--leader-elect-lease-duration=%ds", leaseSeconds),
		fmt.Sprintf("--leader-elect-renew-deadline=%ds", leaseSeconds-2), "--leader-elect-retry-period=300ms")
	if p != nil {
		e.processes = append(e.processes, p)
	}
	must(t, err)
	return p
}

// leader waits until exactly one process that runs leads, and the Lease says the same.
func (e *election) leader(t *testing.T) *cluster.Controllers {
	t.Helper()
	var leader *cluster.Controllers
	took := eventually(t, func() error {
		leading := 0
		for _, p := range e.processes {
			if !p.Running() {
				continue
			}
			value, err := p.Metric(t.Context(), masterStatus)
			if err != nil {
				return err
			}
			if value == 1 {
				leading++
				leader = p
			}
		}
		if leading != 1 {
			return fmt.Errorf("%d lead", leading)
		}
		return nil
	})
	t.Logf("%s leads after %s", leader.Name, took.Round(time.Millisecond))
	return leader
}

func (e *election) lease(t *testing.T) coordinationv1.LeaseSpec {
	t.Helper()
	lease, err := e.cluster.Kube.CoordinationV1().Leases(controllersNamespace).Get(t.Context(), controllersLease, metav1.GetOptions{})
	must(t, err)
	return lease.Spec
}

// works makes an OperatorGroup and waits until somebody has written its status.
func (e *election) works(t *testing.T) {
	t.Helper()
	e.groups++
	name := fmt.Sprintf("group-%d", e.groups)
	must(t, olm.Create(t.Context(), e.cluster.Any, olm.OperatorGroup("ops", name, "b", "a")))
	took := eventually(t, func() error {
		group, err := e.cluster.Any.Resource(olm.OperatorGroups).Namespace("ops").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		said, _, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces")
		if !slices.Equal(said, []string{"a", "b"}) {
			return fmt.Errorf("status.namespaces is %q", said)
		}
		return nil
	})
	t.Logf("reconciled after %s", took.Round(time.Millisecond))
}

func (e *election) oneWorks(t *testing.T) {
	leader := e.leader(t)
	e.works(t)
	if lease := e.lease(t); *lease.HolderIdentity == "" || *lease.LeaseTransitions != 0 {
		t.Errorf("the Lease is held by %q after %d transitions", *lease.HolderIdentity, *lease.LeaseTransitions)
	}
	const done = `controller_runtime_reconcile_total{controller="operator-groups",result="success"}`
	// What it has written is seen before it has counted that.
	eventually(t, func() error {
		value, err := leader.Metric(t.Context(), done)
		if err == nil && value == 0 {
			err = fmt.Errorf("%s = 0", done)
		}
		return err
	})
	for _, p := range e.processes {
		if p == leader {
			continue
		}
		if value, err := p.Metric(t.Context(), done); err != nil || value != 0 {
			t.Errorf("who does not lead: %s = %v, %v", done, value, err)
		}
		if code, body, err := p.Get(t.Context(), "/readyz"); code != 200 {
			t.Errorf("who does not lead is ready all the same: %d %q %v", code, body, err)
		}
	}
}

func (e *election) aKilledLeaderIsFollowed(t *testing.T) {
	e.leader(t).Kill()
	before := e.lease(t)
	e.works(t)
	e.leader(t)
	after := e.lease(t)
	if *after.HolderIdentity == *before.HolderIdentity || *after.LeaseTransitions != *before.LeaseTransitions+1 {
		t.Errorf("the Lease is held by %q after %d transitions", *after.HolderIdentity, *after.LeaseTransitions)
	}
	// By what both wrote themselves.
	if took := after.AcquireTime.Sub(before.RenewTime.Time); took < (leaseSeconds-1)*time.Second {
		t.Errorf("followed after %s: a dead leader cannot be told from one that is only slow so soon", took)
	}
}

func (e *election) aStoppedLeaderLetsGoAtOnce(t *testing.T) {
	other := e.run(t)
	stopped := e.leader(t)
	if stopped == other {
		t.Fatal("a newcomer leads")
	}
	before := e.lease(t)
	must(t, stopped.Stop())
	if code := stopped.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	// Whoever looks next may take it.
	if holder := *e.lease(t).HolderIdentity; holder == *before.HolderIdentity {
		t.Errorf("the Lease is still held by %q", holder)
	}
	if leader := e.leader(t); leader != other {
		t.Errorf("%s leads", leader.Name)
	}
	e.works(t)
	if transitions := *e.lease(t).LeaseTransitions; transitions != *before.LeaseTransitions+1 {
		t.Errorf("%d transitions", transitions)
	}
}

func (e *election) aHangingLeaderIsDeposed(t *testing.T) {
	other := e.run(t)
	hanging := e.leader(t)
	must(t, hanging.Pause())
	eventually(t, func() error {
		value, err := other.Metric(t.Context(), masterStatus)
		if err == nil && value != 1 {
			err = errors.New("does not lead")
		}
		return err
	})
	e.works(t)
	// It wakes up, and knows.
	must(t, hanging.Resume())
	if leader := e.leader(t); leader != other {
		t.Errorf("%s leads", leader.Name)
	}
	if !hanging.Running() {
		t.Error("the deposed leader ended")
	}
	must(t, other.Stop())
	if leader := e.leader(t); leader != hanging {
		t.Errorf("%s leads", leader.Name)
	}
	e.works(t)
	must(t, hanging.Stop())
	if holder := *e.lease(t).HolderIdentity; holder != "" {
		t.Errorf("the Lease is still held by %q", holder)
	}
}
