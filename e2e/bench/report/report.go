package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Report is one run.
type Report struct {
	Started   time.Time     `json:"started"`
	Took      time.Duration `json:"-"`
	Quick     bool          `json:"quick"`     // small sizes, few repetitions: a try of the harness, not a measurement
	Machine   string        `json:"machine"`   // processor, how many, kernel
	Operators string        `json:"operators"` // what was installed
	Lines     []Line        `json:"-"`
	Failures  []string      `json:"failures,omitempty"` // figures that could not be measured, and why
}

// WriteJSON writes everything that is known, with an indentation, for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	lines := make([]encoded, 0, len(r.Lines))
	for _, line := range r.Lines {
		lines = append(lines, line.encode())
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		*Report
		Seconds float64   `json:"seconds"`
		Lines   []encoded `json:"lines"`
	}{r, math.Round(r.Took.Seconds()*10) / 10, lines})
}

// WriteTable writes lines as a Markdown table whose columns stand under each other.
func WriteTable(w io.Writer, lines []Line) error {
	rows := [][]string{{"figure", "peer", "limit", "ours", "ratio", "spread: ours; peer", "load", "verdict"}}
	for _, line := range lines {
		rows = append(rows, line.row())
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(width))
	for i := range rule {
		rule[i] = strings.Repeat("-", width[i])
	}
	rows = append(rows[:1], append([][]string{rule}, rows[1:]...)...)
	for _, row := range rows {
		text := &strings.Builder{}
		for i, cell := range row {
			fmt.Fprintf(text, "| %s%s ", cell, strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
		if _, err := fmt.Fprintln(w, text.String()+"|"); err != nil {
			return err
		}
	}
	return nil
}

func (l Line) row() []string {
	peer, spread := "", between(l.Ours)
	if len(l.Peer) > 0 {
		peer = Number(l.peer()) + " (" + l.PeerName + ")"
		spread += "; " + between(l.Peer)
	} else if l.PeerName != "" {
		peer = l.PeerName
	}
	return []string{
		l.Figure + ": " + l.label(), peer, l.Goal.text(l.Unit), Number(l.ours()),
		l.Goal.ratioText(l.Goal.ratio(l.ours(), l.peer())), spread, Percent(l.Load), l.Verdict(),
	}
}

func between(values Series) string {
	if len(values) < 2 {
		return "one"
	}
	return Number(values.Min()) + "–" + Number(values.Max())
}

// Percent shows a share of all processors; nothing for what is none.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return ""
	}
	return strconv.Itoa(int(math.Round(share*100))) + " %"
}

// Number shows a value with three significant digits, thousands as whole numbers; nothing for what is none.
func Number(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return ""
	}
	if math.Abs(value) >= 1000 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	if value == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(value))))
	return strconv.FormatFloat(value, 'f', max(digits, 0), 64)
}

// Noisiest is the largest share of all processors that other programs had during a line's measurement.
func (r *Report) Noisiest() float64 {
	noisiest := 0.0
	for _, line := range r.Lines {
		if line.Others > noisiest {
			noisiest = line.Others
		}
	}
	return noisiest
}

// Summary counts the verdicts.
func (r *Report) Summary() string {
	reached, missed := 0, 0
	for _, line := range r.Lines {
		switch line.Verdict() {
		case OK:
			reached++
		case BelowGoal:
			missed++
		}
	}
	return fmt.Sprintf("%d ok, %d below goal, %d not measured, in %s",
		reached, missed, len(r.Failures), r.Took.Round(time.Second))
}
