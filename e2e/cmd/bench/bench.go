package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
	"steward.dev/e2e/cluster"
)

// figure is a set of lines that are measured together.
type figure struct {
	name, about string
	// budget is how long it may take, without what it sets up. A figure that takes longer has failed, and takes no time from
	// the others.
	budget time.Duration
	on     installation // what it stands on
	run    func(*bench, context.Context) ([]report.Line, error)
}

// installation is what a figure stands on. It is set up for the first figure that needs it, and ended before one that needs another,
// since its servers would take part of the machine though nobody asks them for anything.
type installation int

const (
	nothing    installation = iota
	copies                  // bench.cluster
	manyMany                // bench.manyMany
	uninstalls              // bench.uninstalls
	families                // bench.families
)

// figures are measured in this order: what leaves garbage in servers comes after what measures them at rest.
var figures = []figure{
	{"json", "a namespace's list as JSON: throughput and CPU against static bytes and kube-apiserver", 2 * time.Minute, copies, (*bench).namespaceJSON},
	{"gzip", "the same, compressed", time.Minute, copies, (*bench).namespaceGzip},
	{"table", "a namespace's list as a Table", time.Minute, copies, (*bench).namespaceTable},
	{"metadata", "a namespace's list as PartialObjectMetadataList", time.Minute, copies, (*bench).namespaceMetadata},
	{"aggregated", "a namespace's list through the aggregator", 2 * time.Minute, copies, (*bench).aggregated},
	{"cluster-list", "the list of the whole cluster as JSON, gzip and Table", 2 * time.Minute, copies, (*bench).clusterList},
	{"watch-list", "a cluster-wide watch with sendInitialEvents, to its bookmark", 2 * time.Minute, copies, (*bench).watchList},
	{"change", "one changed label, until it is seen in every namespace", 4 * time.Minute, copies, (*bench).change},
	{"new-namespace", "a new namespace, until its operators show", time.Minute, copies, (*bench).newNamespace},
	{"memory", "resident memory under load and watches", time.Minute, copies, (*bench).memory},
	{"watchers", "memory of an idle watcher, on shared and on own connections", 2 * time.Minute, copies, (*bench).watchers},
	{"start", "exec to the first discovery answer", time.Minute, copies, (*bench).start},
	{"attack", "lists of honest users while strangers attack, against the same without", 3 * time.Minute, copies, (*bench).attack},
	{"large", "500 operators in 10,000 namespaces: memory, lists, pages, start", 5 * time.Minute, manyMany, (*bench).large},
	{"cleanup", "an operator with 20,000 custom resources uninstalled, against a program that just deletes them", 6 * time.Minute, uninstalls, (*bench).cleanup},
	{"cleanup-idle", "what 50 operators that are opted in to cleanup cost while nothing happens", 3 * time.Minute, uninstalls, (*bench).cleanupIdle},
	{"cleanup-copies", "the same uninstallation beside 20,000 and 100,000 copied ClusterServiceVersions", 6 * time.Minute, uninstalls, (*bench).cleanupCopies},
	{"copied-rbac", "Roles and RoleBindings of 6 operators copied into 1,000 namespaces, against a program that just creates them", 10 * time.Minute, families, (*bench).copiedRBAC},
	{"plan", "an InstallPlan with 200 steps executed, against bare creations of the same objects", 2 * time.Minute, families, (*bench).plan},
}

// size is how much is measured.
type size struct {
	namespaces  int
	repetitions int           // of each contestant, in turn
	burst       time.Duration // how long one run of h2load takes, about
	slow        int           // repetitions of what takes a kube-apiserver seconds
	changes     int           // labels, new namespaces
	bigChanges  int           // labels of a large operator
	shared      int           // idle watchers, a hundred to a connection
	own         int           // idle watchers, each with its own connection
	starts      int
	reads       int   // of each kind, from many operators in many namespaces
	operands    int   // custom resources of an operator that is uninstalled
	copies      []int // copied ClusterServiceVersions beside it
	idleFor     time.Duration
	rounds      int // of what takes the controllers a minute
	attacks     int // rounds without attackers and with them
	attackFor   time.Duration
}

var (
	full  = size{1000, 5, 2 * time.Second, 3, 60, 15, 10_000, 2000, 10, 60, 20_000, []int{20_000, 100_000}, 65 * time.Second, 2, 4, 15 * time.Second}
	small = size{100, 3, 300 * time.Millisecond, 2, 10, 3, 1000, 200, 3, 10, 2000, []int{1000, 2000}, 5 * time.Second, 1, 2, 5 * time.Second}
)

// A large installation: the sizes do not shrink in a quick run, since nothing of it is slow to set up.
const (
	largeOperators  = 500
	largeNamespaces = 10_000
)

// bench is one run. What its figures need is set up when the first of them asks for it.
type bench struct {
	size
	report    *report.Report
	operators *stage.Operators

	dir      string
	cluster  *stage.Cluster
	manyMany *stage.Large
	broken   error // why there is no cluster
	// Beside them, and why there are none.
	uninstalls   *stage.Uninstalls
	noUninstalls error
	families     *stage.Families
	noFamilies   error
	fresh        []int // processes that a figure started for itself
	measuring    figure
	budget       *time.Timer // ends what is being measured
}

// setUpWithin is how long one thing may take that figures stand on.
const setUpWithin = 10 * time.Minute

// setUp does what a figure is the first to need, and gives the figure its whole budget then.
func (b *bench) setUp(ctx context.Context, do func(context.Context) error) error {
	b.budget.Stop()
	defer b.budget.Reset(b.measuring.budget)
	ctx, cancel := context.WithTimeout(ctx, setUpWithin)
	defer cancel()
	return do(ctx)
}

func newBench(quick bool) (*bench, error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, err
	}
	b := &bench{size: full, report: &report.Report{Started: time.Now(), Quick: quick, Machine: machine()}}
	if quick {
		b.size = small
	}
	if b.operators, err = stage.LoadOperators(root); err != nil {
		return nil, err
	}
	b.report.Operators = b.operators.Description
	b.dir, err = os.MkdirTemp("", "steward-bench-")
	return b, err
}

// say tells the time since the start and what is being done.
func (b *bench) say(format string, args ...any) {
	fmt.Printf("bench: %4.0f s  %s\n", time.Since(b.report.Started).Seconds(), fmt.Sprintf(format, args...))
}

// theCopies is the control plane with a copy of every operator in every namespace.
func (b *bench) theCopies(ctx context.Context) (*stage.Cluster, error) {
	c, err := b.theCluster(ctx)
	if err != nil {
		return nil, err
	}
	return c, b.setUp(ctx, func(ctx context.Context) error { return c.Fill(ctx, b.say) })
}

// theCluster is the control plane; whether there are copies depends on the figures before.
func (b *bench) theCluster(ctx context.Context) (*stage.Cluster, error) {
	if b.cluster == nil {
		b.broken = b.setUp(ctx, func(ctx context.Context) (err error) {
			b.cluster, err = stage.StartCluster(ctx, b.dir, b.operators, b.namespaces, b.say)
			return err
		})
		if b.broken != nil && b.cluster.Cluster != nil {
			b.cluster.DumpLogs(os.Stderr, 10)
		}
	}
	return b.cluster, b.broken
}

// endAllBut ends the installations that the next figure does not stand on. Figures of one stand together.
func (b *bench) endAllBut(needed installation) error {
	var errs []error
	end := func(which installation, there bool, stop func() error) bool {
		if !there || which == needed {
			return false
		}
		errs = append(errs, stop())
		return true
	}
	if end(copies, b.cluster != nil, b.cluster.Stop) {
		b.cluster = nil
	}
	if end(manyMany, b.manyMany != nil, b.manyMany.Stop) {
		b.manyMany = nil
	}
	if end(uninstalls, b.uninstalls != nil, b.uninstalls.Stop) {
		b.uninstalls = nil
	}
	if end(families, b.families != nil, b.families.Stop) {
		b.families = nil
	}
	return errors.Join(errs...)
}

func (b *bench) stop() error {
	b.say("ending everything")
	errs := []error{b.endAllBut(nothing)}
	if os.Getenv("STEWARD_E2E_KEEP") == "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}
	return errors.Join(errs...)
}

// timed measures the load generator's and other programs' shares while something is done.
func (b *bench) timed(do func() error) (load.Usage, error) {
	known := append([]int{}, b.fresh...)
	if b.cluster != nil && b.broken == nil {
		known = append(known, b.cluster.Processes()...)
	}
	if b.manyMany != nil && b.manyMany.Static != nil {
		known = append(known, b.manyMany.Processes()...)
	}
	meter, err := load.StartMeter(nil, known)
	if err != nil {
		return load.Usage{}, err
	}
	if err := do(); err != nil {
		return load.Usage{}, err
	}
	return meter.Stop()
}

// shares writes what was used into lines that were measured together.
func shares(lines []report.Line, usage load.Usage) []report.Line {
	for i := range lines {
		lines[i].Load, lines[i].Others = usage.GeneratorShare(), usage.OthersShare()
	}
	return lines
}

// machine says what this run's figures were measured on.
func machine() string {
	model := "an unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	var memory syscall.Sysinfo_t
	_ = syscall.Sysinfo(&memory)
	gibibytes := float64(memory.Totalram) * float64(memory.Unit) / (1 << 30)
	return fmt.Sprintf("%d × %s, %.0f GiB, Linux %s; servers and load generator share them",
		runtime.NumCPU(), model, gibibytes, strings.TrimSpace(string(kernel)))
}

const milliseconds = float64(time.Millisecond)

// in converts durations to a unit.
func in(unit time.Duration, values ...time.Duration) report.Series {
	var out report.Series
	for _, value := range values {
		out = append(out, float64(value)/float64(unit))
	}
	return out
}
