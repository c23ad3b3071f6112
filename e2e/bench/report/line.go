package report

import "math"

// Line is one measured quantity beside a peer's, from one run on one machine.
type Line struct {
	Figure    string    // the figure it belongs to: what --only takes
	What      string    // the quantity, with what it was measured on
	Unit      string    // req/s, ms, s, MiB, KiB
	Statistic Statistic // what the values are reduced by; the median when empty
	Ours      Series
	Peer      Series // none: nothing to compare with in this run
	PeerName  string
	Goal      Goal
	Load      float64 // share of all processors that the load generator used, 0 to 1; NaN where it does not matter
	Others    float64 // share of all processors that other programs used meanwhile, 0 to 1
	Note      string
}

// Verdicts of a line with a goal.
const (
	OK        = "ok"
	BelowGoal = "below goal"
)

// Verdict is "" for a line without a goal.
func (l Line) Verdict() string {
	switch {
	case l.Goal.kind == noGoal:
		return ""
	case l.Goal.met(l.ours(), l.peer()):
		return OK
	default:
		return BelowGoal
	}
}

func (l Line) ours() float64 { return l.Statistic.Of(l.Ours) }
func (l Line) peer() float64 { return l.Statistic.Of(l.Peer) }

// label is the quantity with its unit, and how it was reduced unless by the median.
func (l Line) label() string {
	text := l.What + ", " + l.Unit
	if l.Statistic != "" && l.Statistic != Median {
		text += " " + string(l.Statistic)
	}
	return text
}

// encoded is a line of bench.json. Absent values are left out.
type encoded struct {
	Figure   string   `json:"figure"`
	What     string   `json:"what"`
	Unit     string   `json:"unit"`
	Reduced  string   `json:"statistic"`
	Peer     *values  `json:"peer,omitempty"`
	PeerName string   `json:"peerName,omitempty"`
	Limit    string   `json:"limit,omitempty"`
	Ours     *values  `json:"ours,omitempty"`
	Ratio    *float64 `json:"ratio,omitempty"`
	Verdict  string   `json:"verdict,omitempty"`
	Load     *float64 `json:"loadGeneratorShare,omitempty"`
	Others   *float64 `json:"otherProgramsShare,omitempty"`
	Note     string   `json:"note,omitempty"`
}

type values struct {
	Value   float64 `json:"value"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Samples int     `json:"samples"`
}

func (l Line) encode() encoded {
	reduced := l.Statistic
	if reduced == "" {
		reduced = Median
	}
	return encoded{
		Figure: l.Figure, What: l.What, Unit: l.Unit, Reduced: string(reduced),
		Peer: encodeValues(l.peer(), l.Peer), PeerName: l.PeerName, Limit: l.Goal.text(l.Unit),
		Ours: encodeValues(l.ours(), l.Ours), Ratio: finite(l.Goal.ratio(l.ours(), l.peer())), Verdict: l.Verdict(),
		Load: finite(l.Load), Others: finite(l.Others), Note: l.Note,
	}
}

func encodeValues(value float64, series Series) *values {
	if len(series) == 0 {
		return nil
	}
	return &values{value, series.Min(), series.Max(), len(series)}
}

// finite is nil for what JSON has no number for.
func finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}
