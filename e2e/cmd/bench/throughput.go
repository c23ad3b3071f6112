package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

// clients is how everybody is asked: as the peers of docs/performance.md were measured.
var clients = load.H2Load{Connections: 8, Streams: 10}

// contestant is a server that is asked for one thing by h2load.
type contestant struct {
	server *load.Server
	path   string
	header []string

	requests int // in one burst
	bursts   []load.Burst
}

// contest asks contestants in turn, after one short burst each that is not counted and tells how long a burst will take.
func (b *bench) contest(ctx context.Context, known []int, contestants ...*contestant) error {
	for _, each := range contestants {
		const first = 100
		burst, err := each.ask(ctx, first, known)
		if err != nil {
			return err
		}
		each.requests = max(first, int(burst.PerSecond*b.burst.Seconds()))
	}
	for range b.repetitions {
		for _, each := range contestants {
			burst, err := each.ask(ctx, each.requests, known)
			if err != nil {
				return err
			}
			each.bursts = append(each.bursts, burst)
		}
	}
	return nil
}

func (c *contestant) ask(ctx context.Context, requests int, known []int) (load.Burst, error) {
	how := clients
	how.Header = c.header
	return how.Run(ctx, c.server, c.path, requests, known)
}

// throughput and cost are the two lines of two contestants.
func throughput(ours, peer *contestant, what string, goal report.Goal) report.Line {
	return compared(ours, peer, report.Line{What: what, Unit: "req/s", Goal: goal},
		func(burst load.Burst) float64 { return burst.PerSecond })
}

func cost(ours, peer *contestant, what string, goal report.Goal) report.Line {
	return compared(ours, peer, report.Line{What: what + ", server CPU", Unit: "ms/req", Goal: goal},
		func(burst load.Burst) float64 { return float64(burst.PerRequest()) / milliseconds })
}

func compared(ours, peer *contestant, line report.Line, value func(load.Burst) float64) report.Line {
	var generated, others report.Series
	for _, burst := range ours.bursts {
		line.Ours = append(line.Ours, value(burst))
		generated = append(generated, burst.Usage.GeneratorShare())
		others = append(others, burst.Usage.OthersShare())
	}
	line.Load, line.Others = generated.Median(), others.Median()
	var theirs report.Series
	for _, burst := range peer.bursts {
		line.Peer = append(line.Peer, value(burst))
		theirs = append(theirs, burst.Usage.GeneratorShare())
	}
	line.PeerName = peer.server.Name
	line.Note = fmt.Sprintf("%d bytes, %s's %d; with %s h2load took %s of all processors",
		ours.bodyBytes(), peer.server.Name, peer.bodyBytes(), peer.server.Name, report.Percent(theirs.Median()))
	return line
}

// bodyBytes is the size of one answer.
func (c *contestant) bodyBytes() int64 {
	last := c.bursts[len(c.bursts)-1]
	return last.BodyBytes / int64(last.Requests)
}

// capture reads one answer of Steward into a file of the static server; wrap, unless nil, changes what is written.
func capture(ctx context.Context, c *stage.Cluster, name, path string, wrap func(io.Writer) io.WriteCloser) (string, error) {
	client := c.Steward.Connect()
	defer client.Close()
	return c.Static.Put(name, func(file io.Writer) error {
		if wrap == nil {
			return client.Keep(ctx, file, path, nil)
		}
		writer := wrap(file)
		if err := client.Keep(ctx, writer, path, nil); err != nil {
			return err
		}
		return writer.Close()
	})
}

const acceptGzip = "accept-encoding: gzip"

// packed compresses as a file would be prepared: by gzip's usual effort, not by whatever Steward makes of it.
func packed(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

// somewhere is the namespace whose list is asked for.
func somewhere(c *stage.Cluster) string { return c.Namespaces[len(c.Namespaces)/2] }

func (b *bench) namespaceJSON(ctx context.Context) ([]report.Line, error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	file, err := capture(ctx, c, "list.json", stage.ViewsIn(somewhere(c)), nil)
	if err != nil {
		return nil, err
	}
	static := &contestant{server: &c.Static.Server, path: file}
	kube := &contestant{server: &c.Kube, path: stage.CopiesIn(somewhere(c))}
	ours := &contestant{server: &c.Steward, path: stage.ViewsIn(somewhere(c))}
	if err := b.contest(ctx, c.Processes(), static, ours, kube); err != nil {
		return nil, err
	}
	return []report.Line{
		throughput(ours, static, "namespace list JSON", report.AtLeast(1)),
		cost(ours, static, "namespace list JSON", report.AtMost(1.1)),
		throughput(ours, kube, "namespace list JSON", report.Goal{}),
		cost(ours, kube, "namespace list JSON", report.Goal{}),
	}, nil
}

func (b *bench) namespaceGzip(ctx context.Context) ([]report.Line, error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	file, err := capture(ctx, c, "list.json.gz", stage.ViewsIn(somewhere(c)), packed)
	if err != nil {
		return nil, err
	}
	header := []string{acceptGzip}
	static := &contestant{server: &c.Static.Server, path: file, header: header}
	kube := &contestant{server: &c.Kube, path: stage.CopiesIn(somewhere(c)), header: header}
	ours := &contestant{server: &c.Steward, path: stage.ViewsIn(somewhere(c)), header: header}
	if err := b.contest(ctx, c.Processes(), static, ours, kube); err != nil {
		return nil, err
	}
	return []report.Line{
		throughput(ours, static, "namespace list gzip", report.AtLeast(1)),
		cost(ours, static, "namespace list gzip", report.AtMost(1.1)),
		throughput(ours, kube, "namespace list gzip", report.Goal{}),
		cost(ours, kube, "namespace list gzip", report.Goal{}),
	}, nil
}

func (b *bench) namespaceTable(ctx context.Context) ([]report.Line, error) {
	return b.against(ctx, "namespace list Table", "accept: "+load.Table)
}

func (b *bench) namespaceMetadata(ctx context.Context) ([]report.Line, error) {
	return b.against(ctx, "namespace list PartialObjectMetadata", "accept: "+load.Metadata)
}

// against compares with a file of the JSON list, which is larger, and with the kube-apiserver.
func (b *bench) against(ctx context.Context, what, header string) ([]report.Line, error) {
	c, err := b.theCopies(ctx)
	if err != nil {
		return nil, err
	}
	file, err := capture(ctx, c, "list.json", stage.ViewsIn(somewhere(c)), nil)
	if err != nil {
		return nil, err
	}
	static := &contestant{server: &c.Static.Server, path: file}
	kube := &contestant{server: &c.Kube, path: stage.CopiesIn(somewhere(c)), header: []string{header}}
	ours := &contestant{server: &c.Steward, path: stage.ViewsIn(somewhere(c)), header: []string{header}}
	if err := b.contest(ctx, c.Processes(), static, ours, kube); err != nil {
		return nil, err
	}
	return []report.Line{
		cost(ours, static, what, report.AtMost(0.5)),
		throughput(ours, kube, what, report.Goal{}),
		cost(ours, kube, what, report.Goal{}),
	}, nil
}

// aggregated compares with prebuilt bytes behind the same kube-apiserver, which asks for gzip on its own account and
// unpacks that for clients that did not ask; those that do, as client-go does, are measured too.
func (b *bench) aggregated(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	for _, each := range []struct {
		what, file string
		wrap       func(io.Writer) io.WriteCloser
		header     []string
	}{
		{"JSON", "hop.json", nil, nil},
		// As client-go asks: of others nobody knows whether the client wants gzip, or only the hub does.
		{"gzip", "hop.json.gz", packed, []string{acceptGzip, "user-agent: Go-http-client/2.0"}},
	} {
		file, err := capture(ctx, c, each.file, stage.ViewsIn(somewhere(c)), each.wrap)
		if err != nil {
			return lines, err
		}
		if err := c.HopReady(ctx, file); err != nil {
			return lines, err
		}
		static := &contestant{server: &c.StaticHop, path: c.HopPath(file), header: each.header}
		ours := &contestant{server: &c.Aggregated, path: stage.ViewsIn(somewhere(c)), header: each.header}
		if err := b.contest(ctx, c.Processes(), static, ours); err != nil {
			return lines, err
		}
		what := "namespace list " + each.what + " through the aggregator"
		lines = append(lines, throughput(ours, static, what, report.AtLeast(0.95)), cost(ours, static, what, report.Goal{}))
	}
	return lines, nil
}
