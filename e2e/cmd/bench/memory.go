package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

const (
	mebibyte = 1 << 20
	kibibyte = 1 << 10
	// perConnection is how many idle watchers share a connection.
	perConnection = 100
	// requestMemory is what Steward grants to all requests, in MiB, while watchers are counted. They come from one
	// address, which gets an eighth. Behind the aggregator the kube-apiserver is the peer, and may use all of it.
	requestMemory = "512"
	// settle is how long a server is left alone before its memory is read.
	settle = time.Second
)

// memory measures a Steward that was just started, while h2load asks it and a thousand watches are open.
func (b *bench) memory(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	steward, server, err := c.Fresh(ctx, "steward-memory")
	defer func() { err = errors.Join(err, stopped(steward)) }()
	if err != nil {
		return nil, err
	}
	atRest, err := load.MemoryOf(steward.Pid())
	if err != nil {
		return nil, err
	}
	// The kube-apiserver asks every server that is registered for it.
	if err := stage.Started(ctx, steward.Process, &server, "/openapi/v2"); err != nil {
		return nil, err
	}
	var paths []string
	for _, namespace := range c.Namespaces {
		paths = append(paths, stage.ViewsIn(namespace))
	}
	fan, err := b.watch(ctx, &server, paths, connections, load.JSON)
	if err != nil {
		return nil, err
	}
	defer fan.Close()
	asked := &contestant{server: &server, path: stage.ViewsIn(somewhere(c))}
	if err := b.contest(ctx, append(c.Processes(), steward.Pid()), asked); err != nil {
		return nil, err
	}
	loaded, err := load.MemoryOf(steward.Pid())
	if err != nil {
		return nil, err
	}
	longLived, err := load.MemoryOf(c.Steward.PIDs[0])
	if err != nil {
		return nil, err
	}
	line := report.Line{
		What: fmt.Sprintf("%d operators × %d namespaces, h2load -c 8, %d watches: the most that was resident",
			len(c.Operators.CSVs), len(c.Namespaces), len(paths)),
		Unit: "MiB", Ours: report.Series{float64(loaded.Peak) / mebibyte}, Goal: report.Within(40),
		Load: asked.bursts[0].Usage.GeneratorShare(), Others: asked.bursts[0].Usage.OthersShare(),
		Note: fmt.Sprintf("%.1f MiB before any request; the Steward that was asked everything else in this run: %.1f MiB, at most %.1f",
			float64(atRest.Resident)/mebibyte, float64(longLived.Resident)/mebibyte, float64(longLived.Peak)/mebibyte),
	}
	if c.Filled {
		line.Peer = report.Series{float64(c.AfterCopies.Resident-c.BeforeCopies.Resident) / mebibyte}
		line.PeerName = "kube-apiserver grew by the copies"
		line.Note += fmt.Sprintf("; kube-apiserver %.0f MiB before the copies, %.0f after",
			float64(c.BeforeCopies.Resident)/mebibyte, float64(c.AfterCopies.Resident)/mebibyte)
	}
	return []report.Line{line}, nil
}

// watchers measures what one more idle watcher costs, each kind in a Steward of its own.
func (b *bench) watchers(ctx context.Context) ([]report.Line, error) {
	var lines []report.Line
	for _, each := range []struct {
		name               string
		count, connections int
		limit              float64
	}{
		{"idle watchers on shared HTTP/2 connections", b.shared, b.shared / perConnection, 10},
		{"idle watchers on connections of their own", b.own, b.own, 64},
	} {
		line, err := b.idle(ctx, each.count, each.connections)
		if err != nil {
			return lines, fmt.Errorf("%s: %w", each.name, err)
		}
		line.What = fmt.Sprintf("%d %s (%d), each", each.count, each.name, each.connections)
		line.Goal = report.Within(each.limit)
		lines = append(lines, line)
	}
	return lines, nil
}

func (b *bench) idle(ctx context.Context, count, connections int) (line report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return line, err
	}
	steward, server, err := c.Fresh(ctx, stage.NextName("steward-idle"), "--max-request-memory="+requestMemory)
	defer func() { err = errors.Join(err, stopped(steward)) }()
	if err != nil {
		return line, err
	}
	var paths []string
	for i := range count {
		paths = append(paths, stage.ViewsIn(c.Namespaces[i%len(c.Namespaces)]))
	}
	// What a first watch needs once is not the watchers'.
	first, err := b.watch(ctx, &server, paths[:1], 1, load.JSON)
	if err != nil {
		return line, err
	}
	first.Close()
	before, err := settled(ctx, steward)
	if err != nil {
		return line, err
	}
	fan, err := b.watch(ctx, &server, paths, connections, load.JSON)
	if err != nil {
		return line, err
	}
	defer fan.Close()
	after, err := settled(ctx, steward)
	if err != nil {
		return line, err
	}
	return report.Line{
		Unit: "KiB", Ours: report.Series{float64(after.Resident-before.Resident) / kibibyte / float64(count)},
		Load: math.NaN(), Others: math.NaN(),
		Note: fmt.Sprintf("%.1f MiB resident without them, %.1f with", float64(before.Resident)/mebibyte, float64(after.Resident)/mebibyte),
	}, fan.Quiet()
}

// settled reads a process's memory after it was left alone for a moment.
func settled(ctx context.Context, process *cluster.Steward) (load.Memory, error) {
	select {
	case <-ctx.Done():
		return load.Memory{}, ctx.Err()
	case <-time.After(settle):
		return load.MemoryOf(process.Pid())
	}
}

func stopped(s *cluster.Steward) error {
	if s == nil || s.Process == nil {
		return nil
	}
	return s.Stop()
}

// start measures from exec until discovery is answered, in the cluster with copies and as deploy/base runs it.
func (b *bench) start(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	steward, server, err := c.Unstarted("steward-start")
	if err != nil {
		return nil, err
	}
	var discovery, ready []time.Duration
	usage, err := b.timed(func() error {
		for range b.starts {
			began := time.Now()
			if err := steward.Start(); err != nil {
				return err
			}
			if err := stage.Started(ctx, steward.Process, &server, stage.DiscoveryPath); err != nil {
				return err
			}
			discovery = append(discovery, time.Since(began))
			if err := stage.Started(ctx, steward.Process, &server, "/readyz"); err != nil {
				return err
			}
			ready = append(ready, time.Since(began))
			if err := steward.Stop(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, stopped(steward))
	}
	lines = []report.Line{
		{What: "exec to the first discovery answer", Unit: "ms", Ours: in(time.Millisecond, discovery...), Goal: report.Within(30)},
		{What: fmt.Sprintf("exec to ready with %d operators and %d namespaces", len(c.Operators.CSVs), len(c.Namespaces)),
			Unit: "ms", Ours: in(time.Millisecond, ready...)},
	}
	return started(lines, usage), nil
}

// started is shares for lines whose servers ended meanwhile: they count among this program's children, and nobody could
// tell them from a load generator.
func started(lines []report.Line, usage load.Usage) []report.Line {
	lines = shares(lines, usage)
	for i := range lines {
		lines[i].Load = math.NaN()
	}
	return lines
}
