package main

import (
	"context"
	"fmt"
	"io"
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

// raced is the line of two readings.
func raced(ours, peer *reading, what string, goal report.Goal) report.Line {
	return report.Line{
		What: what, Unit: "s", Ours: ours.took, Peer: peer.took, PeerName: peer.server.Name, Goal: goal,
		Note: fmt.Sprintf("%.1f MB at %.0f MB/s, %s's %.1f MB at %.0f MB/s", ours.megabytes(), ours.rate(),
			peer.server.Name, peer.megabytes(), peer.rate()),
	}
}

func (r *reading) megabytes() float64 { return float64(r.bytes) / 1e6 }
func (r *reading) rate() float64      { return r.megabytes() / r.took.Median() }

// largeAnswer asks for one large answer: Steward, a file of the same bytes, and the kube-apiserver, which holds copies.
func (b *bench) largeAnswer(ctx context.Context, c *stage.Cluster, what string, times int, ours, kube *reading) ([]report.Line, error) {
	client := c.Steward.Connect()
	defer client.Close()
	file, err := c.Static.Put(stage.NextName("large"), func(into io.Writer) error {
		return client.Keep(ctx, into, ours.path, ours.wanted, ours.headers...)
	})
	if err != nil {
		return nil, err
	}
	// To look for what is wanted costs the client a fifth of its time.
	static := &reading{server: &c.Static.Server, path: file, wanted: ours.wanted}
	usage, err := b.timed(func() error { return race(ctx, times, static, ours, kube) })
	if err != nil {
		return nil, err
	}
	lines := []report.Line{raced(ours, static, what, report.AsFast(0.9)), raced(ours, kube, what, report.Goal{})}
	return shares(lines, usage), c.Static.Drop(file)
}

func (b *bench) clusterList(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	for _, each := range []struct {
		what    string
		headers []string
		times   int
	}{
		{"JSON", nil, b.repetitions},
		{"gzip", []string{"Accept-Encoding", "gzip"}, b.slow},
		{"Table", []string{"Accept", load.Table}, b.repetitions},
	} {
		kube := &reading{server: &c.Kube, path: stage.CopiesPath, headers: each.headers}
		ours := &reading{server: &c.Steward, path: stage.ViewsPath, headers: each.headers}
		got, err := b.largeAnswer(ctx, c, fmt.Sprintf("list of %d objects, %s", c.Objects, each.what), each.times, ours, kube)
		if err != nil {
			return lines, err
		}
		lines = append(lines, got...)
	}
	return lines, nil
}

// bookmark is what ends the initial events. Nothing in an object can look like it: quotes in strings are escaped.
var bookmark = []byte(`"type":"BOOKMARK"`)

const initialEvents = "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"

func (b *bench) watchList(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	for _, each := range []struct{ what, accept string }{{"JSON", load.JSON}, {"PartialObjectMetadata", load.MetadataEvents}} {
		headers := []string{"Accept", each.accept}
		kube := &reading{server: &c.Kube, path: stage.CopiesPath + initialEvents, wanted: bookmark, headers: headers}
		ours := &reading{server: &c.Steward, path: stage.ViewsPath + initialEvents, wanted: bookmark, headers: headers}
		what := fmt.Sprintf("watch of %d objects to the bookmark, %s", c.Objects, each.what)
		got, err := b.largeAnswer(ctx, c, what, b.repetitions, ours, kube)
		if err != nil {
			return lines, err
		}
		lines = append(lines, got...)
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
