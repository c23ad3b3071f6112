package report

import (
	"math"
	"testing"
)

func TestStatistics(t *testing.T) {
	hundred := Series{}
	for i := 200; i > 0; i-- {
		hundred = append(hundred, float64(i))
	}
	for _, row := range []struct {
		name      string
		statistic Statistic
		values    Series
		want      float64
	}{
		{"median of one", Median, Series{7}, 7},
		{"median of an odd number", Median, Series{9, 1, 5}, 5},
		{"median of an even number", Median, Series{4, 1, 2, 100}, 3},
		{"p99 of few is the largest", P99, Series{3, 1, 2}, 3},
		{"p99 of many leaves one in a hundred out", P99, hundred, 198},
		{"max", Max, hundred, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.statistic.Of(row.values); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

func TestStatisticsOfNothing(t *testing.T) {
	for _, statistic := range []Statistic{Median, P99, Max} {
		if got := statistic.Of(nil); !math.IsNaN(got) {
			t.Errorf("%s of nothing is %v, want NaN", statistic, got)
		}
	}
	if got := (Series{}).Min(); !math.IsNaN(got) {
		t.Errorf("the least of nothing is %v, want NaN", got)
	}
}

func TestStatisticsLeaveTheSeriesInOrder(t *testing.T) {
	values := Series{3, 1, 2}
	values.Median()
	values.Quantile(0.5)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the series became %v", values)
	}
}
