// Package report is what `./dev bench` says: series of measured values, what they are held to, and how they are shown.
package report

import (
	"math"
	"slices"
)

// Series is one quantity, measured several times.
type Series []float64

// Median is the middle value, or the mean of the two in the middle; NaN of nothing.
func (s Series) Median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Quantile is the smallest measured value that at least the fraction q of all values does not exceed; NaN of nothing.
// Of fewer than 100 values the 0.99 quantile is the largest.
func (s Series) Quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Min and Max are NaN of nothing.
func (s Series) Min() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	return slices.Min(s)
}

func (s Series) Max() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	return slices.Max(s)
}

// Statistic reduces a series to the one value that is judged.
type Statistic string

const (
	Median Statistic = "median"
	P99    Statistic = "p99"
	Max    Statistic = "max"
)

// Of reduces a series.
func (s Statistic) Of(values Series) float64 {
	switch s {
	case P99:
		return values.Quantile(0.99)
	case Max:
		return values.Max()
	default:
		return values.Median()
	}
}
