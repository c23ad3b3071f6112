package apart

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/attackers"
)

// Attack is all of these attacks at once, for as long as the process is let.
type Attack struct {
	Address    string // the server's
	ListPath   string // of what bodies are sent to, and tokens are shown for
	WatchPath  string
	Flood      int // connections
	SlowReader int // connections that read slowly
	Watches    int // of each greedy user
	// Greedy are users who may watch.
	Greedy []rest.TLSClientConfig
	// Nice is added to the priority that this process has (nice(1)): attackers are elsewhere, and take little of its processors.
	Nice int
}

const (
	// floods are at a time: of each, a handshake that the server puts off holds up the rest.
	floods = 20
	// watchesFirst is how long greedy users open watches before the rest begins: behind a flood they would get no connections.
	watchesFirst = 3 * time.Second
)

// Attacked is what an attack has done.
type Attacked struct {
	Connections int64
	Tokens      map[int]int // answers to made-up tokens, by code
	Watches     map[int]int // answers to watches, by code
}

// String is Attacked in short.
func (a Attacked) String() string {
	return fmt.Sprintf("%d connections, answers to made-up tokens %v and to watches %v, by code", a.Connections, a.Tokens, a.Watches)
}

// Begin starts the attack in a process apart. end ends it, and says what it has done.
func (a Attack) Begin(ctx context.Context) (pid int, end func() (Attacked, error), err error) {
	ctx, stop := context.WithCancel(ctx)
	child, out, err := start(ctx, part{Attack: &a})
	if err != nil {
		stop()
		return 0, nil, err
	}
	return child.Process.Pid, func() (done Attacked, err error) {
		stop()
		decoded := out.Decode(&done)
		if err := child.Wait(); err != nil {
			return done, fmt.Errorf("the attackers: %w", err)
		}
		return done, decoded
	}, nil
}

func (a *Attack) play(ended <-chan struct{}, out *json.Encoder) error {
	if a.Nice != 0 {
		// The system call says 20 less the priority.
		own, err := syscall.Getpriority(syscall.PRIO_PGRP, 0)
		if err != nil {
			return err
		}
		if err := syscall.Setpriority(syscall.PRIO_PGRP, 0, 20-own+a.Nice); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		<-ended
		stop()
	}()
	var mutex sync.Mutex
	var kept []io.Closer
	target := &attackers.Target{Address: a.Address, From: net.IPv4(127, 0, 0, 1), Keep: func(c io.Closer) {
		mutex.Lock()
		defer mutex.Unlock()
		kept = append(kept, c)
	}}
	first := time.Duration(0)
	if len(a.Greedy) > 0 {
		first = watchesFirst
	}
	done := Attacked{Tokens: map[int]int{}, Watches: map[int]int{}}
	add := func(to, codes map[int]int) {
		mutex.Lock()
		defer mutex.Unlock()
		for code, count := range codes {
			to[code] += count
		}
	}
	later := []attackers.Assault{
		target.SlowReaders(a.SlowReader),
		target.UnfinishedBodies(a.ListPath),
		target.ZeroWindows(),
		func(ctx context.Context) { add(done.Tokens, target.MadeUpTokens(target.Strangers(), a.ListPath)(ctx)) },
	}
	for range floods {
		later = append(later, target.Connections(a.Flood/floods, attackers.EverySource))
	}
	var all []attackers.Assault
	for _, each := range later {
		all = append(all, func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(first):
				each(ctx)
			}
		})
	}
	for _, shown := range a.Greedy {
		client, err := rest.HTTPClientFor(&rest.Config{Host: target.URL(), TLSClientConfig: shown})
		if err != nil {
			return err
		}
		all = append(all, func(ctx context.Context) {
			add(done.Watches, attackers.OpenWatches(ctx, client, target.URL()+a.WatchPath, a.Watches))
		})
	}
	var work sync.WaitGroup
	for _, assault := range all {
		work.Go(func() { assault(ctx) })
	}
	<-ended
	// Those that are in the midst of something have a moment.
	finished := make(chan struct{})
	go func() {
		work.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(5 * time.Second):
	}
	mutex.Lock()
	defer mutex.Unlock()
	done.Connections = target.Opened()
	return out.Encode(done)
}
