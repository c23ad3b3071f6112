package main

import (
	"context"
	"fmt"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

// reading is a server that is asked for one large answer by one client that drains it.
type reading struct {
	server  *load.Server
	path    string
	wanted  []byte // read up to this; nil: to the end
	headers []string

	took  report.Series // seconds
	bytes int64
}

// race asks in turn, each over a connection that it keeps, after one answer each that is not counted.
func race(ctx context.Context, repetitions int, readings ...*reading) error {
	for round := range repetitions + 1 {
		for _, each := range readings {
			got, err := each.once(ctx)
			if err != nil {
				return err
			}
			if round > 0 {
				each.took = append(each.took, got.Total.Seconds())
				each.bytes = got.Bytes
			}
		}
	}
	return nil
}

func (r *reading) once(ctx context.Context) (load.Transfer, error) {
	client := r.server.Connect()
	defer client.Close()
	// The handshake is not what is measured.
	if err := client.Warm(ctx); err != nil {
		return load.Transfer{}, err
	}
	if r.wanted != nil {
		return client.Until(ctx, r.path, r.wanted, r.headers...)
	}
	return client.Drain(ctx, r.path, r.headers...)
}

// raced is the line of two readings, and a third of the same bytes as a file, if any, in its note.
func raced(ours, peer, static *reading, what string, goal report.Goal) report.Line {
	line := report.Line{
		What: what, Unit: "s", Ours: ours.took, Peer: peer.took, PeerName: peer.server.Name, Goal: goal,
		Note: fmt.Sprintf("%.1f MB at %.0f MB/s, %s's %.1f MB at %.0f MB/s", ours.megabytes(), ours.rate(),
			peer.server.Name, peer.megabytes(), peer.rate()),
	}
	if static != nil {
		line.Note += fmt.Sprintf("; as a file from %s to the same client %s s", static.server.Name, report.Number(static.took.Median()))
	}
	return line
}

func (r *reading) megabytes() float64 { return float64(r.bytes) / 1e6 }
func (r *reading) rate() float64      { return r.megabytes() / r.took.Median() }

func (b *bench) clusterList(ctx context.Context) ([]report.Line, error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	file, err := capture(ctx, c, "all.json", stage.ViewsPath, nil)
	if err != nil {
		return nil, err
	}
	var lines []report.Line
	for _, each := range []struct {
		what    string
		headers []string
		goal    report.Goal
		static  bool
		times   int
	}{
		{"JSON", nil, report.Faster(8), true, b.repetitions},
		{"gzip", []string{"Accept-Encoding", "gzip"}, report.Faster(40), false, b.slow},
		{"Table", []string{"Accept", load.Table}, report.Faster(12), false, b.repetitions},
	} {
		kube := &reading{server: &c.Kube, path: stage.CopiesPath, headers: each.headers}
		ours := &reading{server: &c.Steward, path: stage.ViewsPath, headers: each.headers}
		readings := []*reading{kube, ours}
		var static *reading
		if each.static {
			static = &reading{server: &c.Static.Server, path: file}
			readings = append(readings, static)
		}
		usage, err := b.timed(func() error { return race(ctx, each.times, readings...) })
		if err != nil {
			return lines, err
		}
		what := fmt.Sprintf("list of %d objects, %s", c.Objects, each.what)
		lines = append(lines, shares([]report.Line{raced(ours, kube, static, what, each.goal)}, usage)...)
	}
	return lines, c.Static.Drop(file)
}

// bookmark is what ends the initial events. Nothing in an object can look like it: quotes in strings are escaped.
var bookmark = []byte(`"type":"BOOKMARK"`)

const initialEvents = "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"

func (b *bench) watchList(ctx context.Context) ([]report.Line, error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	var lines []report.Line
	for _, each := range []struct{ what, accept string }{{"JSON", load.JSON}, {"PartialObjectMetadata", load.MetadataEvents}} {
		headers := []string{"Accept", each.accept}
		kube := &reading{server: &c.Kube, path: stage.CopiesPath + initialEvents, wanted: bookmark, headers: headers}
		ours := &reading{server: &c.Steward, path: stage.ViewsPath + initialEvents, wanted: bookmark, headers: headers}
		usage, err := b.timed(func() error { return race(ctx, b.repetitions, kube, ours) })
		if err != nil {
			return lines, err
		}
		what := fmt.Sprintf("watch of %d objects to the bookmark, %s", c.Objects, each.what)
		lines = append(lines, shares([]report.Line{raced(ours, kube, nil, what, report.Faster(15))}, usage)...)
	}
	return lines, nil
}

// newNamespace makes namespaces one after the other, and waits each time until all operators were reported there.
func (b *bench) newNamespace(ctx context.Context) ([]report.Line, error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	client := c.Kube.Connect()
	defer client.Close()
	operators := len(c.Operators.CSVs)
	fan, err := b.watch(ctx, &c.Steward, []string{stage.ViewsPath}, 1, load.MetadataEvents)
	if err != nil {
		return nil, err
	}
	defer fan.Close()
	var written, seen []time.Duration
	usage, err := b.timed(func() error {
		for i := range b.changes {
			name := fmt.Sprintf("bench-new-%03d", i)
			round, err := fan.Expect(operators)
			if err != nil {
				return err
			}
			began := time.Now()
			if err := stage.AddNamespace(ctx, client, name); err != nil {
				return err
			}
			answered := time.Since(began)
			got, err := round.Wait(ctx)
			if err != nil {
				return err
			}
			written, seen = append(written, answered), append(seen, got.Last.Sub(began))
			// Gone again, so that every namespace is added to the same installation.
			if round, err = fan.Expect(operators); err != nil {
				return err
			}
			if err := stage.RemoveNamespace(ctx, client, name); err != nil {
				return err
			}
			if _, err := round.Wait(ctx); err != nil {
				return fmt.Errorf("after %s was deleted: %w", name, err)
			}
		}
		return fan.Quiet()
	})
	line := report.Line{
		What: "a new namespace until its operators show in a watch", Unit: "ms", Statistic: report.P99, Goal: report.Within(30),
		Ours: in(time.Millisecond, seen...),
		Note: fmt.Sprintf("from sending the write; kube-apiserver took %s ms of it to answer; median of the whole %s ms",
			report.Number(in(time.Millisecond, written...).Median()), report.Number(in(time.Millisecond, seen...).Median())),
	}
	return shares([]report.Line{line}, usage), err
}
