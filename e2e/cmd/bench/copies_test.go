package main

import (
	"math"
	"testing"
	"time"

	"steward.dev/e2e/bench/report"
)

const exposition = `# TYPE x histogram
x_bucket{le="0.1"} 5
x_bucket{le="1"} 9
x_bucket{le="+Inf"} 10
x_sum 7
`

func TestHistogram(t *testing.T) {
	h, err := parseHistogram(exposition, `x_bucket{le="`)
	if err != nil {
		t.Fatal(err)
	}
	for q, want := range map[float64]float64{0.5: 0.1, 0.9: 1, 0.99: math.Inf(1)} {
		if got := h.quantile(q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := h.since(h); got.count() != 0 || !math.IsNaN(got.quantile(0.5)) {
		t.Errorf("nothing happened, and %d were counted", got.count())
	}
	if _, err := parseHistogram("", `x_bucket{le="`); err == nil {
		t.Error("a series that is not there was read")
	}
}

// Lists from before the first look say nothing of when the next sweep comes, and a sweep may have more than one list.
func TestCalm(t *testing.T) {
	start := time.Now()
	var sweeps calm
	for _, look := range []struct {
		after time.Duration
		lists int
		want  bool
	}{
		{0, 7, false},
		{2 * sweptFor, 7, false},
		{2*sweptFor + time.Second, 8, false},
		{2*sweptFor + 2*time.Second, 9, false},
		{3*sweptFor + 1999*time.Millisecond, 9, false},
		{3*sweptFor + 2*time.Second, 9, true},
	} {
		if got := sweeps.sees(look.lists, start.Add(look.after)); got != look.want {
			t.Errorf("after %s with %d lists: %v", look.after, look.lists, got)
		}
	}
	if want := start.Add(2*sweptFor + 2*time.Second); !sweeps.since.Equal(want) {
		t.Errorf("the last list was at %s, want %s", sweeps.since, want)
	}
}

// A single list misses the goal.
func TestFanOutCostsNoList(t *testing.T) {
	one := histogram{bounds: []float64{1}, below: []float64{1}}
	for lists, want := range []string{report.OK, report.BelowGoal} {
		found := ""
		for _, line := range (crowded{guards: one, lists: lists}).lines(fewCopies, crowded{guards: one}) {
			if line.Unit == "lists" {
				found = line.Verdict()
			}
		}
		if found != want {
			t.Errorf("of %d lists: %q, want %q", lists, found, want)
		}
	}
}
