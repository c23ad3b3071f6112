package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

// theFamilies is a control plane with the overlays of operators and install-plans.
func (b *bench) theFamilies(ctx context.Context) (*stage.Families, error) {
	if b.families == nil {
		b.noFamilies = b.setUp(ctx, func(ctx context.Context) (err error) {
			b.families, err = stage.StartFamilies(ctx, b.say)
			return err
		})
		if b.noFamilies != nil && b.families.Cluster != nil {
			b.families.DumpLogs(os.Stderr, 10)
		}
	}
	return b.families, b.noFamilies
}

// written is what one contestant wrote, and what that took.
type written struct {
	objects  int
	took     []time.Duration // one for each round
	usage    load.Usage      // of the last
	costs    report.Series   // CPU of kube-apiserver and etcd, ms for each object
	requests map[string]int  // of the last round
}

func (w *written) rates() (rates report.Series) {
	for _, took := range w.took {
		rates = append(rates, float64(w.objects)/took.Seconds())
	}
	return rates
}

// asked is how often the kube-apiserver was asked for each object.
func (w *written) asked() report.Series {
	total := 0
	for _, count := range w.requests {
		total += count
	}
	return report.Series{float64(total) / float64(w.objects)}
}

// often are the requests of the last round, the most frequent first.
func (w *written) often() string {
	names := slices.SortedFunc(maps.Keys(w.requests), func(a, b string) int {
		return cmp.Or(cmp.Compare(w.requests[b], w.requests[a]), strings.Compare(a, b))
	})
	var text []string
	for _, name := range names[:min(len(names), 6)] {
		text = append(text, fmt.Sprintf("%d × %s", w.requests[name], name))
	}
	return strings.Join(text, ", ")
}

// measure adds one round: do says how long it took.
func (w *written) measure(ctx context.Context, f *stage.Families, known []int, do func() (time.Duration, error)) error {
	before, err := f.Requests(ctx)
	if err != nil {
		return err
	}
	meter, err := load.StartMeter(f.Processes(), known)
	if err != nil {
		return err
	}
	took, err := do()
	if err != nil {
		return err
	}
	if w.usage, err = meter.Stop(); err != nil {
		return err
	}
	w.took = append(w.took, took)
	w.costs = append(w.costs, w.usage.Server.Seconds()*1000/float64(w.objects))
	after, err := f.Requests(ctx)
	if err != nil {
		return err
	}
	w.requests = map[string]int{}
	for name, count := range after {
		if more := count - before[name]; more > 0 && isAsked(name) {
			w.requests[name] = more
		}
	}
	return nil
}

// isAsked leaves out what is asked without anything being written: by this program, and by the server itself.
func isAsked(name string) bool {
	verb, resource, _ := strings.Cut(strings.TrimPrefix(name, "dry "), " ")
	return resource != "" && resource != "leases" && verb != "WATCH" && !strings.HasPrefix(resource, "/")
}

// copiedRBAC compares the copies of operators' Roles and RoleBindings with a plain creator's, in turn.
func (b *bench) copiedRBAC(ctx context.Context) (lines []report.Line, err error) {
	f, err := b.theFamilies(ctx)
	if err != nil {
		return nil, err
	}
	err = b.setUp(ctx, func(ctx context.Context) error { return f.PrepareRBAC(ctx, b.operators, b.namespaces, b.say) })
	if err != nil {
		return nil, err
	}
	ours, plain := &written{objects: f.CopiedRBACObjects()}, &written{objects: f.CopiedRBACObjects()}
	var firsts report.Series
	var peak float64
	for round := range b.rounds {
		b.say("round %d of %d", round+1, b.rounds)
		err := plain.measure(ctx, f, f.Processes(), func() (time.Duration, error) {
			arrival, err := f.CreateRBAC(ctx)
			return arrival.Last, err
		})
		if err != nil {
			return nil, fmt.Errorf("the plain creator: %w", err)
		}
		if err := f.RemoveRBAC(ctx); err != nil {
			return nil, err
		}
		memory, first, err := b.copyRBAC(ctx, f, ours)
		if err != nil {
			return nil, err
		}
		peak = max(peak, memory)
		firsts = append(firsts, first.Seconds())
		if err := f.SameRBAC(ctx); err != nil {
			return nil, err
		}
		if err := f.RemoveRBAC(ctx); err != nil {
			return nil, err
		}
	}
	what := fmt.Sprintf("%d operators × %d namespaces, %d Roles and RoleBindings", len(b.operators.CSVs), b.namespaces, ours.objects)
	peer := fmt.Sprintf("plain creator, %d at a time", stage.RBACWrites)
	return shares([]report.Line{
		{What: what, Unit: "objects/s", Ours: ours.rates(), Peer: plain.rates(), PeerName: peer, Goal: report.AtLeast(0.95),
			Note: fmt.Sprintf("from exec, the first object after %.1f s, until every Role had its rules; ours asked for %s; the plain creator for %s",
				firsts.Median(), ours.often(), plain.often())},
		{What: what + ", requests for each", Unit: "requests", Ours: ours.asked(), Peer: plain.asked(), PeerName: peer},
		{What: what + ", CPU of kube-apiserver and etcd", Unit: "ms/object", Ours: ours.costs, Peer: plain.costs, PeerName: peer},
		{What: what + ", the most that was resident", Unit: "MiB", Ours: report.Series{peak}},
	}, ours.usage), nil
}

func (b *bench) copyRBAC(ctx context.Context, f *stage.Families, ours *written) (peak float64, first time.Duration, err error) {
	err = ours.measure(ctx, f, f.Processes(), func() (took time.Duration, err error) {
		controllers, arrival, err := f.CopyRBAC(ctx, stage.NextName("copied-rbac"))
		defer func() { err = errors.Join(err, ended(controllers)) }()
		if err != nil {
			return 0, err
		}
		memory, err := load.MemoryOf(controllers.Pid())
		peak, first = float64(memory.Peak)/mebibyte, arrival.First
		return arrival.Last, err
	})
	return peak, first, err
}
