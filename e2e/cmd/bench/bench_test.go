package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"steward.dev/e2e/bench/report"
)

func TestChoose(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) != len(figures) {
		t.Fatalf("nothing chosen is %d figures, %v", len(all), err)
	}
	two, err := choose("large,json")
	if err != nil || len(two) != 2 || two[0].name != "json" || two[1].name != "large" {
		t.Errorf("got %v, %v; want the two in the order of the list", two, err)
	}
	if _, err := choose("json,jason"); err == nil || !strings.Contains(err.Error(), "jason") {
		t.Errorf("got %v", err)
	}
}

// A figure that takes too long fails alone: those that follow have their own time.
func TestBudgetsAreEachFiguresOwn(t *testing.T) {
	slow := figure{budget: time.Millisecond, run: func(_ *bench, ctx context.Context) ([]report.Line, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if _, err := slow.within(&bench{}, t.Context()); err == nil || !strings.Contains(err.Error(), "longer than its 1ms") {
		t.Errorf("got %v", err)
	}
	// What it sets up has time of its own.
	first := figure{budget: time.Hour, run: func(b *bench, ctx context.Context) ([]report.Line, error) {
		err := b.setUp(ctx, func(context.Context) error {
			if b.budget.Stop() {
				t.Error("the budget ran while something was set up")
			}
			return nil
		})
		if !b.budget.Stop() {
			t.Error("the budget does not run any more")
		}
		return nil, err
	}}
	if _, err := first.within(&bench{}, t.Context()); err != nil {
		t.Error(err)
	}
	total := time.Duration(0)
	for _, each := range figures {
		if each.budget < time.Minute {
			t.Errorf("%s has a budget of %s", each.name, each.budget)
		}
		total += each.budget
	}
	if total > time.Hour {
		t.Errorf("all budgets are %s, more than an hour", total)
	}
}

func TestFiguresHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, each := range figures {
		if each.name == "" || each.about == "" || strings.Contains(each.name, ",") || seen[each.name] {
			t.Errorf("a figure is named %q: %q", each.name, each.about)
		}
		seen[each.name] = true
	}
}

// An installation that is ended is not set up again.
func TestFiguresOfOneInstallationStandTogether(t *testing.T) {
	ended := map[installation]bool{}
	for i, each := range figures {
		if i == 0 || figures[i-1].on == each.on {
			continue
		}
		ended[figures[i-1].on] = true
		if ended[each.on] {
			t.Errorf("%s stands on what was ended before it", each.name)
		}
	}
}

func TestReadPage(t *testing.T) {
	for _, row := range []struct {
		name, text, token string
		rows              int
		fails             bool
	}{
		{name: "with more to come", text: `{"kind":"Table","metadata":{"resourceVersion":"7","continue":"abc="},"columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a"],"object":null},{"cells":["b"],"object":null}]}`, token: "abc=", rows: 2},
		{name: "the last", text: `{"kind":"Table","metadata":{"resourceVersion":"7"},"columnDefinitions":[],"rows":[{"cells":["\"continue\":\"x\""]}]}`, rows: 1},
		{name: "something else", text: `{"kind":"Status"}`, fails: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			token, rows, err := readPage([]byte(row.text))
			if token != row.token || rows != row.rows || (err != nil) != row.fails {
				t.Errorf("got %q, %d, %v", token, rows, err)
			}
		})
	}
}

func TestDifference(t *testing.T) {
	before := map[string]int{"update leases": 5, "patch clusterroles": 50}
	after := map[string]int{"update leases": 9, "patch clusterroles": 50}
	if writes, renewals, which := difference(before, after); writes != 0 || renewals != 4 || which != "none" {
		t.Errorf("got %d, %d, %q", writes, renewals, which)
	}
	after["patch clusterroles"], after["create events"] = 52, 1
	if writes, _, which := difference(before, after); writes != 3 || which != "1 × create events, 2 × patch clusterroles" {
		t.Errorf("got %d, %q", writes, which)
	}
}
