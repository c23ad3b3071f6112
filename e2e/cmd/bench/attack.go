package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"steward.dev/e2e/apart"
	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

const (
	// honestUsers ask for a namespace's list at a steady rate, each of them in a process of its own.
	honestUsers = 4
	honestEvery = 50 * time.Millisecond
	// honestPatience is how long a request may take before it has failed.
	honestPatience = 30 * time.Second
	// What attackers do: more than a server with so many connections takes.
	attackedConnections = 3000
	attackFlood         = 6000
	attackReaders       = 192
	attackWatches       = 6000
	attackGreedy        = 3
	// attackersNice is a low priority: attackers have processors of their own, elsewhere. With the lowest one they get nothing beside
	// other programs.
	attackersNice = 10
	// honestBefore is how long honest users have been there when an attack begins.
	honestBefore = time.Second
	watchers     = "bench-watchers"
	// watchNothing begins without objects: who leaves hundreds of megabytes of them unread gets few watches.
	watchNothing = "?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnobody"
)

// honest is what well-behaved clients saw.
type honest struct {
	took, static []time.Duration
	p99s         []string // of each round
	failures     []string
	failed       int
}

// attack measures how long honest users wait for lists, in turn without attackers and while they attack.
func (b *bench) attack(ctx context.Context) (lines []report.Line, err error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	steward, server, err := c.Fresh(ctx, "steward-attacked", fmt.Sprintf("--max-connections=%d", attackedConnections))
	defer func() { err = errors.Join(err, stopped(steward)) }()
	if err != nil {
		return nil, err
	}
	b.fresh = []int{steward.Pid()}
	defer func() { b.fresh = nil }()
	users, err := b.honestUsers(ctx, c, steward)
	if err != nil {
		return nil, err
	}
	content := &strings.Builder{}
	client := server.Connect()
	err = client.Keep(ctx, content, stage.ViewsIn(somewhere(c)), nil)
	client.Close()
	if err != nil {
		return nil, err
	}
	static, pid, stop, err := apart.Serve(ctx, b.dir, content.String())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	b.fresh = append(b.fresh, pid)
	static.Every, static.Patience = honestEvery, honestPatience
	greedy, err := b.greedyUsers(ctx, c, steward)
	if err != nil {
		return nil, err
	}
	assault := apart.Attack{
		Address: strings.TrimPrefix(server.Host, "https://"), ListPath: stage.ViewsPath, WatchPath: stage.ViewsPath + watchNothing,
		Flood: attackFlood, SlowReader: attackReaders, Watches: attackWatches, Greedy: greedy, Nice: attackersNice,
	}
	var calm, attacked honest
	var usage load.Usage
	var what []string
	for range b.attacks {
		if err := calm.ask(ctx, b.attackFor, users, static); err != nil {
			return nil, err
		}
		var done apart.Attacked
		usage, err = b.timed(func() error {
			var begun error
			begins := make(chan func() (apart.Attacked, error), 1)
			go func() {
				_ = sleep(ctx, honestBefore)
				var end func() (apart.Attacked, error)
				_, end, begun = assault.Begin(ctx)
				begins <- end
			}()
			asked := attacked.ask(ctx, honestBefore+b.attackFor, users, static)
			end := <-begins
			if begun != nil {
				return errors.Join(asked, begun)
			}
			done, err = end()
			return errors.Join(asked, err)
		})
		if err != nil {
			return nil, err
		}
		if done.Connections == 0 || len(done.Tokens) == 0 || len(done.Watches) == 0 {
			return nil, fmt.Errorf("no attack came about: %s", done)
		}
		what = append(what, done.String())
		if err := b.recovered(ctx, &server); err != nil {
			return nil, err
		}
	}
	memory, err := load.MemoryOf(steward.Pid())
	if err != nil {
		return nil, err
	}
	label := fmt.Sprintf("lists of a namespace, %d users, %.0f req/s each, beside attackers", honestUsers, 1/honestEvery.Seconds())
	return started([]report.Line{
		{What: label, Unit: "ms", Statistic: report.P99, Ours: in(time.Millisecond, attacked.took...), Peer: in(time.Millisecond, calm.took...),
			PeerName: "without attackers", Goal: report.AtMost(2),
			Note: fmt.Sprintf("p99 of each round, ms: %s, without attackers %s; the attackers: %s",
				strings.Join(attacked.p99s, ", "), strings.Join(calm.p99s, ", "), strings.Join(what, "; "))},
		{What: label + ", median", Unit: "ms", Ours: in(time.Millisecond, attacked.took...), Peer: in(time.Millisecond, calm.took...), PeerName: "without attackers"},
		{What: "the same bytes from a static server that nobody attacks, meanwhile", Unit: "ms", Statistic: report.P99,
			Ours: in(time.Millisecond, attacked.static...), Peer: in(time.Millisecond, calm.static...), PeerName: "without attackers"},
		{What: label + ", requests that failed", Unit: "requests", Ours: report.Series{float64(attacked.failed)}, Peer: report.Series{float64(calm.failed)},
			PeerName: "without attackers", Goal: report.Within(0),
			Note: fmt.Sprintf("of %d; %s", len(attacked.took), strings.Join(append(calm.failures, attacked.failures...), "; "))},
		{What: label + ", the most that was resident", Unit: "MiB", Ours: report.Series{float64(memory.Peak) / mebibyte}},
	}, usage), nil
}

// ask has all of them ask for so long.
func (h *honest) ask(ctx context.Context, length time.Duration, users []apart.Client, static apart.Client) error {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	var mutex sync.Mutex
	note := func(err error) {
		if len(h.failures) < 3 {
			h.failures = append(h.failures, err.Error())
		}
	}
	failed := func(err error) {
		mutex.Lock()
		defer mutex.Unlock()
		h.failed++
		note(err)
	}
	// That the static server fails says nothing of the users' requests.
	missed := func(err error) {
		mutex.Lock()
		defer mutex.Unlock()
		note(fmt.Errorf("of the static server: %w", err))
	}
	var took, still []time.Duration
	var work sync.WaitGroup
	for _, each := range users {
		work.Go(func() {
			mine := each.Meanwhile(ctx, failed)
			mutex.Lock()
			defer mutex.Unlock()
			took = append(took, mine...)
		})
	}
	work.Go(func() { still = static.Meanwhile(ctx, missed) })
	work.Wait()
	if len(took) == 0 || len(still) == 0 {
		return fmt.Errorf("nobody could ask anything: %s", strings.Join(h.failures, "; "))
	}
	h.took, h.static = append(h.took, took...), append(h.static, still...)
	h.p99s = append(h.p99s, report.Number(in(time.Millisecond, took...).Quantile(0.99)))
	return nil
}

// honestUsers may list by RBAC, and are known by client certificates.
func (b *bench) honestUsers(ctx context.Context, c *stage.Cluster, steward *cluster.Steward) (users []apart.Client, err error) {
	if err := c.AllowViews(ctx, watchers); err != nil {
		return nil, err
	}
	for i := range honestUsers {
		config, err := steward.WithUser(fmt.Sprintf("honest-%d", i), watchers)
		if err != nil {
			return nil, err
		}
		users = append(users, apart.Client{Host: config.Host, TLS: config.TLSClientConfig, Paths: []string{stage.ViewsIn(somewhere(c))},
			Every: honestEvery, Patience: honestPatience})
	}
	return users, b.granted(ctx, users[0])
}

func (b *bench) greedyUsers(ctx context.Context, c *stage.Cluster, steward *cluster.Steward) (greedy []rest.TLSClientConfig, err error) {
	for i := range attackGreedy {
		config, err := steward.WithUser(fmt.Sprintf("greedy-%d", i), watchers)
		if err != nil {
			return nil, err
		}
		greedy = append(greedy, config.TLSClientConfig)
	}
	return greedy, nil
}

// granted waits until a user's rights are known.
func (b *bench) granted(ctx context.Context, user apart.Client) error {
	client, err := rest.HTTPClientFor(&rest.Config{Host: user.Host, TLSClientConfig: user.TLS, Timeout: user.Patience})
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	return until(ctx, func() error {
		_, err := apart.Get(client, user.Host+user.Paths[0])
		return err
	})
}

// recovered waits until the server answers somebody new, and a moment more: what attackers left is gone then.
func (b *bench) recovered(ctx context.Context, server *load.Server) error {
	err := until(ctx, func() error {
		client := server.Connect()
		defer client.Close()
		_, err := client.Drain(ctx, stage.DiscoveryPath)
		return err
	})
	if err != nil {
		return err
	}
	return sleep(ctx, 2*settle)
}

// until tries something for a minute at most.
func until(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := do()
		if err == nil {
			return nil
		}
		if waited := sleep(ctx, 200*time.Millisecond); waited != nil {
			return errors.Join(waited, err)
		}
	}
}
