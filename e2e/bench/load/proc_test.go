package load

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       time.Duration
	}{
		{"a plain name", "42 (steward) S 1 42 42 0 -1 4194560 100 0 0 0 150 25 0 0 20 0 5 0 1 2 3", 1750 * time.Millisecond},
		{"a name like fields", "42 (a) R (b c) S 1 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 5 0 1 2 3", 30 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := parseStat(row.text)
			if err != nil || got != row.want {
				t.Errorf("got %s, %v; want %s", got, err, row.want)
			}
		})
	}
	for _, text := range []string{"", "42 (steward) S 1", "42 (steward) S 1 42 42 0 -1 4194560 100 0 0 0 x 25 0 0 20"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestParseStatus(t *testing.T) {
	got, err := parseStatus("Name:\tsteward\nVmPeak:\t  999999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t3\n")
	if want := (Memory{1 << 20, 2 << 20}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{"", "VmRSS:\t 12 kB\n", "VmRSS:\t 12 MB\nVmHWM:\t 12 kB\n", "VmRSS:\t x kB\nVmHWM:\t 12 kB\n"} {
		if got, err := parseStatus(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestParseBusy(t *testing.T) {
	got, err := parseBusy("cpu  100 10 50 9999 888 1 2 3 40 4\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
	if want := 1660 * time.Millisecond; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, text := range []string{"", "cpu 1 2 3\n", "intr 1 2 3 4 5 6 7 8 9\n", "cpu 1 2 3 4 5 x 7 8 9 10\n"} {
		if got, err := parseBusy(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestOwnProcess(t *testing.T) {
	memory, err := MemoryOf(os.Getpid())
	if err != nil || memory.Resident < 1<<20 || memory.Peak < memory.Resident {
		t.Errorf("this test has %+v, %v", memory, err)
	}
	meter, err := StartMeter(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	// However busy the machine is, work shows some time.
	var usage Usage
	for limit := time.Now().Add(10 * time.Second); usage.Generator < 30*time.Millisecond && time.Now().Before(limit); {
		if usage, err = meter.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if usage.Generator < 30*time.Millisecond || usage.Wall < usage.Generator/time.Duration(runtime.NumCPU()) || usage.Server != 0 {
		t.Errorf("work is measured as %+v", usage)
	}
}
