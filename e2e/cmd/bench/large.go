package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

func (b *bench) theLarge() (*stage.Large, error) {
	if b.manyMany != nil {
		return b.manyMany, nil
	}
	large, err := stage.StartLarge(b.dir, b.operators, largeOperators, largeNamespaces, b.say)
	b.manyMany = large
	return large, err
}

// large measures a Steward whose cluster is the store of another one: it holds as much as a cluster would.
func (b *bench) large(ctx context.Context) (lines []report.Line, err error) {
	l, err := b.theLarge()
	if err != nil {
		return nil, err
	}
	start, server, err := l.Prepare("steward-large")
	if err != nil {
		return nil, err
	}
	process, lines, err := b.largeStarts(ctx, l, start, &server)
	defer func() {
		if process != nil {
			err = errors.Join(err, process.Stop(20*time.Second))
		}
	}()
	if err != nil {
		return lines, err
	}
	b.fresh = []int{process.Pid()}
	defer func() { b.fresh = nil }()
	atRest, err := load.MemoryOf(process.Pid())
	if err != nil {
		return lines, err
	}
	for _, measure := range []func(context.Context, *stage.Large, *load.Server) ([]report.Line, error){
		b.largeNamespace, b.largeFirstByte, b.largePages,
	} {
		more, err := measure(ctx, l, &server)
		lines = append(lines, more...)
		if err != nil {
			return lines, err
		}
	}
	memory, err := b.largeMemory(l, process, atRest)
	return append(lines, memory), err
}

func manyObjects(l *stage.Large) string {
	return fmt.Sprintf("%d operators × %d namespaces", l.Operators, len(l.Namespaces))
}

// largeStarts starts the same server again and again, and leaves the last one running.
func (b *bench) largeStarts(ctx context.Context, l *stage.Large, start func() (*cluster.Process, error), server *load.Server) (process *cluster.Process, lines []report.Line, err error) {
	var discovery, ready []time.Duration
	usage, err := b.timed(func() error {
		for range b.starts {
			if err := process.Stop(20 * time.Second); err != nil {
				return err
			}
			began := time.Now()
			if process, err = start(); err != nil {
				return err
			}
			if err := stage.Started(ctx, process, server, stage.DiscoveryPath); err != nil {
				return err
			}
			discovery = append(discovery, time.Since(began))
			if err := stage.Started(ctx, process, server, "/readyz"); err != nil {
				return err
			}
			ready = append(ready, time.Since(began))
		}
		return nil
	})
	return process, started([]report.Line{
		{What: "exec to the first discovery answer", Unit: "ms", Ours: in(time.Millisecond, discovery...), Goal: report.Within(30)},
		{What: "exec to ready with " + manyObjects(l), Unit: "s", Ours: in(time.Second, ready...), Goal: report.Within(2),
			Note: fmt.Sprintf("its cluster is a steward up, which had loaded all of it in %.1f s", l.Loading.Seconds())},
	}, usage), err
}

func (b *bench) largeMemory(l *stage.Large, process *cluster.Process, atRest load.Memory) (report.Line, error) {
	now, err := load.MemoryOf(process.Pid())
	if err != nil {
		return report.Line{}, err
	}
	store, err := load.MemoryOf(l.Store.Pid())
	if err != nil {
		return report.Line{}, err
	}
	return report.Line{
		What: manyObjects(l) + ": the most that was resident", Unit: "MiB", Goal: report.Within(150),
		Ours: report.Series{float64(now.Peak) / mebibyte},
		Note: fmt.Sprintf("%.1f MiB before any request, %.1f after all of these; the steward up that plays the cluster has %.1f, %.1f at most",
			float64(atRest.Resident)/mebibyte, float64(now.Resident)/mebibyte, float64(store.Resident)/mebibyte, float64(store.Peak)/mebibyte),
	}, nil
}

// beside reads answers of Steward and, in turn with them, files of the same sizes, over one connection each.
type beside struct {
	first, total, static report.Series // ms
	bytes                int64
}

func (b *bench) beside(ctx context.Context, l *stage.Large, server *load.Server, paths []string) (got beside, err error) {
	ours, static := server.Connect(), l.Static.Connect()
	defer ours.Close()
	defer static.Close()
	file := ""
	for i := range b.reads + 1 {
		read, err := ours.Drain(ctx, paths[i%len(paths)])
		if err != nil {
			return got, err
		}
		if i == 0 {
			if file, err = l.Static.PutBytes(stage.NextName("list"), make([]byte, read.Bytes)); err != nil {
				return got, err
			}
		}
		same, err := static.Drain(ctx, file)
		if err != nil {
			return got, err
		}
		// The first is not counted: it makes connections and caches warm.
		if i > 0 {
			got.first = append(got.first, in(time.Millisecond, read.First)...)
			got.total = append(got.total, in(time.Millisecond, read.Total)...)
			got.static = append(got.static, in(time.Millisecond, same.Total)...)
			got.bytes = read.Bytes
		}
	}
	return got, l.Static.Drop(file)
}

// line judges what an answer takes longer than its transfer: the quantiles' difference, since both share the noise.
func (got beside) line(what string, statistic report.Statistic, limit float64) report.Line {
	difference := statistic.Of(got.total) - statistic.Of(got.static)
	return report.Line{
		What: fmt.Sprintf("%s, %.1f MB, %s beyond its transfer", what, float64(got.bytes)/1e6, statistic), Unit: "ms",
		Ours: report.Series{max(0, difference)}, Goal: report.Within(limit),
		Note: fmt.Sprintf("%s: %s ms in all, first byte after %s; a file of the size takes %s", statistic,
			report.Number(statistic.Of(got.total)), report.Number(statistic.Of(got.first)), report.Number(statistic.Of(got.static))),
	}
}

func (b *bench) largeNamespace(ctx context.Context, l *stage.Large, server *load.Server) ([]report.Line, error) {
	var paths []string
	for i := range 20 {
		paths = append(paths, stage.ViewsIn(l.Namespaces[len(l.Namespaces)/20*i+3]))
	}
	var got beside
	usage, err := b.timed(func() (err error) {
		got, err = b.beside(ctx, l, server, paths)
		return err
	})
	if err != nil {
		return nil, err
	}
	return shares([]report.Line{
		got.line(fmt.Sprintf("list of a namespace with %d operators", l.Operators), report.P99, 5),
		{What: "the same, first byte", Unit: "ms", Statistic: report.P99, Ours: got.first},
	}, usage), nil
}

// firstByteWindow is how much of an answer may be on its way to who waits for its first byte.
const firstByteWindow = 64 << 10

// firstByteFile is a file that is longer than any buffer on the way.
const firstByteFile = 64 << 20

// largeFirstByte asks in turn with a file, since the client's own work is part of the figure.
func (b *bench) largeFirstByte(ctx context.Context, l *stage.Large, server *load.Server) ([]report.Line, error) {
	ours, static := server.ConnectNarrow(firstByteWindow), l.Static.ConnectNarrow(firstByteWindow)
	defer ours.Close()
	defer static.Close()
	file, err := l.Static.PutBytes(stage.NextName("first"), make([]byte, firstByteFile))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(ours.Warm(ctx), static.Warm(ctx)); err != nil {
		return nil, err
	}
	var took, files []time.Duration
	usage, err := b.timed(func() error {
		for range b.reads {
			first, err := ours.FirstByte(ctx, stage.ViewsPath)
			if err != nil {
				return err
			}
			took = append(took, first)
			if first, err = static.FirstByte(ctx, file); err != nil {
				return err
			}
			files = append(files, first)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("first byte of the list of all %d objects", l.Operators*len(l.Namespaces))
	return shares([]report.Line{{
		What: what, Unit: "ms", Statistic: report.P99, Goal: report.Within(10),
		Ours: in(time.Millisecond, took...), Peer: in(time.Millisecond, files...), PeerName: l.Static.Name,
	}}, usage), l.Static.Drop(file)
}

// pageLimit is a page, as kubectl and client-go ask for by default.
const pageLimit = 500

// largePages reads pages at several depths. Their tokens come from walking the list as a Table without objects, in
// larger steps: a token does not depend on the format.
func (b *bench) largePages(ctx context.Context, l *stage.Large, server *load.Server) ([]report.Line, error) {
	began := time.Now()
	depths := []float64{0, 0.01, 0.25, 0.5, 0.75, 0.99}
	tokens, err := walk(ctx, server, l.Operators*len(l.Namespaces), depths)
	if err != nil {
		return nil, err
	}
	b.say("walked %d objects in %s", l.Operators*len(l.Namespaces), time.Since(began).Round(100*time.Millisecond))
	var lines []report.Line
	for i, token := range tokens {
		path := fmt.Sprintf("%s?limit=%d&continue=%s", stage.ViewsPath, pageLimit, url.QueryEscape(token))
		var got beside
		usage, err := b.timed(func() (err error) {
			got, err = b.beside(ctx, l, server, []string{path})
			return err
		})
		if err != nil {
			return lines, err
		}
		what := fmt.Sprintf("page of %d at %.0f %% of the list", pageLimit, depths[i]*100)
		lines = append(lines, shares([]report.Line{got.line(what, report.Median, 20)}, usage)...)
	}
	return lines, nil
}

// walk reads all pages of the list and returns tokens at the depths, which ascend; the first, of depth 0, is empty.
func walk(ctx context.Context, server *load.Server, objects int, depths []float64) (tokens []string, err error) {
	client := server.Connect()
	defer client.Close()
	token, passed := "", 0
	for len(tokens) < len(depths) {
		if float64(passed) >= depths[len(tokens)]*float64(objects) {
			tokens = append(tokens, token)
			continue
		}
		if passed > 0 && token == "" {
			return nil, fmt.Errorf("the list ended after %d of %d objects", passed, objects)
		}
		var rows int
		if token, rows, err = tablePage(ctx, client, token); err != nil {
			return nil, err
		}
		passed += rows
	}
	return tokens, nil
}

// tablePage reads one large page and returns the token of the next and how many rows it had.
func tablePage(ctx context.Context, client *load.Client, token string) (string, int, error) {
	query := url.Values{"limit": {strconv.Itoa(100 * pageLimit)}, "includeObject": {"None"}}
	if token != "" {
		query.Set("continue", token)
	}
	response, err := client.Open(ctx, stage.ViewsPath+"?"+query.Encode(), "Accept", load.Table)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", 0, err
	}
	return readPage(text)
}

// readPage finds what it needs without decoding rows, of which there are millions: the token stands before them.
func readPage(text []byte) (token string, rows int, err error) {
	head, rest, found := bytes.Cut(text, []byte(`"columnDefinitions"`))
	if !found {
		return "", 0, fmt.Errorf("not a Table: %.200s", text)
	}
	if _, after, found := bytes.Cut(head, []byte(`"continue":"`)); found {
		quoted, _, _ := bytes.Cut(after, []byte(`"`))
		token = string(quoted)
	}
	return token, bytes.Count(rest, []byte(`"cells":`)), nil
}
