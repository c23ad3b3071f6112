package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestVerdicts(t *testing.T) {
	for _, row := range []struct {
		name       string
		goal       Goal
		ours, peer float64
		limit      string
		ratio      string
		want       string
	}{
		{"throughput reached", AtLeast(0.8), 80, 100, "≥ 0.8 ×", "0.800 ×", OK},
		{"throughput missed", AtLeast(0.8), 79, 100, "≥ 0.8 ×", "0.790 ×", BelowGoal},
		{"cost reached", AtMost(1.3), 13, 10, "≤ 1.3 ×", "1.30 ×", OK},
		{"cost missed", AtMost(1.3), 14, 10, "≤ 1.3 ×", "1.40 ×", BelowGoal},
		{"time reached", AsFast(8), 1, 8, "≥ 8 × as fast", "8.00 ×", OK},
		{"time missed", AsFast(8), 2, 8, "≥ 8 × as fast", "4.00 ×", BelowGoal},
		{"limit reached, whatever the peer does", Within(50), 50, 1, "≤ 50 ms", "50.0 ×", OK},
		{"limit missed", Within(50), 51, math.NaN(), "≤ 50 ms", "", BelowGoal},
		{"no goal", Goal{}, 1, 2, "", "0.500 ×", ""},
		{"far below the peer", Within(50), 40, 4000, "≤ 50 ms", "1/100", OK},
		{"no peer reaches no ratio", AtLeast(0.8), 80, math.NaN(), "≥ 0.8 ×", "", BelowGoal},
	} {
		t.Run(row.name, func(t *testing.T) {
			line := Line{Unit: "ms", Ours: Series{row.ours}, Goal: row.goal}
			if !math.IsNaN(row.peer) {
				line.Peer = Series{row.peer}
			}
			cells := line.row()
			if limit, ratio, verdict := cells[2], cells[4], cells[7]; limit != row.limit || ratio != row.ratio || verdict != row.want {
				t.Errorf("got limit %q, ratio %q, verdict %q; want %q, %q, %q", limit, ratio, verdict, row.limit, row.ratio, row.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.1234: "0.123", 1.005: "1.00", 12.34: "12.3", 123.4: "123", 999.9: "1000", 4792.4: "4792", 0.00123: "0.00123",
		math.NaN(): "", math.Inf(1): "",
	} {
		if got := Number(value); got != want {
			t.Errorf("%v is shown as %q, want %q", value, got, want)
		}
	}
}

func sample() *Report {
	return &Report{
		Started: time.Unix(0, 0).UTC(), Took: 90*time.Second + 40*time.Millisecond, Machine: "two cores", Operators: "six",
		Lines: []Line{
			{Figure: "json", What: "list", Unit: "req/s", Ours: Series{90, 110, 100}, Peer: Series{200}, PeerName: "static",
				Goal: AtLeast(0.8), Load: 0.456, Others: math.NaN()},
			{Figure: "memory", What: "resident", Unit: "MiB", Statistic: Max, Ours: Series{30, 39}, Goal: Within(40), Load: math.NaN()},
			{Figure: "floor", What: "static", Unit: "s", Ours: Series{1}, Load: math.NaN()},
		},
		Failures: []string{"large: no"},
	}
}

func TestTable(t *testing.T) {
	out := &bytes.Buffer{}
	if err := WriteTable(out, sample().Lines); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("want a head, a rule and three lines, got:\n%s", out)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) != utf8.RuneCountInString(lines[0]) {
			t.Errorf("columns do not stand under each other:\n%s", out)
			break
		}
	}
	for i, wanted := range [][]string{
		2: {"json: list, req/s", "200 (static)", "≥ 0.8 ×", "100", "0.500 ×", "90.0–110; one", "46 %", "below goal"},
		3: {"memory: resident, MiB max", "≤ 40 MiB", "39.0", "30.0–39.0", "ok"},
		4: {"floor: static, s", "1.00", "one"},
	} {
		for _, cell := range wanted {
			if !strings.Contains(lines[i], "| "+cell+" ") {
				t.Errorf("no cell %q in %s", cell, lines[i])
			}
		}
	}
}

func TestJSON(t *testing.T) {
	out := &bytes.Buffer{}
	if err := sample().WriteJSON(out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Seconds  float64
		Machine  string
		Failures []string
		Lines    []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, out)
	}
	if got.Seconds != 90 || got.Machine != "two cores" || len(got.Failures) != 1 || len(got.Lines) != 3 {
		t.Fatalf("got %+v", got)
	}
	first, second := got.Lines[0], got.Lines[1]
	if first["ratio"] != 0.5 || first["verdict"] != BelowGoal || first["limit"] != "≥ 0.8 ×" || first["loadGeneratorShare"] != 0.456 {
		t.Errorf("the first line is %v", first)
	}
	if ours := first["ours"].(map[string]any); ours["value"] != 100.0 || ours["min"] != 90.0 || ours["max"] != 110.0 || ours["samples"] != 3.0 {
		t.Errorf("the first line's values are %v", ours)
	}
	for _, absent := range []string{"otherProgramsShare"} {
		if _, ok := first[absent]; ok {
			t.Errorf("%s stands without a value", absent)
		}
	}
	if _, ok := second["peer"]; ok || second["statistic"] != "max" {
		t.Errorf("the second line is %v", second)
	}
}

func TestNoisiest(t *testing.T) {
	r := &Report{Lines: []Line{{Others: math.NaN()}, {Others: 0.02}, {Others: 0.3}, {Others: math.NaN()}}}
	if got := r.Noisiest(); got != 0.3 {
		t.Errorf("got %v, want 0.3", got)
	}
}

func TestSummary(t *testing.T) {
	if got, want := sample().Summary(), "1 ok, 1 below goal, 1 not measured, in 1m30s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
