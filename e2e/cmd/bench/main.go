// Command bench measures Steward side by side with a real kube-apiserver that holds copied ClusterServiceVersions, and
// with servers of the same bytes as files, in one run on one machine. docs/performance.md says what each figure means.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"steward.dev/e2e/apart"
	"steward.dev/e2e/bench/report"
	"steward.dev/e2e/bench/stage"
)

func main() {
	apart.Play()
	if len(os.Args) > 1 && os.Args[1] == stage.BackendCommand {
		fmt.Fprintln(os.Stderr, stage.RunBackend(os.Args[2:]))
		os.Exit(1)
	}
	only := flag.String("only", "", "names of the figures to measure, separated by commas")
	quick := flag.Bool("quick", false, "100 namespaces and few repetitions: tries the harness, measures nothing worth keeping")
	out := flag.String("out", "bench.json", "where to write the results as JSON")
	flag.Usage = usage
	flag.Parse()
	chosen, err := choose(*only)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench:", errors.Join(err, unknown(flag.Args())))
		usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, chosen, *quick, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func unknown(arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	return fmt.Errorf("what is %q?", strings.Join(arguments, " "))
}

func usage() {
	out := flag.CommandLine.Output()
	fmt.Fprintln(out, "usage: ./dev bench [--quick] [--only NAME,...] [--out FILE]\n\nfigures:")
	for _, each := range figures {
		fmt.Fprintf(out, "  %-14s %s\n", each.name, each.about)
	}
}

// choose finds figures by their names, in the order of the list; all for none.
func choose(only string) ([]figure, error) {
	if only == "" {
		return figures, nil
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(only, ",") {
		wanted[name] = true
	}
	var chosen []figure
	for _, each := range figures {
		if wanted[each.name] {
			chosen = append(chosen, each)
			delete(wanted, each.name)
		}
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no figure %q", name)
	}
	return chosen, nil
}

func run(ctx context.Context, chosen []figure, quick bool, out string) (err error) {
	b, err := newBench(quick)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	for i, each := range chosen {
		b.say("%s", each.name)
		lines, err := each.within(b, ctx)
		for i := range lines {
			lines[i].Figure = each.name
		}
		b.report.Lines = append(b.report.Lines, lines...)
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		if err != nil {
			b.report.Failures = append(b.report.Failures, each.name+": "+err.Error())
			b.say("%s could not be measured: %v", each.name, err)
		}
		if err := report.WriteTable(os.Stdout, lines); err != nil {
			return err
		}
		needed := nothing
		if i+1 < len(chosen) {
			needed = chosen[i+1].on
		}
		if err := b.endAllBut(needed); err != nil {
			b.report.Failures = append(b.report.Failures, "after "+each.name+": "+err.Error())
		}
	}
	b.report.Took = time.Since(b.report.Started)
	if err := conclude(b.report, out); err != nil {
		return err
	}
	if len(b.report.Failures) > 0 {
		return fmt.Errorf("not measured:\n%s", strings.Join(b.report.Failures, "\n"))
	}
	return nil
}

// within measures the figure, as long as its budget lasts.
func (f figure) within(b *bench, ctx context.Context) ([]report.Line, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.measuring = f
	b.budget = time.AfterFunc(f.budget, func() { cancel(fmt.Errorf("it takes longer than its %s", f.budget)) })
	defer b.budget.Stop()
	lines, err := f.run(b, ctx)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return lines, err
}

// quietEnough is the share of all processors that other programs may have without spoiling a run.
const quietEnough = 0.05

// conclude prints everything once more, in one table, and writes it as JSON.
func conclude(r *report.Report, out string) error {
	fmt.Printf("\n%s\n%s\n", r.Machine, r.Operators)
	if r.Quick {
		fmt.Println("A quick run: small sizes and few repetitions. Its ratios mean nothing.")
	}
	fmt.Println()
	if err := report.WriteTable(os.Stdout, r.Lines); err != nil {
		return err
	}
	fmt.Println("\nload: the load generator's share of all processors. More of each line:")
	last := ""
	for _, line := range r.Lines {
		if line.Note != "" && line.Note != last {
			fmt.Printf("- %s: %s: %s\n", line.Figure, line.What, line.Note)
		}
		last = line.Note
	}
	if noise := r.Noisiest(); noise > quietEnough {
		fmt.Printf("Other programs took up to %s of the processors meanwhile: measure again on an idle machine.\n", report.Percent(noise))
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := errors.Join(r.WriteJSON(file), file.Close()); err != nil {
		return err
	}
	fmt.Printf("\n%s\nwritten to %s\n", r.Summary(), out)
	return nil
}
