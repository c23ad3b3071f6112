package report

import (
	"fmt"
	"math"
)

// Goal is what a line is held to. The zero value is none: the line only informs.
type Goal struct {
	kind  goalKind
	bound float64
}

type goalKind int

const (
	noGoal goalKind = iota
	atLeast
	atMost
	asFast
	within
)

// AtLeast wants ours to be at least so many times the peer's.
func AtLeast(times float64) Goal { return Goal{atLeast, times} }

// AtMost wants ours to be at most so many times the peer's.
func AtMost(times float64) Goal { return Goal{atMost, times} }

// AsFast wants the peer's time to be at least so many times ours.
func AsFast(times float64) Goal { return Goal{asFast, times} }

// Within wants ours to be at most so much, whatever the peer does.
func Within(limit float64) Goal { return Goal{within, limit} }

// text is the goal as the table shows it.
func (g Goal) text(unit string) string {
	switch g.kind {
	case atLeast:
		return fmt.Sprintf("≥ %v ×", g.bound)
	case atMost:
		return fmt.Sprintf("≤ %v ×", g.bound)
	case asFast:
		return fmt.Sprintf("≥ %v × as fast", g.bound)
	case within:
		return fmt.Sprintf("≤ %v %s", g.bound, unit)
	default:
		return ""
	}
}

// ratio is how ours stands to the peer's, in the goal's own direction; NaN where there is nothing to compare.
func (g Goal) ratio(ours, peer float64) float64 {
	if g.kind == asFast {
		return peer / ours
	}
	return ours / peer
}

// ratioText shows a ratio the way the goal is written.
func (g Goal) ratioText(ratio float64) string {
	switch {
	case math.IsNaN(ratio) || math.IsInf(ratio, 0):
		return ""
	case ratio < 0.1:
		return "1/" + Number(1/ratio)
	default:
		return Number(ratio) + " ×"
	}
}

// met says whether the values reach the goal; no value reaches none.
func (g Goal) met(ours, peer float64) bool {
	ratio := g.ratio(ours, peer)
	switch g.kind {
	case atLeast, asFast:
		return ratio >= g.bound
	case atMost:
		return ratio <= g.bound
	case within:
		return ours <= g.bound
	default:
		return true
	}
}
