package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

// optedIn is how many operators are opted in and stay.
const optedIn = 50

// theUninstalls is a control plane without copies: how fast the guards are read depends on them (docs/performance.md).
func (b *bench) theUninstalls(ctx context.Context) (*stage.Uninstalls, error) {
	if b.uninstalls == nil {
		b.noUninstalls = b.setUp(ctx, func(ctx context.Context) (err error) {
			b.uninstalls, err = stage.StartUninstalls(ctx, b.dir, b.operators, b.namespaces, optedIn, b.say)
			return err
		})
		if b.noUninstalls != nil && b.uninstalls.Cluster != nil {
			b.uninstalls.DumpLogs(os.Stderr, 10)
		}
	}
	return b.uninstalls, b.noUninstalls
}

// deletion is one contestant's run.
type deletion struct {
	count int
	usage load.Usage
}

func (d deletion) rate() float64 { return float64(d.count) / d.usage.Wall.Seconds() }
func (d deletion) cost() float64 { return d.usage.Server.Seconds() * 1000 / float64(d.count) }

// own is what the plain deleter itself took.
func (d deletion) own() float64 { return d.usage.Generator.Seconds() * 1000 / float64(d.count) }

// cleanup compares an uninstallation with a plain program that deletes as many custom resources: half of them before, and
// half after, so that both meet the same server in the mean.
func (b *bench) cleanup(ctx context.Context) (lines []report.Line, err error) {
	u, err := b.theUninstalls(ctx)
	if err != nil {
		return nil, err
	}
	controllers, err := u.Run(ctx, "controllers")
	defer func() { err = errors.Join(err, ended(controllers)) }()
	if err != nil {
		return nil, err
	}
	atRest, err := load.MemoryOf(controllers.Pid())
	if err != nil {
		return nil, err
	}
	b.say("making %d custom resources of each of two kinds", b.operands)
	if err := u.Fill(ctx, b.operands, stage.Owned, stage.Plain); err != nil {
		return nil, err
	}
	known := append(u.Processes(), controllers.Pid())
	measure := func(count int, do func() error) (deletion, error) {
		meter, err := load.StartMeter(u.Processes(), known)
		if err != nil {
			return deletion{}, err
		}
		if err := do(); err != nil {
			return deletion{}, err
		}
		usage, err := meter.Stop()
		return deletion{count, usage}, err
	}
	plainly := func() (deletion, error) {
		return measure(b.operands/2, func() error { return u.DeletePlainly(ctx, b.operands/2) })
	}
	before, err := plainly()
	if err != nil {
		return nil, err
	}
	own, err := load.StartMeter([]int{controllers.Pid()}, nil)
	if err != nil {
		return nil, err
	}
	ours, err := measure(b.operands, func() error { return u.Uninstall(ctx) })
	if err != nil {
		return nil, err
	}
	used, err := own.Stop()
	if err != nil {
		return nil, err
	}
	memory, err := load.MemoryOf(controllers.Pid())
	if err != nil {
		return nil, err
	}
	after, err := plainly()
	if err != nil {
		return nil, err
	}
	if left, err := u.Left(ctx); err != nil || left > 0 {
		return nil, errors.Join(err, fmt.Errorf("the operator is gone, %d of its custom resources are not", left))
	}
	requests, err := requestsOf(ctx, controllers)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%d CRs in %d namespaces, beside %d operators", b.operands, len(u.Namespaces), optedIn)
	peer := fmt.Sprintf("plain deleter, %d at a time", stage.Concurrent)
	return shares([]report.Line{
		{What: what, Unit: "CRs/s", Ours: report.Series{ours.rate()},
			Peer: report.Series{before.rate(), after.rate()}, PeerName: peer, Goal: report.AtLeast(0.9),
			Note: fmt.Sprintf("from the DELETE of the ClusterServiceVersion until it was gone: %.1f s; the plain deleter's halves took %.1f and %.1f s; requests of the controllers %s",
				ours.usage.Wall.Seconds(), before.usage.Wall.Seconds(), after.usage.Wall.Seconds(), requests)},
		{What: what + ", CPU of kube-apiserver and etcd", Unit: "ms/CR", Ours: report.Series{ours.cost()},
			Peer: report.Series{before.cost(), after.cost()}, PeerName: peer},
		{What: what + ", CPU of whoever deletes", Unit: "ms/CR", Ours: report.Series{used.Server.Seconds() * 1000 / float64(b.operands)},
			Peer: report.Series{before.own(), after.own()}, PeerName: peer},
		{What: what + ", the most that was resident", Unit: "MiB", Ours: report.Series{float64(memory.Peak) / mebibyte},
			Goal: report.Within(60), Note: fmt.Sprintf("%.1f MiB before, and at most %.1f until then", float64(atRest.Resident)/mebibyte, float64(atRest.Peak)/mebibyte)},
	}, ours.usage), nil
}

// requestsOf is how many requests the controllers ever sent, by method and code.
func requestsOf(ctx context.Context, controllers *cluster.Controllers) (string, error) {
	_, text, err := controllers.Get(ctx, "/metrics")
	var found []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "rest_client_requests_total"); ok {
			found = append(found, rest)
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", "), err
}

// cleanupIdle measures controllers that have nothing to do: longer than they wait between two sweeps of what they hold.
func (b *bench) cleanupIdle(ctx context.Context) (lines []report.Line, err error) {
	u, err := b.theUninstalls(ctx)
	if err != nil {
		return nil, err
	}
	controllers, err := u.Run(ctx, "controllers-idle")
	defer func() { err = errors.Join(err, ended(controllers)) }()
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, 2*settle); err != nil {
		return nil, err
	}
	before, err := u.Written()
	if err != nil {
		return nil, err
	}
	meter, err := load.StartMeter([]int{controllers.Pid()}, u.Processes())
	if err != nil {
		return nil, err
	}
	if err := sleep(ctx, b.idleFor); err != nil {
		return nil, err
	}
	usage, err := meter.Stop()
	if err != nil {
		return nil, err
	}
	after, err := u.Written()
	if err != nil {
		return nil, err
	}
	memory, err := load.MemoryOf(controllers.Pid())
	if err != nil {
		return nil, err
	}
	writes, renewals, which := difference(before, after)
	what := fmt.Sprintf("%d operators opted in, %s", optedIn, b.idleFor)
	return shares([]report.Line{
		{What: what + ": writes, but for renewals of the Lease", Unit: "writes", Ours: report.Series{float64(writes)}, Goal: report.Within(0),
			Note: fmt.Sprintf("%d renewals; others: %s", renewals, which)},
		{What: what + ": CPU", Unit: "% of a core", Ours: report.Series{100 * usage.Server.Seconds() / usage.Wall.Seconds()}, Goal: report.Within(1)},
		{What: what + ": resident", Unit: "MiB", Ours: report.Series{float64(memory.Resident) / mebibyte}},
	}, usage), nil
}

// difference is how much was written between two readings, apart from renewals of Leases.
func difference(before, after map[string]int) (writes, renewals int, which string) {
	var names []string
	for name, now := range after {
		more := now - before[name]
		switch {
		case more == 0:
		case strings.HasSuffix(name, " leases"):
			renewals += more
		default:
			writes += more
			names = append(names, fmt.Sprintf("%d × %s", more, name))
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return writes, renewals, strings.Join(names, ", ")
}

func ended(controllers *cluster.Controllers) error {
	if controllers == nil || controllers.Process == nil {
		return nil
	}
	return controllers.Stop()
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
