package load

import (
	"runtime"
	"syscall"
	"time"
)

// Usage is CPU time, in a while of wall-clock time.
type Usage struct {
	Wall      time.Duration
	Server    time.Duration // of the measured processes
	Generator time.Duration // of this program and of the programs it ran and waited for
	Others    time.Duration // of everything else on the machine but the known processes
}

// GeneratorShare is which part of all processors generated the load, 0 to 1.
func (u Usage) GeneratorShare() float64 { return u.share(u.Generator) }

// OthersShare is which part of all processors worked on something else, 0 to 1.
func (u Usage) OthersShare() float64 { return u.share(u.Others) }

func (u Usage) share(part time.Duration) float64 {
	return max(0, float64(part)/float64(u.Wall)/float64(runtime.NumCPU()))
}

// Meter measures from its start on.
type Meter struct {
	measured, known []int
	began           time.Time
	at              reading
}

type reading struct{ measured, known, own, busy time.Duration }

// StartMeter begins to measure processes. Known are those that belong to the benchmark without being measured: they do
// not count as others. A process may be both.
func StartMeter(measured, known []int) (m *Meter, err error) {
	m = &Meter{measured: measured, known: union(measured, known), began: time.Now()}
	m.at, err = m.read()
	return m, err
}

// Stop is what was used since the start.
func (m *Meter) Stop() (Usage, error) {
	now, err := m.read()
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Wall: time.Since(m.began), Server: now.measured - m.at.measured, Generator: now.own - m.at.own}
	u.Others = now.busy - m.at.busy - u.Generator - (now.known - m.at.known)
	return u, nil
}

func (m *Meter) read() (r reading, err error) {
	if r.measured, err = sum(m.measured); err != nil {
		return r, err
	}
	if r.known, err = sum(m.known); err != nil {
		return r, err
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err = syscall.Getrusage(who, &usage); err != nil {
			return r, err
		}
		r.own += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	r.busy, err = busy()
	return r, err
}

func sum(pids []int) (total time.Duration, err error) {
	for _, pid := range pids {
		used, err := cpuOf(pid)
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}

func union(a, b []int) []int {
	seen := map[int]bool{}
	var out []int
	for _, pid := range append(append([]int{}, a...), b...) {
		if !seen[pid] {
			seen[pid] = true
			out = append(out, pid)
		}
	}
	return out
}
