package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

// What controllers may take beside so many copies: a tenth of the first, and twice it.
const (
	fewCopies  = 20_000
	fewMemory  = 80
	manyMemory = 160
	// copiesRead is how long reading all copies once may take.
	copiesRead = 5 * time.Minute
	// sweepEvery is how often the controllers sweep what they hold, which takes a list; a change of what they hold brings a sweep
	// within a second.
	sweepEvery = time.Minute
	// sweptFor is how long no list comes before the last of these sweeps counts as done.
	sweptFor = 3 * time.Second
)

// cleanupCopies uninstalls an operator, first without copies, and then beside more and more of them.
func (b *bench) cleanupCopies(ctx context.Context) (lines []report.Line, err error) {
	u, err := b.theUninstalls(ctx)
	if err != nil {
		return nil, err
	}
	alone, err := b.uninstallBeside(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	for _, copies := range b.copies {
		if err := b.setUp(ctx, func(ctx context.Context) error { return u.CopyTo(ctx, copies, b.say) }); err != nil {
			return lines, err
		}
		crowded, err := b.uninstallBeside(ctx, u, copies)
		if err != nil {
			return lines, fmt.Errorf("beside %d copies: %w", copies, err)
		}
		lines = append(lines, crowded.lines(copies, alone)...)
	}
	return lines, nil
}

// crowded is one uninstallation, and what the controllers took.
type crowded struct {
	deletion
	guards      histogram
	memory      load.Memory
	synced      time.Duration // until all copies were read
	lists, gets int           // while a status was fanned out
}

func (b *bench) uninstallBeside(ctx context.Context, u *stage.Uninstalls, copies int) (r crowded, err error) {
	if err := u.EnsureInstalled(ctx); err != nil {
		return r, err
	}
	started := time.Now()
	controllers, err := u.Run(ctx, fmt.Sprintf("controllers-beside-%d", copies))
	defer func() { err = errors.Join(err, ended(controllers)) }()
	if err != nil {
		return r, err
	}
	if err := untilCopiesKnown(ctx, controllers); err != nil {
		return r, err
	}
	r.synced = time.Since(started)
	r.count = b.operands / 2
	if err := u.Fill(ctx, r.count, stage.Owned); err != nil {
		return r, err
	}
	before, err := guardsOf(ctx, controllers)
	if err != nil {
		return r, err
	}
	meter, err := load.StartMeter(u.Processes(), append(u.Processes(), controllers.Pid()))
	if err != nil {
		return r, err
	}
	if err := u.Uninstall(ctx); err != nil {
		return r, err
	}
	if r.usage, err = meter.Stop(); err != nil {
		return r, err
	}
	after, err := guardsOf(ctx, controllers)
	if err != nil {
		return r, err
	}
	r.guards = after.since(before)
	if copies > 0 {
		if r.lists, r.gets, err = fanOut(ctx, u); err != nil {
			return r, err
		}
	}
	r.memory, err = load.MemoryOf(controllers.Pid())
	return r, err
}

// calm looks for the time between two sweeps.
type calm struct {
	looked bool
	lists  int       // by the last look
	since  time.Time // of the last list; zero: none came yet
}

// sees learns how many lists there were by now, and says whether a sweep has come and is done.
func (c *calm) sees(lists int, now time.Time) bool {
	if c.looked && lists > c.lists {
		c.since = now
	}
	c.looked, c.lists = true, lists
	return !c.since.IsZero() && now.Sub(c.since) >= sweptFor
}

// untilSwept waits for a sweep's end, and says when it was.
func untilSwept(ctx context.Context, u *stage.Uninstalls) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*sweepEvery)
	defer cancel()
	var sweeps calm
	for {
		lists, err := u.Requests(ctx, "LIST")
		if err == nil && sweeps.sees(lists, time.Now()) {
			return sweeps.since, nil
		}
		if waited := sleep(ctx, 200*time.Millisecond); waited != nil {
			return time.Time{}, errors.Join(fmt.Errorf("no sweep came to its end: %w", waited), err)
		}
	}
}

// fanOut is how many lists and reads of ClusterServiceVersions come of a change of status in all copies of one. It counts
// between two sweeps, so that no list is a sweep's.
func fanOut(ctx context.Context, u *stage.Uninstalls) (lists, gets int, err error) {
	swept, err := untilSwept(ctx, u)
	if err != nil {
		return 0, 0, err
	}
	count := func(sign int) error {
		for verb, total := range map[string]*int{"LIST": &lists, "GET": &gets} {
			now, err := u.Requests(ctx, verb)
			if err != nil {
				return err
			}
			*total += sign * now
		}
		return nil
	}
	if err := count(-1); err != nil {
		return 0, 0, err
	}
	if err := u.FanOut(ctx); err != nil {
		return 0, 0, err
	}
	if err := sleep(ctx, 2*settle); err != nil {
		return 0, 0, err
	}
	if err := count(1); err != nil {
		return 0, 0, err
	}
	if took := time.Since(swept); took > sweepEvery-2*sweptFor {
		return 0, 0, fmt.Errorf("a status was fanned out until %s after a sweep: the next one may have begun", took)
	}
	return lists, gets, nil
}

func untilCopiesKnown(ctx context.Context, controllers *cluster.Controllers) error {
	ctx, cancel := context.WithTimeout(ctx, copiesRead)
	defer cancel()
	for {
		known, err := controllers.Metric(ctx, "steward_cleanup_copies_known")
		if err == nil && known == 1 {
			return nil
		}
		if waited := sleep(ctx, 100*time.Millisecond); waited != nil {
			return errors.Join(waited, err)
		}
	}
}

func (r crowded) lines(copies int, alone crowded) []report.Line {
	limit := manyMemory
	if copies <= fewCopies {
		limit = fewMemory
	}
	what := fmt.Sprintf("beside %d copies: %d CRs", copies, r.count)
	return shares([]report.Line{
		{What: what, Unit: "CRs/s", Ours: report.Series{r.rate()}, Peer: report.Series{alone.rate()}, PeerName: "without copies",
			Goal: report.AtLeast(0.85),
			Note: fmt.Sprintf("%.1f s; all copies were read %.1f s after the start of the controllers", r.usage.Wall.Seconds(), r.synced.Seconds())},
		{What: what + ", one reading of the guards, median", Unit: "s", Ours: report.Series{r.guards.quantile(0.5)},
			Peer: report.Series{alone.guards.quantile(0.5)}, PeerName: "without copies", Goal: report.Within(0.5),
			Note: fmt.Sprintf("%d readings; upper bounds of a histogram's buckets", r.guards.count())},
		{What: what + ", one reading of the guards, p99", Unit: "s", Ours: report.Series{r.guards.quantile(0.99)},
			Peer: report.Series{alone.guards.quantile(0.99)}, PeerName: "without copies", Goal: report.Within(2)},
		{What: fmt.Sprintf("beside %d copies: a status fanned out to 1000, lists of ClusterServiceVersions", copies), Unit: "lists",
			Ours: report.Series{float64(r.lists)}, Goal: report.Within(0),
			Note: fmt.Sprintf("between two sweeps; reads of one: %d", r.gets)},
		{What: what + ", the most that was resident", Unit: "MiB", Ours: report.Series{float64(r.memory.Peak) / mebibyte},
			Goal: report.Within(float64(limit)), Note: fmt.Sprintf("%.1f MiB at the end", float64(r.memory.Resident)/mebibyte)},
	}, r.usage)
}

// histogram is a Prometheus histogram: how many were at most so much, by that bound.
type histogram struct {
	bounds []float64
	below  []float64
}

const guardBucket = `steward_cleanup_guard_read_seconds_bucket{le="`

func guardsOf(ctx context.Context, controllers *cluster.Controllers) (h histogram, err error) {
	_, text, err := controllers.Get(ctx, "/metrics")
	if err != nil {
		return h, err
	}
	return parseHistogram(text, guardBucket)
}

func parseHistogram(text, prefix string) (h histogram, err error) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), prefix)
		if !ok {
			continue
		}
		bound, count, ok := strings.Cut(rest, `"} `)
		if !ok {
			return h, fmt.Errorf("no bucket: %s", line)
		}
		le, err := strconv.ParseFloat(bound, 64)
		if err != nil {
			return h, err
		}
		below, err := strconv.ParseFloat(count, 64)
		if err != nil {
			return h, err
		}
		h.bounds, h.below = append(h.bounds, le), append(h.below, below)
	}
	if len(h.bounds) == 0 {
		return h, fmt.Errorf("no series %s", prefix)
	}
	return h, nil
}

func (h histogram) count() int { return int(h.below[len(h.below)-1]) }

// since is what came after before.
func (h histogram) since(before histogram) histogram {
	difference := histogram{bounds: h.bounds}
	for i, below := range h.below {
		difference.below = append(difference.below, below-before.below[i])
	}
	return difference
}

// quantile is the bound of the bucket that has it; NaN of nothing.
func (h histogram) quantile(q float64) float64 {
	if h.count() == 0 {
		return math.NaN()
	}
	for i, below := range h.below {
		if below >= q*float64(h.count()) {
			return h.bounds[i]
		}
	}
	return math.Inf(1)
}
