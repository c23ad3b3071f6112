package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

// connections carry the namespaced watches.
const connections = 10

// watch opens watches that begin now, with no initial events: one for each path.
func (b *bench) watch(ctx context.Context, server *load.Server, paths []string, connections int, accept string) (*load.Fan, error) {
	version, err := newest(ctx, server, paths[0])
	if err != nil {
		return nil, err
	}
	full := make([]string, len(paths))
	for i, path := range paths {
		full[i] = path + "?watch=1&resourceVersion=" + version
	}
	return server.OpenFan(ctx, full, connections, "Accept", accept)
}

// newest is the resourceVersion of a list.
func newest(ctx context.Context, server *load.Server, path string) (string, error) {
	client := server.Connect()
	defer client.Close()
	response, err := client.Open(ctx, path+"?limit=1", "Accept", load.Metadata)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	err = json.Unmarshal(text, &list)
	return list.Metadata.ResourceVersion, err
}

// spreading is a way in which one change is watched for.
type spreading struct {
	csv     string // whose label is changed
	kind    string // what the events hold
	accept  string
	single  bool // one watch of the whole cluster, else one for every namespace
	changes int
	limit   report.Goal // of the time until seen; none: not a line
}

// spread is how long changes took.
type spread struct {
	written, seen []time.Duration // from sending the write until it was answered, until it was seen everywhere
	after         []time.Duration // from the first proof that it was written until it was seen everywhere
	static        []time.Duration // until the same bytes, at hand in a server, were received by the same client
	bytes         int64           // of all events of one change
}

func (b *bench) change(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	small := c.Operators.CSVs[0].GetName()
	large := c.Operators.CSVs[len(c.Operators.CSVs)-1].GetName()
	for _, single := range []bool{true, false} {
		for _, s := range []spreading{
			{small, "PartialObjectMetadata", load.MetadataEvents, single, b.changes, report.Within(50)},
			{small, "JSON", load.JSON, single, b.changes, report.Within(50)},
			{large, "JSON", load.JSON, single, b.bigChanges, report.Goal{}},
		} {
			var got spread
			usage, err := b.timed(func() (err error) {
				got, err = b.spread(ctx, c, s)
				return err
			})
			if err != nil {
				return lines, fmt.Errorf("%s: %w", s.what(c), err)
			}
			lines = append(lines, shares(s.lines(c, got), usage)...)
		}
	}
	if !c.Filled {
		return lines, nil
	}
	peer, err := b.rewriteCopies(ctx, c, small)
	if err == nil {
		lines[0].Peer, lines[0].PeerName = peer, "every copy rewritten"
	}
	return lines, err
}

func (s spreading) what(c *stage.Cluster) string {
	how := "one cluster-wide watch"
	if !s.single {
		how = fmt.Sprintf("%d namespaced watches on %d connections", len(c.Namespaces), connections)
	}
	return fmt.Sprintf("a changed label seen by %s, %s", how, s.kind)
}

func (s spreading) lines(c *stage.Cluster, got spread) []report.Line {
	size := float64(got.bytes) / float64(s.events(c))
	what := fmt.Sprintf("%s of %s kB", s.what(c), report.Number(size/1000))
	ratio := report.Line{
		What: what + ", after the write", Unit: "ms", Goal: report.AtMost(1.1), PeerName: "the same bytes, static",
		Ours: in(time.Millisecond, got.after...), Peer: in(time.Millisecond, got.static...),
		Note: fmt.Sprintf("%d events, %.1f MB in all", s.events(c), float64(got.bytes)/1e6),
	}
	if s.limit == (report.Goal{}) {
		return []report.Line{ratio}
	}
	seen := in(time.Millisecond, got.seen...)
	return []report.Line{{
		What: what, Unit: "ms", Statistic: report.P99, Ours: seen, Goal: s.limit,
		Note: fmt.Sprintf("from sending the write until the last of %d events; median %s ms, of which kube-apiserver took %s to answer the write",
			s.events(c), report.Number(seen.Median()), report.Number(in(time.Millisecond, got.written...).Median())),
	}, ratio}
}

// events are as many as there are namespaces that are watched.
func (s spreading) events(c *stage.Cluster) int {
	if s.single {
		return c.Objects / len(c.Operators.CSVs)
	}
	return len(c.Namespaces)
}

// spread changes a label again and again, and between two changes receives the same bytes from a static server.
func (b *bench) spread(ctx context.Context, c *stage.Cluster, s spreading) (got spread, err error) {
	paths, watches := []string{stage.ViewsPath}, 1
	if !s.single {
		paths, watches = nil, connections
		for _, namespace := range c.Namespaces {
			paths = append(paths, stage.ViewsIn(namespace))
		}
	}
	fan, err := b.watch(ctx, &c.Steward, paths, watches, s.accept)
	if err != nil {
		return got, err
	}
	defer fan.Close()
	// Sees the change leave the kube-apiserver, as Steward does.
	witness, err := b.watch(ctx, &c.Kube, []string{stage.CopiesIn(stage.Origin)}, 1, load.MetadataEvents)
	if err != nil {
		return got, err
	}
	defer witness.Close()
	client := c.Kube.Connect()
	defer client.Close()
	static, err := b.newStatic(ctx, c, s)
	if err != nil {
		return got, err
	}
	defer static.close()
	for i := range s.changes + 1 {
		one, err := changeOnce(ctx, client, s.csv, fan, s.events(c), witness)
		if err != nil {
			return got, err
		}
		got.bytes = one.bytes
		sent, err := static.send(ctx, one.bytes)
		if err != nil {
			return got, err
		}
		// The first is not counted: it makes connections and caches warm.
		if i > 0 {
			got.written = append(got.written, one.written)
			got.seen = append(got.seen, one.seen)
			got.after = append(got.after, one.after)
			got.static = append(got.static, sent)
		}
	}
	return got, fan.Quiet()
}

// once is what one change took.
type once struct {
	written, seen, after time.Duration
	bytes                int64
}

func changeOnce(ctx context.Context, client *load.Client, csv string, fan *load.Fan, events int, witness *load.Fan) (got once, err error) {
	round, err := fan.Expect(events)
	if err != nil {
		return got, err
	}
	left, err := witness.Expect(1)
	if err != nil {
		return got, err
	}
	began := time.Now()
	if err := stage.Label(ctx, client, stage.Origin, csv, stage.NextName("label")); err != nil {
		return got, err
	}
	answered := time.Now()
	arrived, err := round.Wait(ctx)
	if err != nil {
		return got, err
	}
	witnessed, err := left.Wait(ctx)
	if err != nil {
		return got, err
	}
	// The first proof that it was written: any of the three may come first.
	written := answered
	for _, proof := range []time.Time{witnessed.Last, arrived.First} {
		if proof.Before(written) {
			written = proof
		}
	}
	return once{answered.Sub(began), arrived.Last.Sub(began), arrived.Last.Sub(written), arrived.Bytes}, nil
}

// staticEvents sends what a change sends, from a server that has it at hand: one file to one client, or one line to each
// of as many streams as there are watches, on as many connections.
type staticEvents struct {
	cluster *stage.Cluster
	events  int
	single  *load.Client // of the file, or
	fan     *load.Fan    // of the lines, and
	trigger *load.Client
	file    string
	size    int64
}

func (b *bench) newStatic(ctx context.Context, c *stage.Cluster, s spreading) (*staticEvents, error) {
	static := &staticEvents{cluster: c, events: s.events(c)}
	if s.single {
		static.single = c.Static.Connect()
		return static, nil
	}
	paths := make([]string, static.events)
	for i := range paths {
		paths[i] = stage.HoldPath
	}
	var err error
	static.trigger = c.Backend.Connect()
	static.fan, err = c.Backend.OpenFan(ctx, paths, connections)
	return static, err
}

func (s *staticEvents) close() {
	if s.fan != nil {
		s.fan.Close()
		s.trigger.Close()
	} else {
		s.single.Close()
	}
}

// send sends so many bytes in all, and returns how long that took from asking for it until the last was received.
func (s *staticEvents) send(ctx context.Context, size int64) (time.Duration, error) {
	// Numbers in events grow a digit now and then.
	if difference := size - s.size; max(difference, -difference) > size/100 {
		if err := s.prepare(size); err != nil {
			return 0, err
		}
	}
	if s.single != nil {
		got, err := s.single.Drain(ctx, s.file)
		return got.Total, err
	}
	round, err := s.fan.Expect(s.events)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := s.trigger.Send(ctx, http.MethodPost, stage.PushPath+s.file[1:], nil); err != nil {
		return 0, err
	}
	got, err := round.Wait(ctx)
	if want := s.size / int64(s.events) * int64(s.events); err == nil && got.Bytes != want {
		err = fmt.Errorf("the static server sent %d bytes instead of %d", got.Bytes, want)
	}
	return got.Last.Sub(began), err
}

// prepare makes the file of all events, or of one.
func (s *staticEvents) prepare(size int64) (err error) {
	length := size
	if s.single == nil {
		length /= int64(s.events)
	}
	content := make([]byte, length)
	for i := range content {
		content[i] = 'x' // nothing on the way looks at it
	}
	content[length-1] = '\n'
	s.size = size
	s.file, err = s.cluster.Static.PutBytes(stage.NextName("events"), content)
	return err
}

// rewriteCopies is what the change costs where every namespace has a copy: each is written, and a cluster-wide watch of
// the kube-apiserver waits for all. OLM reads and compares before it writes, and takes longer.
func (b *bench) rewriteCopies(ctx context.Context, c *stage.Cluster, csv string) (report.Series, error) {
	fan, err := b.watch(ctx, &c.Kube, []string{stage.CopiesPath}, 1, load.MetadataEvents)
	if err != nil {
		return nil, err
	}
	defer fan.Close()
	round, err := fan.Expect(len(c.Namespaces))
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := c.LabelCopies(ctx, csv, stage.NextName("label")); err != nil {
		return nil, err
	}
	got, err := round.Wait(ctx)
	return in(time.Millisecond, got.Last.Sub(began)), err
}
