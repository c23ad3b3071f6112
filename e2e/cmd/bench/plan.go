package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

// planSteps is how many steps a plan has; it does not shrink in a quick run, since nothing of it is slow.
const planSteps = 200

// planTimes is how many rounds there are for each repetition of other figures: one takes a second.
const planTimes = 3

// plan compares the execution of an InstallPlan with bare creations of its objects, in turn.
func (b *bench) plan(ctx context.Context) (lines []report.Line, err error) {
	f, err := b.theFamilies(ctx)
	if err != nil {
		return nil, err
	}
	controllers, err := f.RunPlans(ctx, stage.NextName("install-plans"))
	defer func() { err = errors.Join(err, ended(controllers)) }()
	if err != nil {
		return nil, err
	}
	known := append(f.Processes(), controllers.Pid())
	ours, bare := &written{objects: planSteps}, &written{objects: planSteps}
	for round := range planTimes*b.repetitions + 1 {
		if err := bare.measure(ctx, f, known, func() (time.Duration, error) { return f.CreateManifests(ctx, planSteps) }); err != nil {
			return nil, fmt.Errorf("bare creations: %w", err)
		}
		if err := ours.measure(ctx, f, known, func() (time.Duration, error) { return f.ExecutePlan(ctx, planSteps) }); err != nil {
			return nil, err
		}
		if round == 0 {
			ours.forget()
			bare.forget()
		}
	}
	memory, err := load.MemoryOf(controllers.Pid())
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("an InstallPlan with %d steps", planSteps)
	const peer = "bare creations, one by one"
	return shares([]report.Line{
		{What: what, Unit: "steps/s", Ours: ours.rates(), Peer: bare.rates(), PeerName: peer, Goal: report.AtLeast(0.9),
			Note: fmt.Sprintf("from the write of its steps until it was Complete: %.0f ms, bare creations %.0f ms; ours asked for %s; bare creations for %s",
				in(time.Millisecond, ours.took...).Median(), in(time.Millisecond, bare.took...).Median(), ours.often(), bare.often())},
		{What: what + ", requests for each step", Unit: "requests", Ours: ours.asked(), Peer: bare.asked(), PeerName: peer},
		{What: what + ", CPU of kube-apiserver and etcd", Unit: "ms/step", Ours: ours.costs, Peer: bare.costs, PeerName: peer},
		{What: what + ", the most that was resident", Unit: "MiB", Ours: report.Series{float64(memory.Peak) / mebibyte}},
	}, ours.usage), nil
}

// forget drops a round that is not counted.
func (w *written) forget() { w.took, w.costs = nil, nil }
