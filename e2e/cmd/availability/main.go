// Command availability measures what a cluster is like while Steward is not well, on a real node: with the aggregator, the namespace
// controller and the garbage collector of Kubernetes. It writes the table of docs/availability.md.
//
//	availability [--states=NAME,...] FOLDER     FOLDER is what `./dev image` leaves; with --states nothing is written
//
// It exits 1 if, with the guard, a namespace deletion was held up for longer than the grace period plus a minute.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/node"
)

// grace is the guard's default.
const grace = 2 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.String("states", "", "the states to measure, by their names; all unless given")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: availability [--states=NAME,...] FOLDER")
		os.Exit(2)
	}
	if err := run(ctx, flag.Arg(0), *only); err != nil {
		fmt.Fprintln(os.Stderr, "availability:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, only string) (err error) {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	chosen := states
	if only != "" {
		names := strings.Split(only, ",")
		chosen = slices.DeleteFunc(slices.Clone(states), func(s state) bool { return !slices.Contains(names, s.name) })
		if len(chosen) != len(names) {
			return fmt.Errorf("unknown states among %s", only)
		}
	}
	archives, _ := filepath.Glob(filepath.Join(folder, "steward-*.tar"))
	if len(archives) != 1 {
		return fmt.Errorf("%d archives of images in %s", len(archives), folder)
	}
	n, err := node.Start(ctx, archives...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Stop()) }()
	if err := n.Install(ctx, folder); err != nil {
		return fmt.Errorf("%w\n%s", err, n.Logs(10))
	}
	m := &measurer{Node: n}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	var rows []row
	for _, guarded := range []bool{true, false} {
		for _, s := range chosen {
			fmt.Printf("%s, with the guard: %v\n", s.name, guarded)
			measured, err := m.measure(ctx, s, guarded)
			if err != nil {
				return fmt.Errorf("%s (with the guard: %v): %w", s.name, guarded, err)
			}
			for _, each := range measured {
				fmt.Println(each.String())
			}
			rows = append(rows, measured...)
		}
	}
	if only == "" {
		version, err := n.Kube.Discovery().ServerVersion()
		if err != nil {
			return err
		}
		if err := writeTable(filepath.Join(root, "docs", "availability.md"), version.GitVersion, rows); err != nil {
			return err
		}
	}
	return heldUp(rows)
}

// heldUp fails where the guard did not keep what it promises.
func heldUp(rows []row) error {
	for _, r := range rows {
		if r.guarded && (r.namespace.unended || r.namespace.took > grace+time.Minute) {
			return fmt.Errorf("%s: a namespace deletion was held up for %s, which is longer than the grace period plus a minute", r.state, r.namespace)
		}
	}
	return nil
}
