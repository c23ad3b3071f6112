package load

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Fan is many open streams, watches or static ones, whose lines are counted together: every event of a watch is a line.
type Fan struct {
	clients []*Client
	cancel  context.CancelFunc
	readers sync.WaitGroup
	lines   atomic.Int64
	bytes   atomic.Int64
	round   atomic.Pointer[Round]
	broken  chan error // holds the first failure of a stream
}

// Round is a number of lines that are waited for.
type Round struct {
	fan      *Fan
	from, to int64 // lines
	bytes    int64 // before it
	first    atomic.Pointer[time.Time]
	done     chan time.Time
}

// Arrival is how the lines of a round came.
type Arrival struct {
	First time.Time // the first byte
	Last  time.Time // the end of the last line
	Bytes int64
}

// opening is how many connections are made, or streams opened, at a time.
const opening = 32

// OpenFan opens one stream for each path, spread evenly over so many connections, and returns once each was answered
// 200. Headers are in pairs.
func (s *Server) OpenFan(ctx context.Context, paths []string, connections int, headers ...string) (*Fan, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &Fan{cancel: cancel, broken: make(chan error, 1)}
	for range connections {
		f.clients = append(f.clients, s.Connect())
	}
	// The first stream of each connection makes it; the others must find it there.
	err := each(min(connections, len(paths)), func(i int) error { return f.open(ctx, f.clients[i], paths[i], headers) })
	if rest := len(paths) - connections; err == nil && rest > 0 {
		err = each(rest, func(i int) error {
			return f.open(ctx, f.clients[i%connections], paths[connections+i], headers)
		})
	}
	for _, client := range f.clients {
		if made := client.Connections(); err == nil && made > 1 {
			err = fmt.Errorf("one client made %d connections", made)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Fan) open(ctx context.Context, client *Client, path string, headers []string) error {
	response, err := client.Open(ctx, path, headers...)
	if err != nil {
		return err
	}
	f.readers.Go(func() {
		defer response.Body.Close()
		err := f.drain(response)
		if ctx.Err() == nil {
			select {
			case f.broken <- fmt.Errorf("%s: %s: the stream ended: %w", client.server.Name, path, err):
			default:
			}
		}
	})
	return nil
}

func (f *Fan) drain(response *http.Response) error {
	buffer := make([]byte, 16<<10)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			f.saw(int64(n), int64(bytes.Count(buffer[:n], []byte("\n"))), time.Now())
		}
		if err != nil {
			return err
		}
	}
}

func (f *Fan) saw(size, lines int64, now time.Time) {
	before := f.bytes.Add(size) - size
	total := f.lines.Add(lines)
	round := f.round.Load()
	if round == nil {
		return
	}
	if before == round.bytes {
		round.first.Store(&now)
	}
	if total-lines < round.to && total >= round.to {
		round.done <- now
	}
}

// Expect begins to wait for so many lines more. It is an error if any came that no round waited for.
func (f *Fan) Expect(lines int) (*Round, error) {
	from := f.lines.Load()
	if last := f.round.Load(); last != nil && last.to != from {
		return nil, fmt.Errorf("%d lines came where %d were expected", from-last.from, last.to-last.from)
	}
	round := &Round{fan: f, from: from, to: from + int64(lines), bytes: f.bytes.Load(), done: make(chan time.Time, 1)}
	f.round.Store(round)
	return round, nil
}

// Wait returns once the last line has come.
func (r *Round) Wait(ctx context.Context) (Arrival, error) {
	select {
	case last := <-r.done:
		got := Arrival{First: last, Last: last, Bytes: r.fan.bytes.Load() - r.bytes}
		if first := r.first.Load(); first != nil && first.Before(last) {
			got.First = *first
		}
		return got, nil
	case err := <-r.fan.broken:
		r.fan.broken <- err
		return Arrival{}, err
	case <-ctx.Done():
		return Arrival{}, fmt.Errorf("%d of %d lines came: %w", r.fan.lines.Load()-r.from, r.to-r.from, ctx.Err())
	}
}

// Quiet fails if a line came, or a stream broke, that no round waited for.
func (f *Fan) Quiet() error {
	select {
	case err := <-f.broken:
		f.broken <- err
		return err
	default:
	}
	_, err := f.Expect(0)
	return err
}

// Close ends all streams and waits until that has happened.
func (f *Fan) Close() {
	f.cancel()
	f.readers.Wait()
	for _, client := range f.clients {
		client.Close()
	}
}

// each calls do for 0 to n-1, some at a time. Of its errors it returns the first by number, and how many more there are.
func each(n int, do func(int) error) error {
	slots, errs := make(chan struct{}, opening), make([]error, n)
	var working sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		working.Go(func() {
			errs[i] = do(i)
			<-slots
		})
	}
	working.Wait()
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return fmt.Errorf("%w (and %d more)", errs[0], len(errs)-1)
}
