package cleanup_test

import (
	"slices"
	"sync"
	"time"

	"steward.dev/e2e/faultproxy"
)

// guardAge is how old guards may be when something is deleted (R-000-71).
const guardAge = 2 * time.Second

const allCSVs = "/apis/operators.coreos.com/v1alpha1/clusterserviceversions"

// lastReading is when the last reading of the guards that a client began by then reached its proxy, as the list of all
// CSVs that each of them has shows; zero when there is none.
func lastReading(all []faultproxy.Request, client string, then time.Time) time.Time {
	for _, request := range slices.Backward(all) {
		if request.Client == client && request.Path == allCSVs && !request.IsWrite() && !request.IsWatch() && !request.Began.After(then) {
			return request.Began
		}
	}
	return time.Time{}
}

// slackBetween is what a busy machine may have added, between the moment when a request is sent and that when its proxy
// has it: no more than what the API server and this process were seen to need for anything meanwhile.
func slackBetween(all []faultproxy.Request, from, to time.Time) time.Duration {
	longest := time.Duration(0)
	for _, request := range all {
		if request.IsWatch() || request.Sent.IsZero() || request.Answered.IsZero() || request.Sent.After(to) || request.Answered.Before(from) {
			continue
		}
		longest = max(longest, request.Answered.Sub(request.Sent))
	}
	return longest + stalls.longest(from, to)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// stalls is how late this process was woken.
var stalls = &stallMeter{}

type stallMeter struct {
	mutex sync.Mutex
	seen  []stall
}

type stall struct {
	from, to time.Time
}

const stallStep = 5 * time.Millisecond

// measure notes every time that this process was not woken when it should have been.
func (m *stallMeter) measure(done <-chan struct{}) {
	ticks := time.NewTicker(stallStep)
	defer ticks.Stop()
	last := time.Now()
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		now := time.Now()
		if now.Sub(last) > 2*stallStep {
			m.mutex.Lock()
			m.seen = append(m.seen, stall{last, now})
			m.mutex.Unlock()
		}
		last = now
	}
}

// longest is the longest of them that overlaps that time.
func (m *stallMeter) longest(from, to time.Time) time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	longest := 2 * stallStep
	for _, one := range m.seen {
		if !one.from.After(to) && !one.to.Before(from) {
			longest = max(longest, one.to.Sub(one.from))
		}
	}
	return longest
}
