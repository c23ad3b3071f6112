package main

import (
	"math"
	"testing"
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
